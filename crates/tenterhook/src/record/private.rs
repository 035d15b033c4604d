//! Directories and files that only the user can write: creates them so, and refuses others (RE-12).
//! Knows nothing about records.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::error::{Attempt, Cause, FileError};
use crate::discover::{self, Stat, Unsupported};

/// Creates a directory and its parents if missing, and checks that only the user can write it.
pub(super) fn ensure_private_directory(path: &Path) -> Result<(), FileError> {
    let look = || fs::symlink_metadata(path);
    let found = match look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            discover::create_private_dir(path).and_then(|()| look())
        }
        found => found,
    };
    let found = found.map_err(FileError::from_io_error(Attempt::Make, path))?;
    if found.is_symlink() {
        return Err(FileError::new(path, Cause::Link { of_directory: true }));
    }
    if !found.is_dir() {
        return Err(FileError::new(path, Cause::NoDirectory));
    }
    check_owner_and_mode(Stat::from_metadata(&found)).map_err(|cause| FileError::new(path, cause))
}

/// Returns the length of a file; 0 if it does not exist. Other failures are errors: otherwise the
/// chain would continue as if the file were missing.
pub(super) fn file_length_or_zero(path: &Path) -> Result<u64, FileError> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(FileError::from_io_error(Attempt::Stat, path)(error)),
    }
}

/// Opens a file with `options` and checks that only the user can write it. Refuses symlinks.
pub(super) fn open_private_file(path: &Path, options: &mut OpenOptions) -> Result<File, FileError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let opened = options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::new(path, Cause::Missing),
        _ if path.is_symlink() => FileError::new(path, Cause::Link { of_directory: false }),
        _ => FileError::from_io_error(Attempt::Open, path)(error),
    })?;
    let found = opened.metadata().map_err(FileError::from_io_error(Attempt::Stat, path))?;
    if !found.is_file() {
        return Err(FileError::new(path, Cause::NoFile));
    }
    check_owner_and_mode(Stat::from_metadata(&found))
        .map_err(|cause| FileError::new(path, cause))?;
    Ok(opened)
}

/// Checks that only the user owns and can write a file.
fn check_owner_and_mode(found: Result<Stat, Unsupported>) -> Result<(), Cause> {
    let found = found.map_err(Cause::Unsupported)?;
    if !found.is_owned_by_user() {
        return Err(Cause::Foreign { owner: found.owner, user: found.user });
    }
    match found.is_writable_by_others() {
        true => Err(Cause::Open { mode: found.mode & 0o7777 }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19, RE-47.
    #[test]
    fn record_whose_permissions_are_not_read_is_refused() {
        let cause = check_owner_and_mode(Err(Unsupported)).expect_err("nothing is known of it");
        let why = FileError::new(Path::new("/state"), cause).to_string();
        assert!(why.contains("does not read the permissions of files"), "{why}");
    }
}
