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
            read: resolve_all_links(read),
            changed: resolve_all_links(write.iter().chain(free)),
            free: resolve_all_links(free),
            protected: OnceCell::new(),
        }
    }

    /// Whether a path, without links, is writable.
    pub(super) fn is_writable(&self, path: &Path) -> bool {
        is_at_or_below_any(&self.changed, path)
    }

    /// Whether a path is readable. Writable paths are readable, too.
    pub(super) fn is_readable(&self, path: &Path) -> bool {
        is_at_or_below_any(&self.read, path) || self.is_writable(path)
    }

    /// Returns the access to a path that is refused, if any, with the real path that the kernel
    /// resolves.
    pub(super) fn refused_access(&self, path: &Path, changes: bool) -> Option<(PathBuf, Refused)> {
        let path = process::internal::resolve_path(path);
        let there = nearest_existing_ancestor(&path);
        // Reading a missing file was not refused.
        let changes = changes || there != path;
        if !changes && !self.is_readable(&path) {
            return Some((path, Refused::Read));
        }
        // No process may read all files of a different process, whatever it is granted.
        if !changes && path.starts_with("/proc") {
            return None;
        }
        if is_at_or_below_any(&self.free, &path) {
            return None;
        }
        if is_at_or_below_any(self.protected_paths(), &path) {
            return Some((path, Refused::Never));
        }
        let missing = path.ancestors().find(|ancestor| ancestor.parent() == Some(there));
        match missing.filter(|_| there != path && self.contains_protected_path(there)) {
            Some(missing) if has_temporary_name(missing) => {
                Some((missing.to_path_buf(), Refused::Passing))
            }
            Some(missing) => Some((missing.to_path_buf(), Refused::Make)),
            None => (!self.is_writable(&path)).then_some((path, Refused::Write)),
        }
    }

    /// Whether a protected path is inside a directory, or is the directory.
    fn contains_protected_path(&self, directory: &Path) -> bool {
        // Paths are sorted by their parts: those inside this directory follow it.
        let next = self.protected_paths().range(directory.to_path_buf()..).next();
        next.is_some_and(|path| path.starts_with(directory))
    }

    fn protected_paths(&self) -> &BTreeSet<PathBuf> {
        let Confined { protected, confinement, .. } = self.confined;
        self.protected
            .get_or_init(|| resolve_all_links(protected.paths().iter().chain(&confinement.never)))
    }
}

/// Returns the real paths of these paths.
fn resolve_all_links<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> BTreeSet<PathBuf> {
    paths.into_iter().map(|path| process::internal::resolve_path(path)).collect()
}

/// Whether a path is one of these paths or below one of them.
fn is_at_or_below_any(all: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.ancestors().any(|ancestor| all.contains(ancestor))
}

/// Returns the longest existing part of the path, because a missing file cannot be granted.
pub(super) fn nearest_existing_ancestor(path: &Path) -> &Path {
    path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok()).unwrap_or(path)
}

/// Whether a file name is temporary, so that it cannot be granted in advance. This includes files
/// that git puts beside its hooks.
fn has_temporary_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_of_git = path.parent().is_some_and(|parent| parent.ends_with(".git"));
    is_of_git
        || PASSING_ENDS.iter().any(|passing_end| name.ends_with(passing_end))
        || PASSING_BEGINNINGS.iter().any(|passing_beginning| name.starts_with(passing_beginning))
}
