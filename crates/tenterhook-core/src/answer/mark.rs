//! What a rule changes in its session. Stores nothing.

use std::sync::Arc;

/// Longest name of a label or a counter.
const LONGEST: usize = 64;

/// What a rule changes in the session (SS-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Removes the label and the counter of that name.
    Clear(Arc<str>),
    /// Sets the label.
    Label(Arc<str>),
    /// Adds one to the counter.
    Count(Arc<str>),
}

impl Mark {
    /// Returns the change in words: the key of a rule, and the name.
    #[must_use]
    pub fn description(&self) -> String {
        match self {
            Self::Clear(name) => format!("clear {name}"),
            Self::Label(name) => format!("label {name}"),
            Self::Count(name) => format!("count {name}"),
        }
    }

    /// Returns true if a label or counter may have that name.
    #[must_use]
    pub fn is_valid_name(name: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./:".contains(c);
        !name.is_empty()
            && name.len() <= LONGEST
            && name.chars().all(is_plain)
            && name.trim() == name
    }
}
