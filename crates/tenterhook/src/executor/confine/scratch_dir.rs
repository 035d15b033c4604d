//! The scratch directory of one process: created before it, removed after it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::discover::System;

/// Distinguishes the directories of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A directory that is removed, with its content, when this is dropped.
#[derive(Debug)]
pub(in crate::executor) struct ScratchDir(PathBuf);

impl ScratchDir {
    pub(super) fn create(scratch: &Path) -> io::Result<Self> {
        let name = format!("tmp-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Without links: a link that later takes the directory's place is not followed.
        let path = scratch.canonicalize()?.join(name);
        System::HERE.private_dir_builder()?.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// How long the removal may delay the answer of the process that filled the directory.
const REMOVAL_WAIT: Duration = Duration::from_millis(250);

/// How long the removal goes on after the answer: a leftover process may fill the directory as fast
/// as it is emptied.
const REMOVAL_TIME: Duration = Duration::from_secs(60);

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.0);
        let removed = remove_directory_tree(&path, Some(Instant::now() + REMOVAL_WAIT));
        if removed.is_ok_and(|all| all) {
            return;
        }
        // A directory that was filled on purpose delays no event. Without a thread, or if the host
        // exits first, its files stay.
        let later = std::thread::Builder::new().name("hook-remove".into());
        let _ =
            later.spawn(move || remove_directory_tree(&path, Some(Instant::now() + REMOVAL_TIME)));
    }
}

#[cfg(unix)]
use tenterhook_process::internal::remove_tree as remove_directory_tree;

#[cfg(not(unix))]
fn remove_directory_tree(path: &Path, _: Option<Instant>) -> io::Result<bool> {
    std::fs::remove_dir_all(path).map(|()| true)
}
