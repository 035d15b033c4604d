//! Which places of the file system is a child left, and may it change them? Looks them up in the host, for whatever confines the child to
//! them; grants nothing itself.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;

use super::namespaces::is_resource_shortage;
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
pub(super) fn visit_granted_paths(
    confinement: &Confinement,
    visit: impl FnMut(&GrantedPath<'_>) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut links = Links::default();
    let mut walk = Walk { never: BTreeSet::new(), left: MOST_ENTRIES, visit };
    let mut granted = |paths: &[PathBuf]| match confinement.as_they_stand {
        true => outermost_paths(paths.to_vec()),
        false => outermost_paths(paths.iter().map(|path| links.resolve(path)).collect()),
    };
    let (read, write) = (granted(&confinement.read), granted(&confinement.write));
    for path in read {
        walk.grant_path(&path, Access::Read)?;
    }
    // As it stands: where a link stands in the way somebody else put it there, since it was made for this child.
    for path in &confinement.free {
        walk.grant_path(path, Access::Change)?;
    }
    if confinement.write.is_empty() {
        return Ok(());
    }
    // With the links that lead there: who may replace one of them may put anything there.
    walk.never =
        confinement.never.iter().flat_map(|path| links.links_and_target_of(path)).collect();
    for path in write {
        walk.grant_all_but_protected_paths(&path)?;
    }
    Ok(())
}

/// Returns the paths that lie below no other one: a grant includes everything below it.
fn outermost_paths(mut all: Vec<PathBuf>) -> Vec<PathBuf> {
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
    fn grant_path(&mut self, path: &Path, access: Access) -> Result<(), Errno> {
        let Some(file) = open_if_present(path)? else { return Ok(()) };
        let facts = file_metadata(&file)?;
        (self.visit)(&GrantedPath::new(path, &file, &facts, access))
    }

    /// Grants everything in `path` except the protected paths below it, entry by entry. Each
    /// directory is closed before the next one is opened, so the depth is unlimited.
    fn grant_all_but_protected_paths(&mut self, path: &Path) -> Result<(), Errno> {
        if path.ancestors().any(|ancestor| self.never.contains(ancestor)) {
            return Ok(());
        }
        let mut open = vec![path.to_path_buf()];
        while let Some(path) = open.pop() {
            if !self.never.contains(&path) && self.grant_entry(&path)? {
                self.left = push_directory_entries(&path, self.left, &mut open)?;
            }
        }
        Ok(())
    }

    /// Grants the entry at `path`. Returns whether it is granted only for reading, because a
    /// protected path lies below it.
    fn grant_entry(&mut self, path: &Path) -> Result<bool, Errno> {
        // A link leads elsewhere, and is resolved where it was granted by name.
        let Some(file) = open_if_present(path)? else { return Ok(false) };
        let facts = file_metadata(&file)?;
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

/// Adds the entries of a directory to `open`, and returns how many more entries may be visited.
fn push_directory_entries(
    directory: &Path,
    mut left: usize,
    open: &mut Vec<PathBuf>,
) -> Result<usize, Errno> {
    let of_io = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let entries = match fs::read_dir(directory).map_err(of_io) {
        // A program would fail silently if a granted path could not be changed.
        Err(errno) if is_resource_shortage(errno) => return Err(errno),
        Err(_) => return Ok(left),
        Ok(entries) => entries,
    };
    for entry in entries {
        left = left.checked_sub(1).ok_or(Errno::TOOBIG)?;
        open.push(entry.map_err(of_io)?.path());
    }
    Ok(left)
}

/// Opens the entry at `path`, which has no links. Returns `None` if nothing there can be reached.
fn open_if_present(path: &Path) -> Result<Option<File>, Errno> {
    match open_without_links(path) {
        Ok(file) => Ok(Some(file)),
        // A program would fail silently if a granted path could not be read.
        Err(errno) if is_resource_shortage(errno) => Err(errno),
        Err(_) => Ok(None),
    }
}

/// Opens the entry at `path`. Fails if a link was put into the path since it was resolved.
fn open_without_links(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Where the call itself is refused, at least the last step is held.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, Mode::empty()),
        Err(Errno::INTR) => return open_without_links(path),
        opened => opened,
    }
    .map(File::from)
}

/// Returns the metadata of an open file.
fn file_metadata(file: &File) -> Result<Metadata, Errno> {
    file.metadata().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}
