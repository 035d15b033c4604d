//! Directories and files that are the user's alone: made so, and refused where they are not (RE-12). Knows no record.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::discover::{self, Stat, Unsupported};

/// Makes a directory where there is none, with those above it, and looks whether it is the user's alone.
pub(super) fn directory(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let look = || fs::symlink_metadata(path);
    let found = match look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            discover::make_private(path).and_then(|()| look())
        }
        found => found,
    };
    let found = found.map_err(|error| format!("`{shown}` cannot be made: {error}"))?;
    if !found.is_dir() {
        let is = if found.is_symlink() { "a symbolic link" } else { "no directory" };
        return Err(format!("`{shown}` is {is}; put a directory of your own there"));
    }
    own(Stat::read(&found)).map_err(|why| format!("`{shown}` {why}"))
}

/// How long a file is; nothing where there is none. What cannot be looked at is not taken for gone: the chain would go on as if it were.
pub(super) fn length(path: &Path) -> Result<u64, String> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(format!("`{}` cannot be looked at: {error}", path.display())),
    }
}

/// Opens a file, made where `options` say so, and looks whether it is the user's alone. A link is not followed.
pub(super) fn file(path: &Path, options: &mut OpenOptions) -> Result<File, Refused> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let shown = path.display();
    let opened = options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Refused::NotThere,
        _ if path.is_symlink() => Refused::because(format!("`{shown}` is a symbolic link")),
        _ => Refused::because(format!("`{shown}` cannot be opened: {error}")),
    })?;
    let found = opened
        .metadata()
        .map_err(|error| Refused::because(format!("`{shown}` cannot be looked at: {error}")))?;
    if !found.is_file() {
        return Err(Refused::because(format!("`{shown}` is no file")));
    }
    own(Stat::read(&found)).map_err(|why| Refused::because(format!("`{shown}` {why}")))?;
    Ok(opened)
}

/// Why a file was not opened.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is none of that name, or no directory for it.
    NotThere,
    /// It cannot be used, and why.
    Because(String),
}

impl Refused {
    fn because(why: impl Into<String>) -> Self {
        Self::Because(why.into())
    }

    /// The reason, for a file that must be there.
    pub(super) fn about(self, path: &Path) -> String {
        match self {
            Self::NotThere => format!("`{}` is not there", path.display()),
            Self::Because(why) => why,
        }
    }
}

/// Why a file is not the user's alone, as the rest of a sentence.
fn own(found: Result<Stat, Unsupported>) -> Result<(), String> {
    let found = found.map_err(|why| why.to_string())?;
    let (owner, user) = (found.owner, found.user);
    if !found.is_users() {
        return Err(format!("belongs to another user ({owner}, and this is {user})"));
    }
    if found.is_open() {
        let mode = found.mode & 0o7777;
        return Err(format!(
            "can be written by others (mode {mode:o}): take that away with `chmod go-w`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19, RE-47.
    #[test]
    fn record_whose_permissions_are_not_read_is_refused() {
        let why = own(Err(Unsupported)).expect_err("nothing is known of it");
        assert!(why.contains("does not read the permissions of files"), "{why}");
    }
}
