//! Gathers the records of one call, and finds whether a call that ran was kept from its gates. Reads no file.

use std::collections::BTreeMap;

use serde_json::Value;
use tenterhook::internal::record::read::Entry;

use super::cause::Cause;
use super::{GATE, Open};

/// How often which event of one session is on record.
#[derive(Debug, Default)]
pub(super) struct OfSession(BTreeMap<String, u64>);

impl OfSession {
    pub(super) fn count_event(&mut self, event: String) {
        *self.0.entry(event).or_default() += 1;
    }

    /// Returns the events, if `PreToolUse` is not among them.
    pub(super) fn events_if_no_gate_recorded(&self) -> Option<&BTreeMap<String, u64>> {
        (!self.0.contains_key(GATE)).then_some(&self.0)
    }
}

/// The records of one call.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    is_denied: bool,
    is_changed: bool,
    /// What hooks were asked about, each by its digest.
    effects: Vec<String>,
    /// What was found when it had run (BR-93 to BR-95).
    found: Option<Cause>,
}

/// The faults of a call that was kept from its gates.
const FOUND: &[(&str, Cause)] = &[
    ("silenced-call", Cause::Silenced),
    ("overruled-denial", Cause::Overruled),
    ("masked-call", Cause::Masked),
];

impl Recorded {
    pub(super) fn add_entry(&mut self, event: &str, entry: &Entry) {
        let faults = entry.get("faults").and_then(Value::as_array).into_iter().flatten();
        let faults = faults.filter_map(Value::as_str);
        let found = faults.filter_map(|fault| FOUND.iter().find(|(code, _)| *code == fault));
        self.found = self.found.or(found.map(|(_, cause)| *cause).next());
        if event == "PostToolUse" {
            return;
        }
        let decision = entry.get("decision").and_then(Value::as_str);
        self.is_denied |= matches!(decision, Some("deny" | "stop"));
        self.is_changed |= entry.get("rewrote") == Some(&Value::Bool(true));
        let effect = entry.get("effect").and_then(|effect| effect.get("digest"));
        self.effects.extend(effect.and_then(Value::as_str).map(str::to_owned));
    }

    /// Returns why the gates did not see the call that ran, if they did not.
    pub(super) fn cause_of_gap(&self, call: &Open) -> Option<Cause> {
        let is_masked = |effect: &String| {
            !self.is_changed && !self.effects.is_empty() && !self.effects.contains(effect)
        };
        match () {
            () if !call.has_run => None,
            () if self.found.is_some() => self.found,
            () if self.is_denied => Some(Cause::Overruled),
            () if call.effect.as_ref().is_some_and(is_masked) => Some(Cause::Masked),
            () => None,
        }
    }
}
