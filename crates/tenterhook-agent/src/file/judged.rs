//! A file as it was when somebody judged it, and the way back to that one and no other: links are followed once, before it is
//! judged, and never again. Decides nothing about what may be read or written.
//!
//! Between a judgement and its deed lie hooks and a person who reads. Meanwhile a directory can become a link, and a file
//! another name of one elsewhere. So the way is walked from the root, directory by directory, by descriptors that follow no
//! link, which is what `openat2` does with `RESOLVE_NO_SYMLINKS` and what also makes missing directories; and what is found
//! at its end must be the file that was there, or must not be there where none was.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
use rustix::io::Errno;

use super::{LARGEST, ensure_regular};

/// As many links as Linux follows.
const LINKS: usize = 40;
/// What a new directory, and a new file, may be used for, less what the umask takes away.
const DIRECTORY: Mode = Mode::from_raw_mode(0o777);
const FILE: Mode = Mode::from_raw_mode(0o666);

/// Where a name led, and what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    /// The path, absolute and without a link.
    pub(crate) path: PathBuf,
    /// What stood there; nothing where there was nothing.
    known: Option<Known>,
}

/// Which file it is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    device: u64,
    inode: u64,
    names: u64,
    is_file: bool,
}

impl Known {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            names: metadata.nlink(),
            is_file: metadata.is_file(),
        }
    }

    const fn is_same_file(self, other: Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}

impl Judged {
    /// Resolves the path to the file that it leads to now. Returns `None` if links form a cycle.
    pub(crate) fn resolve(path: &Path) -> Option<Self> {
        let path = resolve_links(path)?;
        let known =
            std::fs::symlink_metadata(&path).ok().map(|metadata| Known::from_metadata(&metadata));
        Some(Self { path, known })
    }

    /// Resolves a path whose directory contains no link. Returns `None` if links form a cycle.
    pub(crate) fn resolve_in_real_directory(path: &Path) -> Option<Self> {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => Self::resolve(path),
            found => {
                let known = found.ok().map(|found| Known::from_metadata(&found));
                Some(Self { path: path.to_owned(), known })
            }
        }
    }

    /// Returns whether a file exists at the path.
    pub(crate) const fn exists(&self) -> bool {
        self.known.is_some()
    }

    /// Returns whether the file has other hard links, so that a change of it changes them too.
    pub(crate) fn has_other_names(&self) -> bool {
        self.known.is_some_and(|k| k.is_file && k.names > 1)
    }

    /// Returns whether that path leads to the same file.
    pub(crate) fn is_same_file_at(&self, path: &Path) -> bool {
        let there = std::fs::metadata(path).ok().map(|metadata| Known::from_metadata(&metadata));
        self.known.zip(there).is_some_and(|(own, there)| own.is_same_file(there))
    }

    /// Opens the file for reading.
    pub(crate) fn open(&self) -> io::Result<File> {
        Self::ensure_safe_to_open(&std::fs::symlink_metadata(&self.path)?)?;
        self.ensure_unchanged(open_without_links(&self.path, OFlags::RDONLY, Way::Stands)?)
    }

    /// Opens the file for writing and empties it. Creates missing directories.
    pub(crate) fn open_for_overwriting(&self) -> io::Result<File> {
        if let Ok(metadata) = std::fs::symlink_metadata(&self.path) {
            Self::ensure_safe_to_open(&metadata)?;
        }
        // What was not there must not be there: somebody else's file is not written over unseen.
        let new = if self.exists() { OFlags::empty() } else { OFlags::CREATE | OFlags::EXCL };
        let file = self.ensure_unchanged(open_without_links(
            &self.path,
            OFlags::WRONLY | new,
            Way::Made,
        )?)?;
        file.set_len(0)?;
        Ok(file)
    }

    /// Reads the whole file.
    pub(crate) fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
        }
        Ok(bytes)
    }

    /// Returns an error unless this is a regular file. It is checked before the file is opened,
    /// because to open a device may have an effect.
    fn ensure_safe_to_open(metadata: &Metadata) -> io::Result<()> {
        if metadata.is_symlink() { Err(replaced_error()) } else { ensure_regular(metadata) }
    }

    fn ensure_unchanged(&self, file: File) -> io::Result<File> {
        let found = file.metadata()?;
        ensure_regular(&found)?;
        match self.known {
            Some(known) if !known.is_same_file(Known::from_metadata(&found)) => {
                Err(replaced_error())
            }
            _ => Ok(file),
        }
    }
}

/// Opens a file for reading by a path without links.
pub(crate) fn open_real_path(path: &Path) -> io::Result<File> {
    let file = open_without_links(path, OFlags::RDONLY, Way::Stands)?;
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

/// Whether the directories on the way are there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Stands,
    /// They are made where they are missing.
    Made,
}

fn open_without_links(path: &Path, how: OFlags, way: Way) -> io::Result<File> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is a directory, not a file"))?;
    let directory = open_directory(path.parent().unwrap_or(path), way)?;
    // To open a FIFO that somebody put there meanwhile is not to wait for its other end.
    let how = how | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(openat(&directory, name, how, FILE).map_err(to_io_error)?.into())
}

