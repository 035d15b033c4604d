//! Keeps the first reason why a server can no longer be called, without secrets. Ends nothing.

use std::sync::{Arc, Mutex, PoisonError};

use super::QUOTED;
use super::withheld::Withheld;

/// Why the connection ended, once it did.
#[derive(Clone, Debug, Default)]
pub(super) struct CloseReason {
    withheld: Withheld,
    reason: Arc<Mutex<Option<(Over, String)>>>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The server could not be started, ended by itself, or dropped our session.
    Gone,
    /// It was ended, because it broke the protocol.
    Ended,
}

impl CloseReason {
    /// For a server that received the values of `withheld`.
    pub(super) fn new(withheld: Withheld) -> Self {
        Self { withheld, reason: Arc::default() }
    }

    /// The reason, if the connection ended.
    pub(super) fn read(&self) -> Option<(Over, String)> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps only the first reason: later ones follow from it.
    pub(super) fn write(&self, over: Over, why: impl Into<String>) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert_with(|| (over, why.into()));
    }

    /// Removes secrets from `text`, which the server wrote.
    pub(super) fn without_withheld(&self, text: &str) -> String {
        self.withheld.out_of(text)
    }

    /// The beginning of `text`, which the server wrote, without secrets. Cut last: half a secret is
    /// one, too.
    pub(super) fn quote(&self, text: &str) -> String {
        self.withheld.out_of(text).chars().take(QUOTED).collect()
    }
}
