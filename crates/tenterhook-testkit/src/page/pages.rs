//! Which pages there are, and what each of them finds where it is played.

use std::io;
use std::path::{Path, PathBuf};

use super::Playground;

/// Where pages lie that show how things are done; a directory stands for every page under it.
const ROOTS: &[&str] = &[
    "README.md",
    "docs/README.md",
    "docs/guide",
    "integrations",
    "examples/README.md",
    "crates/tenterhook-cli/README.md",
];

/// Pages that are about a project with the hooks of `examples/`, an event and a file with mistakes. All others begin with nothing.
const WITH_EXAMPLES: &[&str] = &["docs/guide/cli.md", "docs/guide/hooks-you-have.md"];

const EVENT: &str = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}"#;
const MISTAKES: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash(git *)", "hooks": [{ "type": "command", "command": "true" }] }
    ],
    "sessionstart": []
  }
}
"#;

/// Every page under the root of the repository, by its name from there, in order.
#[must_use]
pub fn pages(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in ROOTS {
        walk(root, Path::new(name), &mut found);
    }
    found
}

fn walk(root: &Path, name: &Path, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(root.join(name)) else {
        found.push(name.to_string_lossy().into_owned());
        return;
    };
    let mut below: Vec<PathBuf> =
        entries.flatten().map(|entry| name.join(entry.file_name())).collect();
    below.sort();
    for name in below.iter().filter(|path| {
        root.join(path).is_dir() || path.extension().is_some_and(|extension| extension == "md")
    }) {
        walk(root, name, found);
    }
}

/// The playground in which a page is played.
///
/// # Errors
///
/// When it cannot be made.
pub fn playground(
    root: &Path,
    page: &str,
    programs: &Path,
    has: &[&str],
) -> io::Result<Playground> {
    let playground = Playground::new(programs, has)?;
    if WITH_EXAMPLES.contains(&page) {
        copy(&root.join("examples"), &playground.project())?;
        playground.write("event.json", EVENT)?;
        playground.write("mistakes.json", MISTAKES)?;
    }
    Ok(playground)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
