//! The open question: its text, its age, how far it is read, and the selected answer.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::{did, diff, shown};
use crate::conversation::Call;
use crate::update::{Ask, Decision};

/// How long a question is shown before a key answers it: a person who was typing when it came has
/// not read it.
const READ: Duration = Duration::from_millis(400);

/// How far a question is read that is taller than its area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// From which of its lines it is shown.
    pub(super) from: usize,
    /// How many lines are shown at once.
    pub(super) page: usize,
    /// Whether all of them are.
    pub(super) whole: bool,
    /// Whether the area can show the call: a call that cannot be shown cannot be approved (AG-3).
    pub(super) may_agree: bool,
}

/// What a question can be answered with (AG-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Yes, this once.
    Once,
    /// Yes, for the session.
    Always,
    /// No, and what was typed says why.
    No,
}

impl Choice {
    /// All of them, as they are numbered.
    pub(super) const ALL: &'static [Self] = &[Self::Once, Self::Always, Self::No];

    /// Returns the number key of this choice.
    pub(super) const fn number_key(self) -> char {
        match self {
            Self::Once => '1',
            Self::Always => '2',
            Self::No => '3',
        }
    }

    /// Returns labels of the choice, from the longest to the shortest.
    pub(super) const fn labels(self) -> [&'static str; 3] {
        match self {
            Self::Once => ["yes, once", "once", "yes"],
            Self::Always => ["yes, always this call", "always", "all"],
            Self::No => ["no", "no", "no"],
        }
    }

    /// Returns whether the call runs after this choice.
    pub(super) const fn allows_call(self) -> bool {
        !matches!(self, Self::No)
    }

    /// Returns the choice whose number is the whole text.
    pub(super) fn from_number(text: &str) -> Option<Self> {
        let is = |choice: &&Self| text.chars().eq([choice.number_key()]);
        Self::ALL.iter().find(is).copied()
    }

    /// Returns the next choice up or down; the first or the last if none is selected.
    pub(super) fn next_choice(now: Option<Self>, down: bool) -> Option<Self> {
        let last = Self::ALL.len() - 1;
        let at = now.and_then(|now| Self::ALL.iter().position(|choice| *choice == now));
        let at = match (at, down) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => (at + 1).min(last),
            (Some(at), false) => at.saturating_sub(1),
        };
        Self::ALL.get(at).copied()
    }
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
    /// Whether all of them can be read.
    pub(super) readable: bool,
    /// What hooks made it of: the lines that went and came, and who did it.
    pub(super) change: Option<String>,
    /// Why it is asked.
    pub(super) reason: String,
}

impl Question {
    /// Creates a question that was asked at `since`, with texts that are safe to show.
    pub(super) fn new(ask: Ask, since: Instant) -> Self {
        let title = shown::escape_invisible(&ask.call.tool, shown::NAME);
        let reason = shown::safe_text(&ask.reason, shown::OUTPUT);
        let arguments = argument_texts(&ask.call);
        let length =
            |value: &Value| value.as_str().map_or_else(|| value.to_string().len(), str::len);
        let values = ask.call.input.as_object().into_iter().flatten();
        let readable = values.map(|(_, value)| length(value)).sum::<usize>() <= shown::ASKED;
        let change = ask.was.as_ref().map(|rewritten| {
            let names: Vec<_> = rewritten.hooks.iter().map(|hook| format!("`{hook}`")).collect();
            let who = shown::single_line(&names.join(", "));
            format!("{who} rewrote what the model asked for:\n{}", did::rewrite_diff(rewritten))
        });
        Self { ask, since, title, arguments, readable, change, reason }
    }

    /// Returns the id of the call that the question is about.
    pub(super) fn call_id(&self) -> &str {
        &self.ask.id
    }

    /// Returns whether the question is about this call.
    pub(super) fn is_about_call(&self, id: &str) -> bool {
        self.ask.id == id
    }

    /// Records that the question is visible since `now`.
    pub(super) const fn mark_shown(&mut self, now: Instant) {
        self.since = now;
    }

    /// Returns whether the question was visible long enough to be read.
    pub(super) fn was_readable(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= READ
    }

    /// Sends the decision, unless the question was answered elsewhere meanwhile.
    pub(super) fn send_decision(self, decision: Decision) {
        let _ = self.ask.decide.send(decision);
    }
}

/// Returns the arguments as people read them: a replacement as a diff, every other argument with
/// its name. The model's description of the call is last, so that it cannot push the rest out of
/// sight.
fn argument_texts(call: &Call) -> Vec<String> {
    let change = diff::call_diff(call);
    let by_name = change.is_none();
    let mut all: Vec<_> = call
        .input
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| by_name || !diff::PARTS.contains(&name.as_str()))
        .collect();
    all.sort_by_key(|(name, _)| *name == "description");
    let named = all.into_iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value = shown::escape_invisible(value.trim_end(), shown::ASKED);
        let gap = if value.contains('\n') { "\n" } else { " " };
        format!("{}:{gap}{value}", shown::escape_invisible(name, shown::NAME))
    });
    named.chain(change.map(|change| format!("change:\n{change}"))).collect()
}
