//! Where the demo's files are: in the repository when it is played there, else in copies of what was built in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::problem::Problem;

/// Every file of `examples/` that the demo needs.
const FILES: &[(&str, &str)] = &[
    (".claude/settings.json", include_str!("../../../../../examples/.claude/settings.json")),
    ("tenterhook.toml", include_str!("../../../../../examples/tenterhook.toml")),
    (SESSION, include_str!("../../../../../examples/demo/session.jsonl")),
    ("hooks/no-force-push.sh", include_str!("../../../../../examples/hooks/no-force-push.sh")),
    (
        "hooks/no-recursive-delete.sh",
        include_str!("../../../../../examples/hooks/no-recursive-delete.sh"),
    ),
    ("hooks/protect-secrets.sh", include_str!("../../../../../examples/hooks/protect-secrets.sh")),
    ("hooks/session-context.sh", include_str!("../../../../../examples/hooks/session-context.sh")),
    (
        "hooks/tests-before-stop.sh",
        include_str!("../../../../../examples/hooks/tests-before-stop.sh"),
    ),
    ("hooks/whitespace-note.sh", include_str!("../../../../../examples/hooks/whitespace-note.sh")),
];

/// The recorded session.
pub(super) const SESSION: &str = "demo/session.jsonl";
/// The hook files, in the order in which they are loaded.
pub(super) const CONFIGS: [&str; 2] = ["tenterhook.toml", ".claude/settings.json"];

/// A directory with the demo's files.
#[derive(Debug)]
pub(super) struct Stage {
    /// Where they are.
    pub(super) root: PathBuf,
    /// What they are called on the screen.
    pub(super) name: String,
    /// Copies live as long as this.
    _copies: Option<TempDir>,
}

impl Stage {
    /// The directory that the caller names; else the repository's, when the caller stands in it; else copies.
    ///
    /// The path of the repository is fixed when the program is built. Elsewhere, whatever lies there is not the
    /// repository's, so nothing is run from it unless the caller is there.
    pub(super) fn find(named: Option<&Path>, cwd: &Path) -> Result<Self, Problem> {
        if let Some(root) = named {
            let name = root.display().to_string();
            return Ok(Self { root: cwd.join(root), name, _copies: None });
        }
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let here = repository.filter(|it| cwd.starts_with(it)).map(|it| it.join("examples"));
        match here.filter(|it| it.join(SESSION).is_file()) {
            Some(root) => Ok(Self { root, name: "examples/".to_owned(), _copies: None }),
            None => Self::copied().map_err(|error| {
                Problem::new(format!("the built-in examples cannot be written: {error}"))
            }),
        }
    }

    fn copied() -> io::Result<Self> {
        let copies = tempfile::Builder::new().prefix("tenterhook-demo-").tempdir()?;
        for (name, text) in FILES {
            let path = copies.path().join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, text)?;
            make_executable(&path)?;
        }
        let root = copies.path().to_owned();
        Ok(Self { root, name: "the built-in examples".to_owned(), _copies: Some(copies) })
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_hook_is_built_in() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut known: Vec<_> =
            FILES.iter().filter_map(|(it, _)| it.strip_prefix("hooks/")).collect();
        known.sort_unstable();
        let mut there: Vec<_> = fs::read_dir(examples.join("hooks"))
            .expect("the hooks")
            .map(|it| it.expect("an entry").file_name().into_string().expect("a name"))
            // The demo needs `sh` and nothing else.
            .filter(|name| name.ends_with(".sh"))
            .collect();
        there.sort_unstable();
        assert_eq!(known, there);
    }

    #[test]
    fn copies_vanish_with_the_stage() {
        let stage = Stage::find(None, Path::new("/")).expect("copies");
        assert!(stage.root.join(SESSION).is_file());
        let root = stage.root.clone();
        drop(stage);
        assert!(!root.exists());
    }
}
