//! The directory of one run for what hooks write and what is too long for an outcome. Knows no file in it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::show::paint::WARNING;
use crate::term::Term;

/// A private directory.
///
/// It goes with the run, unless something lies in it at the end: then an outcome names a file there, and whoever got the
/// outcome will want to read it.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: Option<TempDir>,
}

/// The place of a directory that is made only where a hook may write into it: most calls have none.
#[derive(Debug)]
pub(crate) struct Place(PathBuf);

impl Place {
    /// A name that nobody else has or can guess.
    pub(crate) fn new() -> Self {
        let number = RandomState::new().build_hasher().finish();
        Self(std::env::temp_dir().join(format!("tenterhook-{number:016x}")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes it; what stands there already is not taken.
    pub(crate) fn make(self, term: Term) -> Scratch {
        let name = self.0.file_name().unwrap_or_default();
        let made = tempfile::Builder::new().rand_bytes(0).prefix(name).tempdir();
        Scratch::told(made.and_then(Scratch::private), term)
    }
}

impl Scratch {
    /// No directory at all.
    pub(crate) const NONE: Self = Self { directory: None };

    /// Makes one; a run without any still asks its hooks, and tells people what they lack.
    pub(crate) fn or_none(term: Term) -> Self {
        Self::told(Self::make(), term)
    }

    fn told(made: std::io::Result<Self>, term: Term) -> Self {
        made.unwrap_or_else(|error| {
            let text = format!(
                "no temporary directory can be made ({error}), so that hooks can set no variables; set `TMPDIR` to one \
                 that can be written"
            );
            term.say_after(WARNING, "warning:", &text);
            Self { directory: None }
        })
    }

    fn make() -> std::io::Result<Self> {
        Self::private(tempfile::Builder::new().prefix("tenterhook-").tempdir()?)
    }

    fn private(directory: TempDir) -> std::io::Result<Self> {
        // A mask that takes the owner's own rights away, too, was not meant for this.
        #[cfg(unix)]
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o700))?;
        Ok(Self { directory: Some(directory) })
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.directory.as_ref().map(TempDir::path)
    }

    /// Removes it with all that is in it: nobody got an outcome.
    pub(crate) fn discard(mut self) {
        drop(self.directory.take());
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(directory) = self.directory.take() else { return };
        let used = std::fs::read_dir(directory.path()).is_ok_and(|mut it| it.next().is_some());
        if used {
            // What it is called is in the outcome.
            let _ = directory.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_only_with_something_in_it() {
        let scratch = Scratch::make().expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        drop(scratch);
        assert!(!path.exists());

        let scratch = Scratch::make().expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        std::fs::write(path.join("long.txt"), "text").expect("write");
        drop(scratch);
        assert!(path.join("long.txt").exists());
        std::fs::remove_dir_all(path).expect("remove");
    }
}
