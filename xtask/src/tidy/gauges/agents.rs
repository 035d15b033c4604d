//! Finds what an agent's value in `tenterhook_core::agents` states as a string literal elsewhere: an agent is one folder. Reads no
//! file.

use std::collections::BTreeSet;

use regex::Regex;
use tenterhook_core::agents::AGENTS;

use crate::tree::File;

/// Where the facts of agents stand: their folders, what several dialects share, and the texts in the shape of Claude Code's files.
const HOME: &[&str] =
    &["crates/tenterhook-core/src/agents", "crates/tenterhook-core/src/dialect/kit"];

/// Other paths that may name them, which literals (all if the list is empty), and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("e2e/", &[], "tests"),
    ("benches/", &[], "measurements"),
    ("fuzz/", &[], "fuzz targets"),
    ("examples/", &[], "examples"),
    ("xtask/", &[], "chores"),
    ("crates/tenterhook/examples/", &[], "examples"),
    ("crates/tenterhook-cli/src/command/demo/files.rs", &[], "built-in files of `examples/`"),
    ("crates/tenterhook-testkit/src/case.rs", &[], "the format of conformance cases"),
    ("crates/tenterhook-core/src/hook/named.rs", &[], "the one row of Rust that a new agent adds"),
    ("crates/tenterhook/src/executor/model/services.rs", &[], "names of models, not of agents"),
    ("crates/tenterhook-probe/src/agent/", &["COPILOT_ALLOW_ALL", "GOOSE_MODE"], "start lines"),
    ("crates/tenterhook-core/src/call/files/used.rs", &["cursor"], "the program of an editor"),
    ("crates/tenterhook/src/executor/mcp/offer.rs", &["cursor"], "a field of MCP"),
    ("crates/tenterhook-cli/src/sessions.rs", &["opencode"], "a feature of Cargo"),
];

/// The names, programs, packages, files and variables of all agents.
pub(super) struct AgentNames {
    literal: Regex,
    names: BTreeSet<&'static str>,
}

impl AgentNames {
    pub(super) fn new() -> Result<Self, regex::Error> {
        let mut names = BTreeSet::new();
        for agent in AGENTS.iter().filter(|agent| agent.name != "tenterhook") {
            names.extend([agent.name, agent.title]);
            let tables =
                [agent.programs, agent.packages, agent.guarded.files, agent.guarded.variables];
            names.extend(tables.into_iter().flatten());
        }
        // The first belong to the system and lead to the files of many programs; the other is a word of the trade, and Cursor's program.
        names.retain(|name| !name.starts_with("XDG_") && *name != "agent");
        Ok(Self { literal: Regex::new(r#""([^"\\\n]+)""#)?, names })
    }

    /// Offset and text of each such literal in the part of a file that ships.
    pub(super) fn find<'f>(&self, file: &'f File) -> Vec<(usize, &'f str)> {
        if HOME.iter().any(|start| file.path.starts_with(start)) {
            return Vec::new();
        }
        let is_excepted = |text: &str| {
            EXCEPTIONS.iter().any(|(path, literals, _)| {
                file.path.starts_with(path) && (literals.is_empty() || literals.contains(&text))
            })
        };
        let literals = self.literal.captures_iter(file.source());
        let texts = literals.filter_map(|captures| captures.get(1));
        let named =
            texts.filter(|text| self.names.contains(text.as_str()) && !is_excepted(text.as_str()));
        named.map(|text| (text.start(), text.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_an_agent_outside_its_folder_is_found() {
        let file = |path: &str| File {
            path: path.to_owned(),
            text: "const A: &[&str] = &[\"qwen\", \"QWEN_HOME\", \"a qwen\"];\n".to_owned(),
        };
        let names = AgentNames::new().expect("a pattern");
        let outside = file("crates/tenterhook-cli/src/a.rs");
        let found = names.find(&outside);
        assert!(found.iter().any(|(_, text)| *text == "qwen"), "{found:?}");
        assert!(!found.iter().any(|(_, text)| *text == "a qwen"), "{found:?}");
        assert_eq!(names.find(&file("e2e/src/a.rs")), []);
        // An exception covers one literal only.
        assert_ne!(names.find(&file("crates/tenterhook-cli/src/sessions.rs")), []);
        assert_eq!(names.find(&file("crates/tenterhook-core/src/agents/qwen.rs")), []);
    }
}
