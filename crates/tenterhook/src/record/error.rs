//! Why a file or directory of the record cannot be used. Values and their messages; opens no file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::discover::Unsupported;

/// A file or directory of the record that cannot be used, and why.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    cause: Cause,
}

/// The cause of a [`FileError`].
#[derive(Debug)]
pub(super) enum Cause {
    /// The system refused an operation.
    Failed(Attempt, io::Error),
    /// The file or its directory does not exist.
    Missing,
    /// A symbolic link, where a directory or a file is required.
    Link { of_directory: bool },
    /// Not a directory, where one is required.
    NoDirectory,
    /// Not a regular file, where one is required.
    NoFile,
    /// It belongs to a different user.
    Foreign { owner: u32, user: u32 },
    /// This mode lets other users write it.
    Open { mode: u32 },
    /// We cannot read its permissions on this system.
    Unsupported(Unsupported),
    /// Another process holds its lock for longer than this one waits.
    Locked,
}

/// The operation that failed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attempt {
    Lock,
    Make,
    Mend,
    Open,
    Read,
    Stat,
    Write,
}

impl FileError {
    pub(super) fn new(path: &Path, cause: Cause) -> Self {
        Self { path: path.to_owned(), cause }
    }

    /// Returns a function for `map_err` that says which attempt on `path` the system refused.
    pub(super) fn from_io_error(attempt: Attempt, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::new(path, Cause::Failed(attempt, error))
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Failed(_, error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if let Cause::Locked = self.cause {
            return write!(
                f,
                "another process has held `{path}` for a second: look for one that is stopped"
            );
        }
        write!(f, "`{path}` ")?;
        match &self.cause {
            Cause::Failed(attempt, error) => {
                write!(f, "cannot be {}: {error}", attempt.past_participle())
            }
            Cause::Missing => f.write_str("is not there"),
            Cause::Link { of_directory: true } => {
                f.write_str("is a symbolic link; put a directory of your own there")
            }
            Cause::Link { of_directory: false } => f.write_str("is a symbolic link"),
            Cause::NoDirectory => f.write_str("is no directory; put a directory of your own there"),
            Cause::NoFile => f.write_str("is no file"),
            Cause::Foreign { owner, user } => {
                write!(f, "belongs to another user ({owner}, and this is {user})")
            }
            Cause::Open { mode } => write!(
                f,
                "can be written by others (mode {mode:o}): take that away with `chmod go-w`"
            ),
            Cause::Unsupported(why) => why.fmt(f),
            Cause::Locked => Ok(()),
        }
    }
}

impl Attempt {
    const fn past_participle(self) -> &'static str {
        match self {
            Self::Lock => "locked",
            Self::Make => "made",
            Self::Mend => "mended",
            Self::Open => "opened",
            Self::Read => "read",
            Self::Stat => "looked at",
            Self::Write => "written",
        }
    }
}
