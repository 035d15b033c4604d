//! What was used so far, in a turn and in the session: counts for people and for hooks. Shared by all agents of a session.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::model::Usage;

/// The counts of one session. Cheap to clone; every clone counts for the same session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Arc<Mutex<Counts>>);

/// The current counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The counts of the turn under way, or the last one.
    pub(crate) turn: Usage,
    /// Since the conversation began, or was cleared.
    pub(crate) conversation: Usage,
    /// Since the session began.
    pub(crate) session: Usage,
    /// The tool calls of the turn.
    pub(crate) tools: u64,
    /// Whether the turn asked the model anything.
    pub(crate) asked: bool,
    /// How often it did, by subagents too.
    pub(crate) requests: u64,
    began: Option<Instant>,
}

impl Counts {
    /// Returns how long the turn has taken so far.
    pub(crate) fn turn_duration(&self) -> Duration {
        self.began.map(|instant| instant.elapsed()).unwrap_or_default()
    }
}

impl Tally {
    /// Returns the current counts.
    pub(crate) fn counts(&self) -> Counts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resets the counts of the turn.
    pub(crate) fn begin_turn(&self) {
        self.update_counts(|counts| {
            (counts.turn, counts.tools, counts.asked) = (Usage::default(), 0, false);
            counts.requests = 0;
            counts.began = Some(Instant::now());
        });
    }

    /// Counts a request to the model.
    pub(crate) fn count_request(&self) {
        self.update_counts(|counts| (counts.asked, counts.requests) = (true, counts.requests + 1));
    }

    /// Adds the token usage of an answer of the model.
    pub(crate) fn add_usage(&self, usage: Usage) {
        self.update_counts(|counts| {
            for part in [&mut counts.turn, &mut counts.conversation, &mut counts.session] {
                part.input += usage.input;
                part.output += usage.output;
            }
        });
    }

    /// Counts a tool call.
    pub(crate) fn count_tool_call(&self) {
        self.update_counts(|counts| counts.tools += 1);
    }

    /// Resets the counts of the conversation, because it was cleared.
    pub(crate) fn reset_conversation(&self) {
        self.update_counts(|counts| counts.conversation = Usage::default());
    }

    fn update_counts(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
