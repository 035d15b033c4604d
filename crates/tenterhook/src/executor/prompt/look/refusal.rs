//! Why a call of a reading tool was refused, as the model reads it. Values and their messages.

use std::io;

/// Why a call of a tool was refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("the host named no project to look around in")]
    NoProject,
    #[error("the project cannot be entered: {0}")]
    Unreachable(#[source] io::Error),
    /// A host that works in the root of the file system has no project: everything would be inside
    /// it.
    #[error("the project is the whole file system")]
    WholeFileSystem,
    #[error("`{0}` is outside the project")]
    Outside(String),
    #[error("`{path}` cannot be opened: {source}")]
    Unopened { path: String, source: io::Error },
    #[error("`{path}` cannot be read: {source}")]
    Unread { path: String, source: io::Error },
    #[error("`{0}` is not a file")]
    NoFile(String),
    #[error("`{path}` is larger than {mebibytes} MiB")]
    TooLarge { path: String, mebibytes: u64 },
    #[error("`{0}` is not a text file")]
    NoText(String),
    #[error("`{path}` has fewer than {line} lines")]
    Short { path: String, line: u64 },
    #[error("`{field}` must be {wanted}")]
    WrongField { field: &'static str, wanted: &'static str },
    #[error("`glob` cannot be used: {0}")]
    Glob(#[from] globset::Error),
    #[error("`pattern` cannot be used: {0}")]
    Pattern(#[from] regex::Error),
    #[error("give `glob`, `pattern`, or both")]
    NothingToFind,
    #[error("at most {0} calls are made at once; call again")]
    TooMany(usize),
    #[error("there is no tool `{0}`; there are `read` and `search`")]
    UnknownTool(String),
    #[error("the tool failed")]
    Failed,
}
