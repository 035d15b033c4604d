//! A directory of one process's own for passing files: made before it, removed after it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells the directories of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A directory that is removed, with all in it, when this is dropped.
#[derive(Debug)]
pub(in crate::executor) struct Room(PathBuf);

impl Room {
    pub(super) fn create(scratch: &Path) -> io::Result<Self> {
        let name = format!("tmp-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = scratch.join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // The hook may have removed it; then there is nothing left to do.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