/// Opens the directory at an absolute path without following a link.
fn open_directory(path: &Path, way: Way) -> io::Result<OwnedFd> {
    let how = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | SEARCH;
    let mut at = open("/", how, Mode::empty())?;
    for part in path.components() {
        let Component::Normal(name) = part else { continue };
        at = match openat(&at, name, how, Mode::empty()) {
            Err(Errno::NOENT) if way == Way::Made => create_and_open_directory(&at, name, how)?,
            other => other.map_err(to_io_error)?,
        };
    }
    Ok(at)
}

/// What suffices to go through a directory.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

fn create_and_open_directory(at: &OwnedFd, name: &OsStr, how: OFlags) -> io::Result<OwnedFd> {
    match mkdirat(at, name, DIRECTORY) {
        // Somebody else was quicker; if it is a link, the next call says so.
        Ok(()) | Err(Errno::EXIST) => {
            Ok(openat(at, name, how, Mode::empty()).map_err(to_io_error)?)
        }
        Err(error) => Err(error.into()),
    }
}

fn to_io_error(error: Errno) -> io::Error {
    match error {
        // A link, where there was none; something else in place of a directory; a file, where there was none.
        Errno::LOOP | Errno::NOTDIR | Errno::EXIST => replaced_error(),
        other => other.into(),
    }
}

fn replaced_error() -> io::Error {
    io::Error::other("it is not what it was when it was judged: something else came in its place")
}

/// Returns the path to which `path` leads, whether or not a file exists there: a dangling link is a
/// way to write elsewhere. `None` if links form a cycle.
fn resolve_links(path: &Path) -> Option<PathBuf> {
    let parts = |path: &Path| path.components().map(to_os_string).collect::<VecDeque<_>>();
    let (mut left, mut found, mut links) = (parts(path), PathBuf::new(), 0);
    while let Some(part) = left.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::Normal(name)) => found.push(name),
            Some(Component::ParentDir) => drop(found.pop()),
            Some(Component::CurDir) | None => {}
            Some(root) => found.push(root),
        }
        if let Ok(target) = found.read_link() {
            links += 1;
            if links > LINKS {
                return None;
            }
            found.pop();
            left = parts(&target).into_iter().chain(left).collect();
        }
    }
    Some(found)
}

fn to_os_string(part: Component<'_>) -> OsString {
    part.as_os_str().to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    fn fails(result: io::Result<File>) -> bool {
        result.is_err_and(|error| error.to_string().contains("when it was judged"))
    }

    /// AG-13: whatever comes in place of what was judged, neither is written nor read.
    #[test]
    fn what_was_judged_is_what_is_opened() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().canonicalize().unwrap().join(name);
        std::fs::create_dir_all(at("project/src")).unwrap();
        std::fs::create_dir_all(at("elsewhere/deep")).unwrap();
        std::fs::write(at("project/src/old"), "old").unwrap();
        std::fs::write(at("elsewhere/old"), "secret").unwrap();
        let judged = |name: &str| Judged::resolve(&at(name)).unwrap();
        let (new, old) = (judged("project/src/new"), judged("project/src/old"));
        let deep = judged("project/src/deep/new");
        std::fs::rename(at("project/src"), at("project/was")).unwrap();
        symlink(at("elsewhere"), at("project/src")).unwrap();
        for path in [&new, &old, &deep] {
            assert!(fails(path.open_for_overwriting()), "{path:?}");
        }
        assert!(fails(old.open()));
        assert!(!at("elsewhere/new").exists() && !at("elsewhere/deep/new").exists());
        assert_eq!(std::fs::read(at("elsewhere/old")).unwrap(), b"secret");
        std::fs::remove_file(at("project/src")).unwrap();
        std::fs::rename(at("project/was"), at("project/src")).unwrap();
        // The last part becomes a link, or another name of a file elsewhere.
        symlink(at("elsewhere/new"), at("project/src/new")).unwrap();
        std::fs::remove_file(at("project/src/old")).unwrap();
        std::fs::hard_link(at("elsewhere/old"), at("project/src/old")).unwrap();
        assert!(
            fails(new.open_for_overwriting())
                && fails(old.open_for_overwriting())
                && fails(old.open())
        );
        assert!(!at("elsewhere/new").exists());
        deep.open_for_overwriting().unwrap().write_all(b"made").unwrap();
        assert_eq!(std::fs::read(at("project/src/deep/new")).unwrap(), b"made");
        assert!(judged("project/src/old").has_other_names());
    }

    #[test]
    fn a_link_is_followed_before_it_is_judged() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().canonicalize().unwrap().join(name);
        symlink("b", at("a")).unwrap();
        let judged = Judged::resolve(&at("a")).unwrap();
        assert_eq!((judged.path.clone(), judged.exists()), (at("b"), false));
        judged.open_for_overwriting().unwrap().write_all(b"x").unwrap();
        assert_eq!(std::fs::read(at("b")).unwrap(), b"x");
        symlink("circle", at("circle")).unwrap();
        assert_eq!(Judged::resolve(&at("circle/x")), None);
    }
}
