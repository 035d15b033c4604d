//! The directory of one run for what hooks write and what is too long for an outcome. Knows no file in it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenterhook::internal::discover;
use tenterhook::internal::executor::{create_scratch_root, scratch_prefix};

use crate::show::paint::WARNING;
use crate::term::Term;

/// How long a run that is over waits for the removal of its files.
#[cfg(unix)]
const IN_TIME: Duration = Duration::from_millis(500);

/// A private directory.
///
/// It is removed at the end of the run, unless it contains files: then an outcome names one of them, and the receiver of the
/// outcome will want to read it.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: Option<TempDir>,
}

/// The place of a directory that is made only where a hook may write into it: most calls have none.
#[derive(Debug)]
pub(crate) struct ScratchPath {
    path: PathBuf,
    /// Why it is not where no hook reaches it.
    doubt: Option<std::io::Error>,
}

impl ScratchPath {
    /// Chooses an unguessable unused path below `state`.
    pub(crate) fn new(state: &Path) -> Self {
        let number = RandomState::new().build_hasher().finish();
        let (all, doubt) = create_parent_or_use_temp(state);
        Self { path: all.join(format!("{}{number:016x}", scratch_prefix())), doubt }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the directory; an existing one is not reused.
    pub(crate) fn create(self, term: Term) -> Scratch {
        warn_of_shared_directory(self.doubt, term);
        let name = self.path.file_name().unwrap_or_default();
        let directory = self.path.parent().unwrap_or(&self.path);
        let made = tempfile::Builder::new().rand_bytes(0).prefix(name).tempdir_in(directory);
        Scratch::or_warn_and_do_without(made.and_then(Scratch::make_private), term)
    }
}

/// Returns the directory for scratch directories. If it cannot be created, returns the system's
/// temporary directory, and the error.
fn create_parent_or_use_temp(state: &Path) -> (PathBuf, Option<std::io::Error>) {
    match create_scratch_root(state) {
        Ok(all) => (all, None),
        // A home that does not exist is reported once for all that is not kept (BR-43).
        Err(_) if discover::missing_home_above(state).is_some() => (std::env::temp_dir(), None),
        Err(error) => (std::env::temp_dir(), Some(error)),
    }
}

fn warn_of_shared_directory(doubt: Option<std::io::Error>, term: Term) {
    let Some(error) = doubt else { return };
    let text = format!(
        "the files of hooks lie in `{}`, where a hook that may write there reaches those of others: no directory of state can be used ({error})",
        std::env::temp_dir().display()
    );
    term.print_labelled_note(WARNING, "warning:", &text);
}

impl Scratch {
    /// No directory at all.
    pub(crate) const NONE: Self = Self { directory: None };

    /// Creates a scratch directory. If that fails, warns about what hooks lack, and continues
    /// without one.
    pub(crate) fn create_or_warn(state: &Path, term: Term) -> Self {
        let (all, doubt) = create_parent_or_use_temp(state);
        warn_of_shared_directory(doubt, term);
        Self::or_warn_and_do_without(Self::create_in(&all), term)
    }

    fn or_warn_and_do_without(made: std::io::Result<Self>, term: Term) -> Self {
        made.unwrap_or_else(|error| {
            let text = format!(
                "no temporary directory can be made ({error}), so that hooks can set no variables; set `TMPDIR` to one \
                 that can be written"
            );
            term.print_labelled_note(WARNING, "warning:", &text);
            Self { directory: None }
        })
    }

    fn create_in(all: &Path) -> std::io::Result<Self> {
        Self::make_private(tempfile::Builder::new().prefix(&scratch_prefix()).tempdir_in(all)?)
    }

    fn make_private(directory: TempDir) -> std::io::Result<Self> {
        // A mask that takes the owner's own rights away, too, was not meant for this.
        #[cfg(unix)]
        std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o700))?;
        Ok(Self { directory: Some(directory) })
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.directory.as_ref().map(TempDir::path)
    }

    /// Removes the directory with its content, as far as a time limit allows. Call it only if no
    /// outcome names a file in it.
    pub(crate) fn discard(mut self) {
        let Some(directory) = self.directory.take() else { return };
        // A hook filled it as it liked. What takes longer than this stays.
        #[cfg(unix)]
        let _ = tenterhook_process::internal::remove_tree(
            &directory.keep(),
            Some(Instant::now() + IN_TIME),
        );
        #[cfg(not(unix))]
        drop(directory);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(directory) = self.directory.take() else { return };
        let used =
            std::fs::read_dir(directory.path()).is_ok_and(|mut entries| entries.next().is_some());
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
        let state = tempfile::tempdir().expect("a directory");
        let scratch = Scratch::create_in(state.path()).expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        drop(scratch);
        assert!(!path.exists());

        let scratch = Scratch::create_in(state.path()).expect("a directory");
        let path = scratch.path().expect("a path").to_owned();
        std::fs::write(path.join("long.txt"), "text").expect("write");
        drop(scratch);
        assert!(path.join("long.txt").exists());
        std::fs::remove_dir_all(path).expect("remove");
    }
}
