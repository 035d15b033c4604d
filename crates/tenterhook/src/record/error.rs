//! Why a file or directory of the record cannot be used. Values and their messages; opens nothing.

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

/// What is wrong with it.
#[derive(Debug)]
pub(super) enum Cause {
    /// The system refuses what is tried.
    Failed(Attempt, io::Error),
    /// There is none of that name, or no directory for it.
    Missing,
    /// It is a symbolic link, where a directory is needed or a file.
    Link { of_directory: bool },
    /// It is something else than the directory that is needed.
    NoDirectory,
    /// It is something else than the file that is needed.
    NoFile,
    /// It belongs to another user than this one.
    Foreign { owner: u32, user: u32 },
    /// Others may write it, by this mode.
    Open { mode: u32 },
    /// Its permissions are not read on this system.
    Unsupported(Unsupported),
    /// Another process holds its lock for longer than this one waits.
    Held,
}

/// What is tried with a file.
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

    /// For `map_err`: the system refused `attempt` on `path`.
    pub(super) fn failed(attempt: Attempt, path: &Path) -> impl Fn(io::Error) -> Self {
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
        if let Cause::Held = self.cause {
            return write!(
                f,
                "another process has held `{path}` for a second: look for one that is stopped"
            );
        }
        write!(f, "`{path}` ")?;
        match &self.cause {
            Cause::Failed(attempt, error) => {
                write!(f, "cannot be {}: {error}", attempt.participle())
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
            Cause::Held => Ok(()),
        }
    }
}

impl Attempt {
    const fn participle(self) -> &'static str {
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
