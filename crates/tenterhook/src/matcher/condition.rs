//! The condition of a hook beside its matcher. Pure.

use crate::event::Event;

/// A further condition that an event must meet.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
}

/// What a condition says of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// It does not hold: why.
    No(String),
    /// It holds.
    Exactly,
    /// It holds, but in a way that may only restrain: why an *allow* does not count (S-9).
    Widely(String),
}

impl Condition {
    /// The condition of that text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it holds for `event`.
    #[must_use]
    pub fn pick(&self, _event: &Event) -> Picked {
        Picked::Exactly
    }
}
