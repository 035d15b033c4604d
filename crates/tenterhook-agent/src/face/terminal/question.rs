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

    /// The number that chooses it.
    pub(super) const fn number(self) -> char {
        match self {
            Self::Once => '1',
            Self::Always => '2',
            Self::No => '3',
        }
    }

    /// What it means, in fewer and fewer words.
    pub(super) const fn labels(self) -> [&'static str; 3] {
        match self {
            Self::Once => ["yes, once", "once", "yes"],
            Self::Always => ["yes, always this call", "always", "all"],
            Self::No => ["no", "no", "no"],
        }
    }

    /// Whether the call runs.
    pub(super) const fn agrees(self) -> bool {
        !matches!(self, Self::No)
    }

    /// The one that this text, all of it, is the number of.
    pub(super) fn numbered(text: &str) -> Option<Self> {
        let is = |choice: &&Self| text.chars().eq([choice.number()]);
        Self::ALL.iter().find(is).copied()
    }

    /// The next one up or down, from the first or the last where none is chosen.
    pub(super) fn next(now: Option<Self>, down: bool) -> Option<Self> {
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
    /// A question that came now, fit to be shown.
    pub(super) fn new(ask: Ask, since: Instant) -> Self {
        let title = shown::spelled(&ask.call.tool, shown::NAME);
        let reason = shown::text(&ask.reason, shown::OUTPUT);
        let arguments = arguments(&ask.call);
        let length =
            |value: &Value| value.as_str().map_or_else(|| value.to_string().len(), str::len);
        let values = ask.call.input.as_object().into_iter().flatten();
        let readable = values.map(|(_, value)| length(value)).sum::<usize>() <= shown::ASKED;
        let change = ask.was.as_ref().map(|rewritten| {
            let names: Vec<_> = rewritten.hooks.iter().map(|hook| format!("`{hook}`")).collect();
            let who = shown::line(&names.join(", "));
            format!("{who} rewrote what the model asked for:\n{}", did::difference(rewritten))
        });
        Self { ask, since, title, arguments, readable, change, reason }
    }

    /// The call that it is about.
    pub(super) fn call(&self) -> &str {
        &self.ask.id
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

/// The arguments as they are read: a replacement as the lines that go and come, everything else by its name. What the model
/// tells of its call stands last, or it could push out of sight what the call does.
fn arguments(call: &Call) -> Vec<String> {
    let change = diff::of_call(call);
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
        let value = shown::spelled(value.trim_end(), shown::ASKED);
        let gap = if value.contains('\n') { "\n" } else { " " };
        format!("{}:{gap}{value}", shown::spelled(name, shown::NAME))
    });
    named.chain(change.map(|change| format!("change:\n{change}"))).collect()
}
