//! A directory of one process's own for passing files: made before it, removed after it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::discover::System;

/// Tells the directories of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A directory that is removed, with all in it, when this is dropped.
#[derive(Debug)]
pub(in crate::executor) struct Room(PathBuf);

impl Room {
    pub(super) fn create(scratch: &Path) -> io::Result<Self> {
        let name = format!("tmp-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Without links, which nobody follows to it any more: a directory that is swapped for one leads nowhere.
        let path = scratch.canonicalize()?.join(name);
        System::HERE.private_directories()?.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// How long the answer of whoever filled it waits for its removal.
const REMOVAL_WAIT: Duration = Duration::from_millis(250);

/// How long it goes on behind the answer: something that is left may fill it anew as fast as it is emptied.
const REMOVAL_TIME: Duration = Duration::from_secs(60);

impl Drop for Room {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.0);
        let removed = remove(&path, Some(Instant::now() + REMOVAL_WAIT));
        if removed.is_ok_and(|all| all) {
            return;
        }
        // What was filled on purpose holds up nobody. Where there is no thread, or the host ends before it, what is left stays.
        let later = std::thread::Builder::new().name("hook-remove".into());
        let _ = later.spawn(move || remove(&path, Some(Instant::now() + REMOVAL_TIME)));
    }
}

#[cfg(unix)]
use tenterhook_process::remove_tree as remove;

#[cfg(not(unix))]
fn remove(path: &Path, _: Option<Instant>) -> io::Result<bool> {
    std::fs::remove_dir_all(path).map(|()| true)
}
