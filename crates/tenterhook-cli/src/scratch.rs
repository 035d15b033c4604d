//! The directory of one run for what hooks write and what is too long for an outcome. Knows no file in it.

use std::path::Path;

use tempfile::TempDir;

use crate::problem::Problem;

/// A private directory.
///
/// It goes with the run, unless something lies in it at the end: then an outcome names a file there, and whoever got the
/// outcome will want to read it.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: Option<TempDir>,
}

impl Scratch {
    pub(crate) fn new() -> Result<Self, Problem> {
        let made = tempfile::Builder::new().prefix("tenterhook-").tempdir();
        let directory = made.map_err(|error| {
            Problem::new(format!("no temporary directory can be made: {error}"))
                .help("set `TMPDIR` to a directory that can be written")
        })?;
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
        let scratch = Scratch::new().expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        drop(scratch);
        assert!(!path.exists());

        let scratch = Scratch::new().expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        std::fs::write(path.join("long.txt"), "text").expect("write");
        drop(scratch);
        assert!(path.join("long.txt").exists());
        std::fs::remove_dir_all(path).expect("remove");
    }
}
