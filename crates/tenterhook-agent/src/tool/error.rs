//! Why a file tool did nothing: what the model reads of it. Values and their messages.

use std::io;

/// Why a file tool did nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolError {
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is empty")]
    Empty(&'static str),
    #[error("links lead in a circle there")]
    Circle,
    #[error("`{name}` cannot be read: links lead in a circle there")]
    CircleAt { name: String },
    #[error("`{name}` cannot be read: {source}")]
    Unread { name: String, source: io::Error },
    #[error("`{name}` cannot be written: {source}")]
    Unwritten { name: String, source: io::Error },
    #[error("`{0}` is not UTF-8 text")]
    NoText(String),
    #[error("`old_string` does not stand in `{0}`")]
    NotFound(String),
    #[error("`old_string` stands in `{name}` {count} times: give more of what is round it")]
    Ambiguous { name: String, count: usize },
    #[error("`{pattern}` is not a valid pattern: {source}")]
    Glob { pattern: String, source: globset::Error },
    #[error("`pattern` is not a valid regular expression: {0}")]
    Regex(#[from] regex::Error),
}
