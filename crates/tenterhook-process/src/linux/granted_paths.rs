//! Which places of the file system is a child left, and may it change them? Looks them up in the host, for whatever confines the child to
//! them; grants nothing itself.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::namespaces::passes;
use crate::confine::Confinement;
use crate::resolved::Links;

/// Where granted directories are taken apart around what is never written, how many of their entries are looked at.
const MOST_ENTRIES: usize = 16_384;

/// What may be done with a place and all below it. A later one holds those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Read,
    Change,
}

/// A place that is granted.
pub(super) struct GrantedPath<'p> {
    /// Where it lies, without links.
    pub(super) path: &'p Path,
    pub(super) file: &'p File,
    pub(super) is_directory: bool,
    /// A device or a FIFO, which a mount that cannot be changed does not keep from being written.
    pub(super) is_special: bool,
    pub(super) access: Access,
}

impl<'p> GrantedPath<'p> {
    fn new(path: &'p Path, file: &'p File, facts: &Metadata, access: Access) -> Self {
        let kind = facts.file_type();
        let is_special = kind.is_char_device() || kind.is_block_device() || kind.is_fifo();
        Self { path, file, is_directory: facts.is_dir(), is_special, access }
    }
}

/// Passes every granted path to `visit`. A path that is missing or unreachable grants nothing: the
/// child could not reach it either.
pub(super) fn each(
    confinement: &Confinement,
    visit: impl FnMut(&GrantedPath<'_>) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut links = Links::default();
    let mut walk = Walk { never: BTreeSet::new(), left: MOST_ENTRIES, visit };
    let mut granted = |paths: &[PathBuf]| match confinement.as_they_stand {
        true => outermost(paths.to_vec()),
        false => outermost(paths.iter().map(|path| links.end(path)).collect()),
    };
    let (read, write) = (granted(&confinement.read), granted(&confinement.write));
    for path in read {
        walk.grant(&path, Access::Read)?;
    }
    // As it stands: where a link stands in the way somebody else put it there, since it was made for this child.
    for path in &confinement.free {
        walk.grant(path, Access::Change)?;
    }
    if confinement.write.is_empty() {
        return Ok(());
    }
    // With the links that lead there: who may replace one of them may put anything there.
    walk.never = confinement.never.iter().flat_map(|path| links.way(path)).collect();
    for path in write {
        walk.around(&path)?;
    }
    Ok(())
}

/// The paths without those that lie below a different one: a grant reaches all below it.
fn outermost(mut all: Vec<PathBuf>) -> Vec<PathBuf> {
    // Paths are sorted by their parts: what lies below one follows it.
    all.sort_unstable();
    all.dedup_by(|later, kept| later.starts_with(kept));
    all
}

struct Walk<V> {
    /// The paths that are never changed.
    never: BTreeSet<PathBuf>,
    /// How many entries may still be looked at.
    left: usize,
    visit: V,
}

impl<V: FnMut(&GrantedPath<'_>) -> Result<(), Errno>> Walk<V> {
    fn grant(&mut self, path: &Path, access: Access) -> Result<(), Errno> {
        let Some(file) = found(path)? else { return Ok(()) };
        let facts = facts(&file)?;
        (self.visit)(&GrantedPath::new(path, &file, &facts, access))
    }

    /// All of `path` except the protected paths below it, entry by entry. A directory is closed
    /// before the next one is opened, on a stack of any size.
    fn around(&mut self, path: &Path) -> Result<(), Errno> {
        if path.ancestors().any(|ancestor| self.never.contains(ancestor)) {
            return Ok(());
        }
        let mut open = vec![path.to_path_buf()];
        while let Some(path) = open.pop() {
            if !self.never.contains(&path) && self.grants_part(&path)? {
                self.left = list(&path, self.left, &mut open)?;
            }
        }
        Ok(())
    }

    /// Grants what is at `path`, and says whether that is only a part of it, as something below it is never changed.
    fn grants_part(&mut self, path: &Path) -> Result<bool, Errno> {
        // A link leads elsewhere, and is resolved where it was granted by name.
        let Some(file) = found(path)? else { return Ok(false) };
        let facts = facts(&file)?;
        if facts.is_symlink() {
            return Ok(false);
        }
        // Paths are sorted by their parts: what lies below this one follows it.
        let next = self.never.range(path.to_path_buf()..).next();
        // Below anything else than a directory nothing can be made, whatever its name is.
        let is_part = facts.is_dir() && next.is_some_and(|p| p.starts_with(path));
        // A grant reaches all below it, so that above what is never changed only reading can be granted.
        let access = if is_part { Access::Read } else { Access::Change };
        (self.visit)(&GrantedPath::new(path, &file, &facts, access))?;
        Ok(is_part)
    }
}

/// Adds what lies in a directory to `open`, and says how many entries more may be looked at.
fn list(directory: &Path, mut left: usize, open: &mut Vec<PathBuf>) -> Result<usize, Errno> {
    let of_io = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let entries = match fs::read_dir(directory).map_err(of_io) {
        // A program would fail silently if a granted path could not be changed.
        Err(errno) if passes(errno) => return Err(errno),
        Err(_) => return Ok(left),
        Ok(entries) => entries,
    };
    for entry in entries {
        left = left.checked_sub(1).ok_or(Errno::TOOBIG)?;
        open.push(entry.map_err(of_io)?.path());
    }
    Ok(left)
}

/// What lies at `path`, which has no links. `None` where nothing does that could be reached.
fn found(path: &Path) -> Result<Option<File>, Errno> {
    match open(path) {
        Ok(file) => Ok(Some(file)),
        // A program would fail silently if a granted path could not be read.
        Err(errno) if passes(errno) => Err(errno),
        Err(_) => Ok(None),
    }
}

/// Opens what lies at `path`, or fails where a link was put into the way to it since it was resolved.
fn open(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Where the call itself is refused, at least the last step is held.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        Err(Errno::INTR) => return open(path),
        opened => opened,
    }
    .map(File::from)
}

/// What the system says of what was opened.
fn facts(file: &File) -> Result<Metadata, Errno> {
    file.metadata().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}
