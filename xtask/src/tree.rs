//! The files of the repository, as git knows them: tracked ones, and new ones that it does not ignore.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

/// One file that is text.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

impl File {
    /// Whether it is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is a file of tests alone.
    pub(crate) fn is_test(&self) -> bool {
        let stem = self.path.rsplit('/').next().unwrap_or_default();
        stem == "tests.rs" || self.path.contains("/tests/") || self.path.contains("/fakehook/")
    }

    /// The part that ships: everything before the tests inside the file; nothing of a file of tests.
    pub(crate) fn source(&self) -> &str {
        if self.is_test() {
            return "";
        }
        let end = self.text.find("#[cfg(test)]\nmod tests {");
        end.and_then(|at| self.text.get(..at)).unwrap_or(&self.text)
    }

    /// The part that tests.
    pub(crate) fn tests(&self) -> &str {
        self.text.get(self.source().len()..).unwrap_or_default()
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Every text file.
pub(crate) fn files() -> Result<Vec<File>, Error> {
    let root = root();
    let output = Command::new("git")
        // The user who runs the tests may differ from the owner of the clone.
        .args(["-c", "safe.directory=*"])
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output()
        .map_err(Error::spawn("git"))?;
    if !output.status.success() {
        return Err(Error::failed("git ls-files", &output.stderr));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut names: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    // A file that is deleted but not yet committed, or that is no text, has nothing to keep tidy.
    let read = |path: &str| {
        let path_there = root.join(path);
        // The file that a link leads to is kept tidy where it lies.
        if path_there.is_symlink() {
            return None;
        }
        let text = std::fs::read_to_string(path_there).ok()?;
        Some(File { path: path.to_owned(), text })
    };
    Ok(names.into_iter().filter_map(read).collect())
}

/// The variable that says that all programs of the workspace are built and its tests were run: `.ci/run` builds everything once, and
/// cargo would build much of it anew for one package alone, whose dependencies have fewer features.
const BUILT: &str = "TENTERHOOK_BUILT";

/// Whether the caller built all programs.
#[expect(clippy::disallowed_methods, reason = "the script that runs this program sets it")]
pub(crate) fn is_built() -> bool {
    std::env::var_os(BUILT).is_some()
}

/// Builds a program of the workspace.
pub(crate) fn build(package: &str) -> Result<(), Error> {
    if is_built() { Ok(()) } else { cargo(&["build", "--quiet", "--package", package]) }
}

/// Runs cargo in the repository.
pub(crate) fn cargo(args: &[&str]) -> Result<(), Error> {
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    let status = status.map_err(Error::spawn("cargo"))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::failed(format!("cargo {}", args.join(" ")), &[]))
    }
}
