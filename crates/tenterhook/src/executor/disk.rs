//! Reads the files that a call names, for rules, which see only the event. Changes nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::{fs, io};

use crate::discover;
use tenterhook_core::rule::Files;

/// Longest patch that is read.
const LONGEST: u64 = 1024 * 1024;
/// Most entries of directories that are compared with a file or a pattern, and the deepest directory below a guard's own.
const MOST_ENTRIES: usize = 20_000;
const DEEPEST: usize = 4;

/// Returns the files of this machine, for rules that ask what a call would change.
#[must_use]
pub fn disk_files() -> Arc<dyn Files> {
    static DISK: LazyLock<Arc<Disk>> = LazyLock::new(|| Arc::new(Disk));
    Arc::clone(&*DISK) as Arc<dyn Files>
}

#[derive(Debug)]
struct Disk;

impl Files for Disk {
    fn read_text(&self, path: &str) -> Option<String> {
        String::from_utf8(discover::read_regular_file(Path::new(path), LONGEST).ok()?).ok()
    }

    fn resolve_links(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let real = resolve_existing_part(path)?;
        (real != path).then(|| real.to_string_lossy().into_owned())
    }

    fn may_be_second_name(&self, base: &str, path: &str) -> bool {
        let Ok(rest) = Path::new(path).strip_prefix(base) else { return true };
        let mut at = PathBuf::from(base);
        let mut file = None;
        for part in rest.components() {
            at.push(part);
            match fs::symlink_metadata(&at) {
                Ok(metadata) if metadata.is_symlink() => return true,
                Ok(metadata) => file = Some(metadata),
                // A missing file has no links. A file that cannot be examined may have some.
                Err(error) => return !is_absence_error(&error),
            }
        }
        file.is_some_and(|metadata| metadata.is_file() && hard_link_count(&metadata) > 1)
    }

    fn hard_links(&self, path: &str, directories: &dyn Fn() -> Vec<String>) -> Vec<String> {
        let file =
            fs::metadata(path).ok().filter(|file| file.is_file() && hard_link_count(file) > 1);
        let Some(identity) = file.as_ref().and_then(device_and_inode) else { return Vec::new() };
        let mut found = Vec::new();
        let mut most = MOST_ENTRIES;
        for directory in directories() {
            let depth = if directory.ends_with('/') { DEEPEST } else { 0 };
            find_hard_links_of_file(Path::new(&directory), identity, depth, &mut most, &mut found);
        }
        found.retain(|name| name != path);
        found
    }

    fn directory_entries(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MOST_ENTRIES);
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    fn own_program_path(&self) -> Option<&str> {
        static PROGRAM: LazyLock<Option<String>> = LazyLock::new(|| {
            let program = fs::canonicalize(std::env::current_exe().ok()?).ok()?;
            Some(program.to_string_lossy().into_owned())
        });
        PROGRAM.as_deref()
    }

    fn is_directory(&self, path: &str) -> Option<bool> {
        Some(Path::new(path).is_dir())
    }
}

/// Whether the error means that the file does not exist. This includes a parent that is a file, and
/// a name that no system allows.
fn is_absence_error(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput)
}

/// Finds the hard links of one file, by their names, in a directory and in the directories below it
/// up to `depth`.
fn find_hard_links_of_file(
    directory: &Path,
    wanted: (u64, u64),
    depth: usize,
    most: &mut usize,
    found: &mut Vec<String>,
) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Some(left) = most.checked_sub(1) else { return };
        *most = left;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && depth > 0 {
            find_hard_links_of_file(&entry.path(), wanted, depth - 1, most, found);
        } else if entry_inode(&entry).is_none_or(|inode| inode == wanted.1)
            && fs::metadata(entry.path()).ok().as_ref().and_then(device_and_inode) == Some(wanted)
        {
            found.push(entry.path().to_string_lossy().into_owned());
        }
    }
}

/// The device and the inode of a file, where the system has them.
#[cfg(unix)]
fn device_and_inode(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
const fn device_and_inode(_metadata: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns how many names a file has.
#[cfg(unix)]
fn hard_link_count(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
const fn hard_link_count(_metadata: &fs::Metadata) -> u64 {
    1
}

/// Returns the inode of an entry that is no link, without a system call.
#[cfg(unix)]
fn entry_inode(entry: &fs::DirEntry) -> Option<u64> {
    use std::os::unix::fs::DirEntryExt;
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    (!is_link).then(|| entry.ino())
}

#[cfg(not(unix))]
const fn entry_inode(_entry: &fs::DirEntry) -> Option<u64> {
    None
}

/// Returns the real path, as far as it exists: a missing file may be in a directory that is a link.
fn resolve_existing_part(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Some(real);
    }
    // A dangling link names the path where the file would be created.
    let (parent, name) = (path.parent()?, path.file_name()?);
    match fs::read_link(path) {
        Ok(target) => Some(fs::canonicalize(parent).ok()?.join(target)),
        Err(_) => Some(resolve_existing_part(parent)?.join(name)),
    }
}
