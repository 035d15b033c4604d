//! The problems of a rule before it runs. Values; what a file's reader makes of them is its business.

use std::ops::Range;

use crate::diagnostic::Code;

/// The parts of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The expression that decides.
    When,
    /// The reason of a denial.
    Deny,
    /// The reason to ask the user.
    Ask,
    /// The context for the model.
    Context,
    /// The expression for what replaces what the event is about.
    Rewrite,
    /// The label and the counter that are cleared.
    Clear,
    /// The label that is set.
    Label,
    /// The counter to which one is added.
    Count,
}

impl Part {
    /// Every part, in the order in which files have them.
    pub const ALL: [Self; 8] = [
        Self::When,
        Self::Deny,
        Self::Ask,
        Self::Context,
        Self::Rewrite,
        Self::Clear,
        Self::Label,
        Self::Count,
    ];

    /// The parts that change the session, in the order in which they apply (SS-3).
    pub const MARKS: [Self; 3] = [Self::Clear, Self::Label, Self::Count];

    /// Returns the key of the part in a native file.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::When => "when",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Context => "context",
            Self::Rewrite => "rewrite",
            Self::Clear => "clear",
            Self::Label => "label",
            Self::Count => "count",
        }
    }
}

/// One thing that is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which part it is in.
    pub part: Part,
    /// What kind of finding it is.
    pub code: Code,
    /// The bytes of the part's text that it is about.
    pub at: Range<usize>,
    /// The problem.
    pub message: String,
    /// What to write instead.
    pub help: String,
}
