//! The files that tell an agent how to work in a project: `AGENTS.md` and `CLAUDE.md`, the user's, the project's, those of
//! directories that it comes into, the rules for files that it comes to, and what they include. Finds and reads them; tells
//! nobody.

mod rules;

use std::path::{Path, PathBuf};

use crate::file;

/// What such a file is called.
const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];
/// How much of one is read.
const LONGEST: u64 = 64 << 10;
/// How deep files include each other.
const DEEPEST: usize = 5;

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

/// The files that hold from the start: the user's, then those from the repository's root down to `cwd`.
pub(crate) fn at_start(
    home: &Path,
    root: &Path,
    cwd: &Path,
    reason: &'static str,
) -> Vec<Instructions> {
    let mut found = Vec::new();
    read(&home.join(".claude/CLAUDE.md"), "User", reason, &mut found);
    let mut directories: Vec<_> = cwd.ancestors().take_while(|it| it.starts_with(root)).collect();
    directories.reverse();
    for directory in directories {
        in_directory(directory, reason, &mut found);
        for rule in rules::of(directory).into_iter().filter(|it| it.paths.is_empty()) {
            read(&rule.path, "Project", reason, &mut found);
        }
    }
    found
}

/// The files of the directories between `project` and the file that the agent came to, less those that it knows.
pub(crate) fn on_the_way(project: &Path, file: &Path, known: &[PathBuf]) -> Vec<Instructions> {
    let mut found = Vec::new();
    let below = file.ancestors().skip(1).take_while(|it| *it != project && it.starts_with(project));
    let mut directories: Vec<_> = below.collect();
    directories.reverse();
    for directory in directories {
        in_directory(directory, "nested_traversal", &mut found);
    }
    for rule in rules::of(project).into_iter().filter(|it| it.is_about(project, file)) {
        read(&rule.path, "Project", "path_glob_match", &mut found);
    }
    found.retain(|it| !known.contains(&it.path));
    found
}

fn in_directory(directory: &Path, reason: &'static str, found: &mut Vec<Instructions>) {
    for name in NAMES {
        let memory = if name.contains(".local.") { "Local" } else { "Project" };
        read(&directory.join(name), memory, reason, found);
    }
}

/// Reads a file and what it includes, each once.
fn read(path: &Path, memory: &'static str, reason: &'static str, found: &mut Vec<Instructions>) {
    let first = found.len();
    take(path, memory, reason, None, found);
    let mut next = first;
    let mut depth = 0;
    while next < found.len() && depth < DEEPEST {
        depth += 1;
        let layer: Vec<_> = found.iter().skip(next).cloned().collect();
        next = found.len();
        for it in layer {
            let directory = it.path.parent().unwrap_or(Path::new("/"));
            for name in included(&it.text) {
                take(&directory.join(name), memory, "include", Some(it.path.clone()), found);
            }
        }
    }
}

fn take(
    path: &Path,
    memory: &'static str,
    reason: &'static str,
    parent: Option<PathBuf>,
    found: &mut Vec<Instructions>,
) {
    if found.iter().any(|it| it.path == path) {
        return;
    }
    let Ok((text, _)) = file::text(path, LONGEST) else { return };
    found.push(Instructions { path: path.to_owned(), text, memory, reason, parent });
}

/// The files that lines such as `@docs/style.md` name.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim).filter_map(|line| line.strip_prefix('@'));
    lines.filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_testkit::Sandbox;

    #[test]
    fn files_are_found_from_the_root_down_with_what_they_include() {
        let room = Sandbox::new().unwrap();
        room.write("~/.claude/CLAUDE.md", "user").unwrap();
        room.write("AGENTS.md", "top\n@docs/style.md\n @AGENTS.md").unwrap();
        room.write("docs/style.md", "style").unwrap();
        room.write("a/b/CLAUDE.md", "deep").unwrap();
        let project = room.project();
        let found = at_start(&room.home(), &project, &project, "session_start");
        let told: Vec<_> =
            found.iter().map(|it| (it.text.lines().next().unwrap(), it.reason)).collect();
        assert_eq!(
            told,
            [("user", "session_start"), ("top", "session_start"), ("style", "include")]
        );
        let known: Vec<_> = found.into_iter().map(|it| it.path).collect();
        let met = on_the_way(&project, &project.join("a/b/c.rs"), &known);
        assert_eq!(met.len(), 1);
        assert_eq!(met[0].reason, "nested_traversal");
        assert!(on_the_way(&project, &project.join("a.rs"), &known).is_empty());
        room.write(".claude/rules/sql.md", "---\npaths:\n  - \"db/**/*.sql\"\n---\nquote").unwrap();
        room.write(".claude/rules/all.md", "tidy up").unwrap();
        let met = on_the_way(&project, &project.join("db/a/b.sql"), &known);
        assert_eq!(met.len(), 1);
        assert_eq!((met[0].reason, met[0].path.ends_with("sql.md")), ("path_glob_match", true));
        assert!(on_the_way(&project, &project.join("b.sql"), &known).is_empty());
        let now = at_start(&room.home(), &project, &project, "session_start");
        assert!(now.iter().any(|it| it.text == "tidy up"));
    }
}
