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
    /// A reason that is not known yet, for a server that received the values of `withheld`.
    pub(super) fn new(withheld: Withheld) -> Self {
        Self { withheld, reason: Arc::default() }
    }

    /// Returns the reason, if the connection ended.
    pub(super) fn get(&self) -> Option<(Over, String)> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the reason why the connection ended. Only the first reason is kept: later ones follow
    /// from it.
    pub(super) fn set_if_first(&self, over: Over, why: impl Into<String>) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert_with(|| (over, why.into()));
    }

    /// Removes secrets from `text`, which the server wrote.
    pub(super) fn remove_secrets(&self, text: &str) -> String {
        self.withheld.remove_from(text)
    }

    /// Returns the start of `text`, which the server wrote, without secrets. Secrets are removed
    /// before the text is cut, because half a secret is one, too.
    pub(super) fn quote_without_secrets(&self, text: &str) -> String {
        self.withheld.remove_from(text).chars().take(QUOTED).collect()
    }
}
