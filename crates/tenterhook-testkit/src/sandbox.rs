//! The sandbox of a test: a home, project and environment that no other test and no user shares.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Where `sh`, `cat` and `sleep` are on every Unix; scripted programs need no more.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A temporary home and project. Both are removed when it is dropped.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    /// A new, empty one.
    ///
    /// # Errors
    ///
    /// When the directories cannot be made.
    pub fn new() -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("tenterhook-").tempdir()?;
        let sandbox = Self { root };
        for directory in [sandbox.home(), sandbox.project(), sandbox.scripts()] {
            std::fs::create_dir(directory)?;
        }
        Ok(sandbox)
    }

    /// The home of its user.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The project in which its agent works.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Where scripted programs and their marks lie.
    #[must_use]
    pub fn scripts(&self) -> PathBuf {
        self.root.path().join("scripts")
    }

    /// The whole environment of what runs here; nothing of the test's own passes.
    #[must_use]
    pub fn env(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        vec![
            ("HOME".to_owned(), text(&self.home())),
            ("PATH".to_owned(), PATH.to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TMPDIR".to_owned(), text(self.root.path())),
        ]
    }

    /// Writes a file, and the directories above it. `~/` stands for the home; every other relative path is the project's.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = match name.strip_prefix("~/") {
            Some(rest) => self.home().join(rest),
            None => self.project().join(name),
        };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_home_or_into_the_project_and_vanish() {
        let sandbox = Sandbox::new().unwrap();
        let home = sandbox.write("~/.claude/settings.json", "{}").unwrap();
        let project = sandbox.write(".claude/settings.json", "{}").unwrap();
        assert!(home.starts_with(sandbox.home()));
        assert!(project.starts_with(sandbox.project()));
        drop(sandbox);
        assert!(!home.exists() && !project.exists());
    }
}
