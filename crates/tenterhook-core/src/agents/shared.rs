//! The hook files of one agent that another agent reads, too. Types only; the rows stand with the
//! agent that reads them.

/// Hook files of another agent that an agent runs hooks of.
#[derive(Clone, Copy, Debug)]
pub struct SharedFiles {
    /// The name of the agent that the files belong to.
    pub owner: &'static str,
    /// The files, written as in the table of agents: a path that begins with `~/` is the user's, any
    /// other is the project's.
    pub files: &'static [&'static str],
    /// The neutral names of the events of which it runs hooks.
    pub events: &'static [&'static str],
    /// Whether it ignores matchers, so that a hook runs for each tool.
    pub ignores_matchers: bool,
    /// Whether it reads a file only if some group in it has a `matcher`.
    pub needs_matcher: bool,
    /// What a denial there needs, as a clause; empty if the owner's form counts.
    pub denial: &'static str,
}

impl SharedFiles {
    /// Returns whether the file is one of these, as it is shown to the user: from the home or from
    /// the project.
    #[must_use]
    pub fn has_file(&self, shown: &str) -> bool {
        self.files.iter().any(|file| match file.strip_suffix('/') {
            Some(folder) => {
                let rest = shown.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
                rest.is_some_and(|name| !name.contains('/') && name.ends_with(".json"))
            }
            None => *file == shown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SharedFiles;
    use crate::agents::{AGENTS, COPILOT, CURSOR};

    fn row(agent: &crate::agents::Agent, owner: &str) -> SharedFiles {
        *agent.reads.iter().find(|files| files.owner == owner).expect("a row")
    }

    /// BR-172.
    #[test]
    fn files_of_the_home_and_of_the_project_differ() {
        let (cursor, copilot) = (row(&CURSOR, "claude"), row(&COPILOT, "claude"));
        assert!(cursor.has_file("~/.claude/settings.json"));
        assert!(copilot.has_file(".claude/settings.json"));
        assert!(!copilot.has_file("~/.claude/settings.json"));
    }

    /// VS-2.
    #[test]
    fn vs_code_ignores_matchers_of_claude_code() {
        let vscode = AGENTS.iter().find(|agent| agent.name == "vscode").expect("an agent");
        let row = row(vscode, "claude");
        assert_eq!((row.events.len(), row.ignores_matchers), (8, true));
    }

    /// BR-172: each row names an agent with a dialect.
    #[test]
    fn owners_are_known() {
        for row in AGENTS.iter().flat_map(|agent| agent.reads) {
            assert!(crate::dialect::DialectId::from_name(row.owner).is_some(), "{}", row.owner);
        }
    }
}
