//! The trace of one firing, and where it goes. Redaction and storage are a sink's business, not the engine's.

use std::fmt;
use std::time::Duration;

use crate::event::{Event, EventName};
use crate::outcome::Outcome;

/// One firing, as it was.
#[derive(Clone, Debug)]
pub struct Record {
    /// What happened.
    pub event: EventName,
    /// In which session.
    pub session_id: String,
    /// What the host got.
    pub outcome: Outcome,
    /// From the call of `fire` to its outcome.
    pub took: Duration,
}

impl Record {
    /// The record of `event` with this `outcome`.
    #[must_use]
    pub fn new(event: &Event, outcome: &Outcome, took: Duration) -> Self {
        Self {
            event: event.name.clone(),
            session_id: event.within.session_id.clone(),
            outcome: outcome.clone(),
            took,
        }
    }
}

/// Where records go.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Takes one record. Called on the task that fired the event: a sink that is slow must hand it on.
    fn take(&self, record: Record);
}
