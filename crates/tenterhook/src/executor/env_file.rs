//! The file into which a hook may write variables for the session: created before its run, read and
//! removed after it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Task;
use crate::discover;

/// How much of an env file is read: a thousand times what a list of variables needs.
const CAP: u64 = 1 << 20;

/// Distinguishes the files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An env file that exists as long as its hook runs; dropping it removes it.
#[derive(Debug)]
pub(super) struct EnvFile {
    variable: &'static str,
    path: PathBuf,
}

impl EnvFile {
    /// Creates the file that the task's envelope names. `None` if it names none or the host has no
    /// scratch directory.
    pub(super) fn create(task: &Task) -> io::Result<Option<Self>> {
        let (Some(variable), Some(scratch)) = (task.envelope.env_file, &task.ambient.scratch)
        else {
            return Ok(None);
        };
        let name = format!("env-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Without links: its path is granted as it is.
        let path = scratch.canonicalize()?.join(name);
        let mut options = std::fs::OpenOptions::new();
        // It may come to hold credentials.
        let made = discover::set_owner_only_create_mode(options.write(true).create_new(true))?
            .open(&path)?;
        // The hook must be able to write it, whatever the host's umask.
        #[cfg(unix)]
        made.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        drop(made);
        Ok(Some(Self { variable, path }))
    }

    /// Returns the name of the variable that tells the hook the path of the file.
    pub(super) const fn variable_name(&self) -> &'static str {
        self.variable
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The variables that the hook wrote, up to a mebibyte. `None` if the file is gone, not regular
    /// or not text: a hook may put a FIFO there.
    pub(super) fn read_variables(self) -> Option<String> {
        let (file, _) = discover::open(&self.path).ok()?;
        let mut text = String::new();
        io::Read::read_to_string(&mut io::Read::take(file, CAP), &mut text).ok()?;
        (!text.is_empty()).then_some(text)
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        // The hook may have removed it; then nothing is left to do.
        let _ = std::fs::remove_file(&self.path);
    }
}
