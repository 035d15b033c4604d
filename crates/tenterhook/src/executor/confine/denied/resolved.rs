//! Decides which access to a path a confined program was refused. Resolves each path of its
//! confinement once. Writes no message.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::super::Confined;

/// Suffixes and prefixes of temporary names that a file has before it replaces its target.
const PASSING_ENDS: &[&str] = &[".lock", ".tmp", ".temp", ".swp", "~"];
const PASSING_BEGINNINGS: &[&str] = &["sed", "tmp", ".tmp", ".#"];

/// The access to a path that a program was refused.
#[derive(Clone, Copy)]
pub(in crate::executor::confine) enum Refused {
    Never,
    Make,
    Passing,
    Write,
    Read,
}

pub(super) struct Resolved<'c> {
    confined: &'c Confined,
    read: BTreeSet<PathBuf>,
    changed: BTreeSet<PathBuf>,
    /// Its own files, wherever they are.
    free: BTreeSet<PathBuf>,
    /// Protected paths, searched for only when needed.
    protected: OnceCell<BTreeSet<PathBuf>>,
}

impl<'c> Resolved<'c> {
    pub(super) fn new(confined: &'c Confined) -> Self {
        let process::Confinement { read, write, free, .. } = &confined.confinement;
        Self {
            confined,
            read: ends(read),
            changed: ends(write.iter().chain(free)),
            free: ends(free),
            protected: OnceCell::new(),
        }
    }

    /// Whether a path, without links, is writable.
    pub(super) fn writes(&self, path: &Path) -> bool {
        is_in(&self.changed, path)
    }

    /// Whether it is readable; writable paths are readable, too.
    pub(super) fn reads(&self, path: &Path) -> bool {
        is_in(&self.read, path) || self.writes(path)
    }

    /// The refused access to a path, if any; by its real path, as the kernel resolves it.
    pub(super) fn refused(&self, path: &Path, changes: bool) -> Option<(PathBuf, Refused)> {
        let path = process::internal::resolved(path);
        let there = nearest(&path);
        // Reading a missing file was not refused.
        let changes = changes || there != path;
        if !changes && !self.reads(&path) {
            return Some((path, Refused::Read));
        }
        // No process may read all files of a different process, whatever it is granted.
        if !changes && path.starts_with("/proc") {
            return None;
        }
        if is_in(&self.free, &path) {
            return None;
        }
        if is_in(self.protected(), &path) {
            return Some((path, Refused::Never));
        }
        let missing = path.ancestors().find(|ancestor| ancestor.parent() == Some(there));
        match missing.filter(|_| there != path && self.is_beside_protected(there)) {
            Some(missing) if is_passing(missing) => Some((missing.to_path_buf(), Refused::Passing)),
            Some(missing) => Some((missing.to_path_buf(), Refused::Make)),
            None => (!self.writes(&path)).then_some((path, Refused::Write)),
        }
    }

    /// Whether a protected path is inside a directory, or is the directory.
    fn is_beside_protected(&self, directory: &Path) -> bool {
        // Paths are sorted by their parts: those inside this directory follow it.
        let next = self.protected().range(directory.to_path_buf()..).next();
        next.is_some_and(|path| path.starts_with(directory))
    }

    fn protected(&self) -> &BTreeSet<PathBuf> {
        let Confined { protected, confinement, .. } = self.confined;
        self.protected.get_or_init(|| ends(protected.all().iter().chain(&confinement.never)))
    }
}

fn ends<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> BTreeSet<PathBuf> {
    paths.into_iter().map(|path| process::internal::resolved(path)).collect()
}

fn is_in(all: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.ancestors().any(|ancestor| all.contains(ancestor))
}

/// The longest existing part of the path: a missing file cannot be granted.
pub(super) fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok()).unwrap_or(path)
}

/// Whether a file name is temporary, so that it cannot be granted in advance: including files that
/// git puts beside its hooks.
fn is_passing(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_of_git = path.parent().is_some_and(|parent| parent.ends_with(".git"));
    is_of_git
        || PASSING_ENDS.iter().any(|passing_end| name.ends_with(passing_end))
        || PASSING_BEGINNINGS.iter().any(|passing_beginning| name.starts_with(passing_beginning))
}
