//! A text that somebody sends to the agent, identified from the key press to its end. Values; decides nothing.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies a submission in every update about it: texts may be equal, and hooks change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubmissionId(u64);

/// A text as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    pub(crate) id: SubmissionId,
    pub(crate) text: String,
}

impl Submission {
    /// Creates a submission with an id that no other has, even with the same text.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: SubmissionId(NEXT.fetch_add(1, Ordering::Relaxed)), text: text.into() }
    }
}
