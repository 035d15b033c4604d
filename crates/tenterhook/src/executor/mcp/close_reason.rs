//! Why can a server no longer be asked? Keeps the first reason, without what nobody else should read. Ends nothing.

use std::sync::{Arc, Mutex, PoisonError};

use super::QUOTED;
use super::withheld::Withheld;

/// Why the conversation is over, once it is.
#[derive(Clone, Debug, Default)]
pub(super) struct CloseReason {
    withheld: Withheld,
    reason: Arc<Mutex<Option<(Over, String)>>>,
}

/// How it came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The server could not be started, or ended by itself, or knows us no more.
    Gone,
    /// It was ended, because it broke the protocol.
    Ended,
}

impl CloseReason {
    /// One for a server that was handed `withheld`.
    pub(super) fn new(withheld: Withheld) -> Self {
        Self { withheld, reason: Arc::default() }
    }

    /// What is known of the end.
    pub(super) fn read(&self) -> Option<(Over, String)> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The first reason stands: what follows from it is none.
    pub(super) fn write(&self, over: Over, why: impl Into<String>) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert_with(|| (over, why.into()));
    }

    /// `text`, which the server wrote, without what it was handed.
    pub(super) fn without_withheld(&self, text: &str) -> String {
        self.withheld.out_of(text)
    }

    /// The beginning of `text`, which the server wrote, without what it was handed. Cut last: half a secret is one too.
    pub(super) fn quote(&self, text: &str) -> String {
        self.withheld.out_of(text).chars().take(QUOTED).collect()
    }
}
