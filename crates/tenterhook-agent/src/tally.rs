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
    /// How long the turn takes so far.
    pub(crate) fn took(&self) -> Duration {
        self.began.map(|instant| instant.elapsed()).unwrap_or_default()
    }
}

impl Tally {
    /// The current counts.
    pub(crate) fn counts(&self) -> Counts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub(crate) fn begin_turn(&self) {
        self.change(|counts| {
            (counts.turn, counts.tools, counts.asked) = (Usage::default(), 0, false);
            counts.requests = 0;
            counts.began = Some(Instant::now());
        });
    }

    /// The model is asked.
    pub(crate) fn asks(&self) {
        self.change(|counts| (counts.asked, counts.requests) = (true, counts.requests + 1));
    }

    /// The model answered.
    pub(crate) fn called(&self, usage: Usage) {
        self.change(|counts| {
            for part in [&mut counts.turn, &mut counts.conversation, &mut counts.session] {
                part.input += usage.input;
                part.output += usage.output;
            }
        });
    }

    /// A tool was called.
    pub(crate) fn used_tool(&self) {
        self.change(|counts| counts.tools += 1);
    }

    /// The conversation was cleared.
    pub(crate) fn forget(&self) {
        self.change(|counts| counts.conversation = Usage::default());
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
