//! The files that tell an agent how to work in a project: `AGENTS.md` and `CLAUDE.md`, the user's, the project's, those of
//! directories that it comes into, the rules for files that it comes to, and what they include. Finds and reads them; whether
//! the model is shown one is decided elsewhere.

mod rules;

use std::io;
use std::path::{Path, PathBuf};

use crate::file::{self, Judged};

/// What such a file is called.
const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];
/// How much of one is read.
const LONGEST: u64 = 64 << 10;
/// How deep files include each other.
pub(crate) const DEEPEST: usize = 5;

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instructions {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it says.
    pub(crate) text: String,
    /// Whose it is: a word that hooks know.
    pub(crate) memory: &'static str,
    /// Why it was read: the matcher subject of `InstructionsLoaded`.
    pub(crate) reason: &'static str,
    /// The file that includes it.
    pub(crate) parent: Option<PathBuf>,
}

/// A file that may be one of them, if it is there and may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Where it would be.
    pub(crate) path: PathBuf,
    /// As in [`Instructions`].
    pub(crate) memory: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) parent: Option<PathBuf>,
}

/// Whose the user's own files are: they lie where only the user puts something.
pub(crate) const USER: &str = "User";

impl Instructions {
    /// Returns the text for the model.
    pub(crate) fn text_for_model(&self) -> String {
        format!("From `{}`:\n{}", self.path.display(), self.text)
    }
}

/// Returns the files that apply from the start: the user's, then those from the repository's root
/// down to `cwd`.
pub(crate) fn start_instruction_files(
    home: &Path,
    root: &Path,
    cwd: &Path,
    reason: &'static str,
) -> Vec<Wanted> {
    let wanted = |path: PathBuf, memory| Wanted { path, memory, reason, parent: None };
    let mut found = vec![wanted(home.join(".claude/CLAUDE.md"), USER)];
    let mut directories: Vec<_> =
        cwd.ancestors().take_while(|ancestor| ancestor.starts_with(root)).collect();
    directories.reverse();
    for directory in directories {
        found.extend(instruction_files_in(directory, reason));
        let rules =
            rules::rules_in_directory(directory).into_iter().filter(|rule| rule.paths.is_empty());
        found.extend(rules.map(|rule| wanted(rule.path, "Project")));
    }
    found
}

/// Returns the instruction files of the directories between `project` and a file that the agent
/// used, and the rules that are about the file.
pub(crate) fn instruction_files_for_file(project: &Path, file: &Path) -> Vec<Wanted> {
    let below = file
        .ancestors()
        .skip(1)
        .take_while(|ancestor| *ancestor != project && ancestor.starts_with(project));
    let mut directories: Vec<_> = below.collect();
    directories.reverse();
    let nested =
        directories.into_iter().flat_map(|path| instruction_files_in(path, "nested_traversal"));
    let rules = rules::rules_in_directory(project)
        .into_iter()
        .filter(|rule| rule.is_about_file(project, file));
    let rules = rules.map(|rule| Wanted {
        path: rule.path,
        memory: "Project",
        reason: "path_glob_match",
        parent: None,
    });
    nested.chain(rules).collect()
}

fn instruction_files_in(
    directory: &Path,
    reason: &'static str,
) -> impl Iterator<Item = Wanted> + use<> {
    let directory = directory.to_owned();
    NAMES.iter().map(move |name| Wanted {
        path: directory.join(name),
        memory: if name.contains(".local.") { "Local" } else { "Project" },
        reason,
        parent: None,
    })
}

impl Wanted {
    /// Reads the instructions, if the path still leads to the file that was judged.
    pub(crate) fn read_judged(self, judged: &Judged) -> io::Result<Instructions> {
        let (text, _) = file::read_text_of_open(judged.open()?, LONGEST)?;
        let Self { path, memory, reason, parent } = self;
        Ok(Instructions { path, text, memory, reason, parent })
    }
}

impl Instructions {
    /// Returns the files that these instructions include.
    pub(crate) fn included_files(&self) -> Vec<Wanted> {
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        let wanted = |name: &str| Wanted {
            path: directory.join(name),
            memory: self.memory,
            reason: "include",
            parent: Some(self.path.clone()),
        };
        included_paths(&self.text).map(wanted).collect()
    }
}

/// Returns the paths in lines such as `@docs/style.md`.
fn included_paths(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim).filter_map(|line| line.strip_prefix('@'));
    lines.filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_testkit::Sandbox;

    #[test]
    fn files_are_looked_for_from_the_root_down() {
        let room = Sandbox::new().unwrap();
        let project = room.project();
        room.write("AGENTS.md", "top\n@docs/style.md\n @AGENTS.md\n@ no\n@a b").unwrap();
        room.write(".claude/rules/sql.md", "---\npaths:\n  - \"db/**/*.sql\"\n---\nquote").unwrap();
        room.write(".claude/rules/all.md", "tidy up").unwrap();
        let names = |all: Vec<Wanted>| {
            let name = |wanted: &Wanted| {
                let path = wanted.path.strip_prefix(&project).unwrap_or(&wanted.path);
                (path.display().to_string(), wanted.reason)
            };
            all.iter().map(name).filter(|(name, _)| !name.contains("local")).collect::<Vec<_>>()
        };
        let start = start_instruction_files(&room.home(), &project, &project, "session_start");
        assert_eq!(start[0].memory, USER);
        let start: Vec<_> = names(start).into_iter().skip(1).map(|(name, _)| name).collect();
        assert_eq!(start, ["AGENTS.md", "CLAUDE.md", ".claude/rules/all.md"]);
        let met = |file: &str| names(instruction_files_for_file(&project, &project.join(file)));
        assert!(met("a.rs").is_empty() && met("b.sql").is_empty());
        let nested = |name: &str| (name.to_owned(), "nested_traversal");
        let sql = (".claude/rules/sql.md".to_owned(), "path_glob_match");
        assert_eq!(met("db/a.sql"), [nested("db/AGENTS.md"), nested("db/CLAUDE.md"), sql]);
        let wanted = Wanted {
            path: project.join("AGENTS.md"),
            memory: "Project",
            reason: "session_start",
            parent: None,
        };
        let judged = Judged::resolve(&wanted.path).unwrap();
        let includes = wanted.read_judged(&judged).unwrap().included_files();
        assert_eq!(
            names(includes),
            [("docs/style.md".to_owned(), "include"), ("AGENTS.md".to_owned(), "include")]
        );
    }
}
