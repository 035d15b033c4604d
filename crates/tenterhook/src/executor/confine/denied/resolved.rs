//! What of a path is refused to a confined program? Each path of its confinement is led to its end once. Words
//! nothing.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::super::Confined;

/// The ends and beginnings of names that a file has for a moment only, before it takes another's place.
const PASSING_ENDS: &[&str] = &[".lock", ".tmp", ".temp", ".swp", "~"];
const PASSING_BEGINNINGS: &[&str] = &["sed", "tmp", ".tmp", ".#"];

/// What a program may not do with a path.
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
    /// What is its own, wherever that lies.
    free: BTreeSet<PathBuf>,
    /// What it may never change, which is looked for only where somebody asks.
    never: OnceCell<BTreeSet<PathBuf>>,
}

impl<'c> Resolved<'c> {
    pub(super) fn of(confined: &'c Confined) -> Self {
        let process::Confinement { read, write, free, .. } = &confined.confinement;
        Self {
            confined,
            read: ends(read),
            changed: ends(write.iter().chain(free)),
            free: ends(free),
            never: OnceCell::new(),
        }
    }

    /// Whether a path, without links, lies in what it may change.
    pub(super) fn writes(&self, path: &Path) -> bool {
        is_in(&self.changed, path)
    }

    /// The same for what it may read; what may be changed may be read, too.
    pub(super) fn reads(&self, path: &Path) -> bool {
        is_in(&self.read, path) || self.writes(path)
    }

    /// What of a path is refused, if any of it is; by where it leads, as the kernel looks at it.
    pub(super) fn refused(&self, path: &Path, changes: bool) -> Option<(PathBuf, Refused)> {
        let path = process::resolved(path);
        let there = nearest(&path);
        // What is not there is not refused to who reads it.
        let changes = changes || there != path;
        if !changes && !self.reads(&path) {
            return Some((path, Refused::Read));
        }
        // Of another process nobody may read all, whatever is granted.
        if !changes && path.starts_with("/proc") {
            return None;
        }
        if is_in(&self.free, &path) {
            return None;
        }
        if is_in(self.never(), &path) {
            return Some((path, Refused::Never));
        }
        let missing = path.ancestors().find(|ancestor| ancestor.parent() == Some(there));
        match missing.filter(|_| there != path && self.is_beside_never(there)) {
            Some(missing) if is_passing(missing) => Some((missing.to_path_buf(), Refused::Passing)),
            Some(missing) => Some((missing.to_path_buf(), Refused::Make)),
            None => (!self.writes(&path)).then_some((path, Refused::Write)),
        }
    }

    /// Whether something of what may never change lies in a directory, or at it.
    fn is_beside_never(&self, directory: &Path) -> bool {
        // Paths are sorted by their parts: what lies below this one follows it.
        let next = self.never().range(directory.to_path_buf()..).next();
        next.is_some_and(|path| path.starts_with(directory))
    }

    fn never(&self) -> &BTreeSet<PathBuf> {
        let Confined { held, confinement, .. } = self.confined;
        self.never.get_or_init(|| ends(held.all().iter().chain(&confinement.never)))
    }
}

fn ends<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> BTreeSet<PathBuf> {
    paths.into_iter().map(|path| process::resolved(path)).collect()
}

fn is_in(all: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.ancestors().any(|ancestor| all.contains(ancestor))
}

/// The path, or what of the way to it is there: what is not there cannot be granted.
pub(super) fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok()).unwrap_or(path)
}

/// Whether a file has its name for a moment only, so that it cannot be made once for good: what git puts beside its hooks, too.
fn is_passing(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_of_git = path.parent().is_some_and(|parent| parent.ends_with(".git"));
    is_of_git
        || PASSING_ENDS.iter().any(|passing_end| name.ends_with(passing_end))
        || PASSING_BEGINNINGS.iter().any(|passing_beginning| name.starts_with(passing_beginning))
}
