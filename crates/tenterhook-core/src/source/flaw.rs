//! The missing parts of a hook file. Values only; `config/hold.rs` decides what they mean.

use std::sync::Arc;

use crate::diagnostic::Location;

/// Why the text of a source is not all that its file holds (C-70).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The problem of the file, without its name: "it is a FIFO, not a file".
    pub why: String,
    /// What to do about it.
    pub help: String,
    /// How much of it the text holds.
    pub kept: Completeness,
    /// The text that is not obeyed, of a managed file that others than root may write (C-89).
    pub untrusted: Option<Arc<str>>,
}

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Nothing: it could not be opened, or is no file.
    Nothing,
    /// Some of it cannot be read as text.
    Part,
    /// All of it, although it is not written as it should be.
    All,
    /// Nothing, because it is not there: a person approved it, and then it was removed (T-70).
    Gone,
    /// All of it, which may be a part of what is being saved: what it said last applies (C-93).
    Saving,
}

/// What of a file could not be read, even entry by entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The problem, in words.
    pub why: String,
    /// Where, as far as that is known.
    pub place: Location,
}
