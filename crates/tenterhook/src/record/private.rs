//! Directories and files that are the user's alone: made so, and refused where they are not (RE-12). Knows no record.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::error::{Attempt, Cause, FileError};
use crate::discover::{self, Stat, Unsupported};

/// Makes a directory where there is none, with those above it, and looks whether it is the user's alone.
pub(super) fn directory(path: &Path) -> Result<(), FileError> {
    let look = || fs::symlink_metadata(path);
    let found = match look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            discover::make_private(path).and_then(|()| look())
        }
        found => found,
    };
    let found = found.map_err(FileError::failed(Attempt::Make, path))?;
    if found.is_symlink() {
        return Err(FileError::new(path, Cause::Link { of_directory: true }));
    }
    if !found.is_dir() {
        return Err(FileError::new(path, Cause::NoDirectory));
    }
    own(Stat::read(&found)).map_err(|cause| FileError::new(path, cause))
}

/// How long a file is; nothing where there is none. What cannot be looked at is not taken for gone: the chain would go on as if it were.
pub(super) fn length(path: &Path) -> Result<u64, FileError> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(FileError::failed(Attempt::Stat, path)(error)),
    }
}

/// Opens a file, made where `options` say so, and looks whether it is the user's alone. A link is not followed.
pub(super) fn file(path: &Path, options: &mut OpenOptions) -> Result<File, FileError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let opened = options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::new(path, Cause::Missing),
        _ if path.is_symlink() => FileError::new(path, Cause::Link { of_directory: false }),
        _ => FileError::failed(Attempt::Open, path)(error),
    })?;
    let found = opened.metadata().map_err(FileError::failed(Attempt::Stat, path))?;
    if !found.is_file() {
        return Err(FileError::new(path, Cause::NoFile));
    }
    own(Stat::read(&found)).map_err(|cause| FileError::new(path, cause))?;
    Ok(opened)
}

/// Whether a file is the user's alone.
fn own(found: Result<Stat, Unsupported>) -> Result<(), Cause> {
    let found = found.map_err(Cause::Unsupported)?;
    if !found.is_users() {
        return Err(Cause::Foreign { owner: found.owner, user: found.user });
    }
    match found.is_open() {
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
        let cause = own(Err(Unsupported)).expect_err("nothing is known of it");
        let why = FileError::new(Path::new("/state"), cause).to_string();
        assert!(why.contains("does not read the permissions of files"), "{why}");
    }
}
