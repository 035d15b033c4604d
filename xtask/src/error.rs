//! The error of a verb: what failed, and its cause.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a verb cannot do its work.
#[derive(Debug)]
pub(crate) enum Error {
    /// An argument of the verb is not valid; the message names it and what is valid.
    Usage(String),
    /// A file or directory cannot be read or written.
    File { path: PathBuf, source: io::Error },
    /// A program cannot be started.
    Spawn { program: String, source: io::Error },
    /// A program ran and failed; with its command line and what it wrote to stderr.
    Failed { command: String, stderr: String },
    /// The content of a file, or the output of a program, lacks what the verb needs.
    Invalid(String),
    /// Another error, with the file or step that it is about.
    Other { context: Option<String>, source: Box<dyn std::error::Error + Send + Sync> },
}

impl Error {
    /// Wraps an I/O error about `path`.
    pub(crate) fn file(path: impl AsRef<Path>) -> impl Fn(io::Error) -> Self {
        move |source| Self::File { path: path.as_ref().to_owned(), source }
    }

    /// Wraps the error of starting `program`.
    pub(crate) fn spawn(program: &str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Spawn { program: program.to_owned(), source }
    }

    /// A failed run of `command`.
    pub(crate) fn failed(command: impl Into<String>, stderr: &[u8]) -> Self {
        Self::Failed {
            command: command.into(),
            stderr: String::from_utf8_lossy(stderr).trim_end().to_owned(),
        }
    }

    /// Wraps any other error.
    pub(crate) fn other(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other { context: None, source: source.into() }
    }

    /// Wraps any other error about `context`.
    pub(crate) fn about<E>(context: impl Into<String>) -> impl FnOnce(E) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        move |source| Self::Other { context: Some(context.into()), source: source.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Invalid(message) => f.write_str(message),
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Spawn { program, source } => write!(f, "cannot run `{program}`: {source}"),
            Self::Failed { command, stderr } if stderr.is_empty() => {
                write!(f, "`{command}` failed")
            }
            Self::Failed { command, stderr } => write!(f, "`{command}` failed:\n{stderr}"),
            Self::Other { context: Some(context), source } => write!(f, "{context}: {source}"),
            Self::Other { context: None, source } => source.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } | Self::Spawn { source, .. } => Some(source),
            Self::Other { source, .. } => Some(source.as_ref()),
            Self::Usage(_) | Self::Failed { .. } | Self::Invalid(_) => None,
        }
    }
}
