//! What is the person asked, since when, and how far have they read it?

use std::time::Duration;

use tokio::time::Instant;

use super::shown;
use crate::update::{Ask, Decision};

/// How long a question stands before a key answers it: whoever was typing when it came has not read it.
const READ: Duration = Duration::from_millis(400);

/// How far a question is read that is taller than its room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// From which of its lines it is shown.
    pub(super) from: usize,
    /// How many lines are shown at once.
    pub(super) page: usize,
    /// Whether all of them are.
    pub(super) whole: bool,
}

/// A question to the person. Dropped, it refuses.
#[derive(Debug)]
pub(super) struct Question {
    ask: Ask,
    /// When it came.
    since: Instant,
    /// What would run.
    pub(super) title: String,
    /// With which arguments: all of them, because what is not read is not agreed to.
    pub(super) arguments: Vec<String>,
    /// Why it is asked.
    pub(super) reason: String,
}

impl Question {
    /// A question that came now, fit to be shown.
    pub(super) fn new(ask: Ask, since: Instant) -> Self {
        let title = shown::spelled(&ask.call.tool, shown::NAME);
        let reason = shown::text(&ask.reason, shown::OUTPUT);
        let arguments = ask.call.input.as_object().into_iter().flatten();
        let arguments = arguments.map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let value = shown::spelled(value.trim_end(), shown::ASKED);
            let gap = if value.contains('\n') { "\n" } else { " " };
            format!("{}:{gap}{value}", shown::spelled(name, shown::NAME))
        });
        let arguments = arguments.collect();
        Self { ask, since, title, arguments, reason }
    }

    /// Whether it is about this call.
    pub(super) fn is_of(&self, id: &str) -> bool {
        self.ask.id == id
    }

    /// It was not to be seen until now.
    pub(super) const fn begin(&mut self, now: Instant) {
        self.since = now;
    }

    /// Whether it was there to be read.
    pub(super) fn is_read(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= READ
    }

    /// Says the decision, unless the question was answered elsewhere meanwhile.
    pub(super) fn answer(self, decision: Decision) {
        let _ = self.ask.decide.send(decision);
    }
}
