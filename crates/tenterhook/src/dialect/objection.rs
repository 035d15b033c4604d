//! Finds a denial where a protocol does not look for it: the rows of the table of near misses that do not depend on the
//! event (V-33, A-20). Reads no report; which protocol it is, the caller says.
//!
//! The table is closed: each row is a shape that nothing but a hook which objects would print. It never finds consent.

use serde_json::{Map, Value};

use super::words;
use crate::answer::{Answer, Effects, Restraint, Slip, SlipKind, Stop};
use crate::diagnostic::nearest;
use crate::strict::Deviation;

/// What must be known of a protocol to tell what left it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Protocol {
    /// The words of its key `decision`; empty where it has no such key.
    pub(super) decisions: &'static [(&'static str, Restraint)],
    /// Its other keys, so that a slip of the pen is not found in one of them.
    pub(super) keys: fn() -> Vec<&'static str>,
    /// What `continue: false` does there.
    pub(super) halt: Halt,
}

/// What `continue: false` does in a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The protocol has no such key: who writes it wants everything to end.
    Misplaced,
    /// It denies.
    Denies,
}

/// Keys of other protocols whose value is a decision.
pub(super) const DECISION_KEYS: &[&str] =
    &["permissiondecision", "permission", "behavior", "action", "verdict"];
/// Keys of other protocols whose `false` objects.
pub(super) const CONSENT_KEYS: &[&str] = &["ok", "allow", "allowed", "approve", "approved"];
/// Keys of other protocols whose `true` objects.
pub(super) const DENIAL_KEYS: &[&str] = &["block", "blocked", "deny", "denied"];
/// Objects in which other protocols put their decision.
const NESTS: &[&str] = &["hookSpecificOutput", "decision", "answer", "result"];
/// Where reasons stand.
const REASONS: &[&str] =
    &["reason", "permissionDecisionReason", "stopReason", "message", "userMessage"];

/// A denial, and how it stands.
#[derive(Debug)]
pub(super) struct Objection {
    restraint: Restraint,
    stop: bool,
    reason: Option<String>,
    slip: Option<Slip>,
}

impl Objection {
    /// Whether it says more than an answer that was read as the protocol says.
    pub(super) fn outranks(&self, answer: &Answer) -> bool {
        self.slip.is_some()
            && (self.restraint > answer.restraint || (self.stop && answer.effects.stop.is_none()))
    }

    /// The stronger of two, the first of equals.
    pub(super) fn stronger(found: Option<Self>, next: Self) -> Option<Self> {
        match found {
            Some(found) if found.restraint >= next.restraint => Some(found),
            _ => Some(next),
        }
    }

    /// The same with words that stand elsewhere, where it has none of its own.
    pub(super) fn with_words_of(mut self, object: &Map<String, Value>) -> Self {
        self.reason = self.reason.or_else(|| reason(object));
        self
    }

    /// The answer that this objection is, with the slips of the text round it.
    pub(super) fn into_answer(self, deviations: &[Deviation]) -> Answer {
        let stop = self.stop.then(|| Stop { reason: self.reason.clone() });
        let mut slips: Vec<Slip> =
            deviations.iter().map(|it| Slip { kind: it.into(), detail: it.to_string() }).collect();
        slips.extend(self.slip);
        Answer {
            restraint: self.restraint,
            reason: self.reason.filter(|_| self.restraint != Restraint::Silent),
            effects: Effects { stop, ..Effects::default() },
            slips,
            ..Answer::default()
        }
    }
}

/// The strongest objection that `object` holds.
pub(super) fn find(protocol: &Protocol, object: &Map<String, Value>) -> Option<Objection> {
    let nested = NESTS.iter().filter_map(|key| Some((*key, object.get(*key)?.as_object()?)));
    let inner = nested.filter_map(|(key, inner)| {
        let mut found = own(protocol, inner).or_else(|| find_behavior(protocol, inner))?;
        let detail = found.slip.take().map_or_else(|| "decision".into(), |slip| slip.detail);
        found.slip = Some(misplaced(&format!("{key}.{detail}")));
        found.reason = found.reason.or_else(|| reason(object));
        Some(found)
    });
    own(protocol, object).into_iter().chain(inner).fold(None, Objection::stronger)
}

/// `hookSpecificOutput.decision.behavior`, two levels down.
fn find_behavior(protocol: &Protocol, inner: &Map<String, Value>) -> Option<Objection> {
    own(protocol, inner.get("decision")?.as_object()?)
}

fn own(protocol: &Protocol, object: &Map<String, Value>) -> Option<Objection> {
    let found = object.iter().filter_map(|(key, value)| pair(protocol, key, value));
    found.fold(None, Objection::stronger).map(|mut found| {
        found.reason = reason(object);
        found
    })
}

/// The first text that gives a reason.
pub(super) fn reason(object: &Map<String, Value>) -> Option<String> {
    REASONS.iter().find_map(|key| object.get(*key)?.as_str()).map(str::to_owned)
}

/// A decision that stands where nobody looks for it.
pub(super) fn misplaced(detail: &str) -> Slip {
    Slip { kind: SlipKind::MisplacedDecision, detail: format!("`{detail}`") }
}

fn pair(protocol: &Protocol, key: &str, value: &Value) -> Option<Objection> {
    let found = |restraint, slip| Some(Objection { restraint, stop: false, reason: None, slip });
    if key == "continue" && words::says_no(value) {
        return halted(protocol.halt, value);
    }
    if key == "decision" && words::says_no(value) {
        let detail = format!("`decision` is `{value}`");
        return found(Restraint::Deny, Some(Slip { kind: SlipKind::WrongType, detail }));
    }
    match value {
        Value::String(word) => {
            let (restraint, exact) = decision(protocol, word)?;
            found(restraint, word_slip(protocol, key, word, exact)?)
        }
        Value::Bool(false) if words::is_in(CONSENT_KEYS, key) => {
            found(Restraint::Deny, Some(misplaced(key)))
        }
        Value::Bool(true) if words::is_in(DENIAL_KEYS, key) => {
            found(Restraint::Deny, Some(misplaced(key)))
        }
        _ => None,
    }
}

/// `continue: false`, or what shows that it was meant.
fn halted(halt: Halt, value: &Value) -> Option<Objection> {
    let typed = (*value != Value::Bool(false)).then(|| Slip {
        kind: SlipKind::WrongType,
        detail: format!("`continue` is `{value}`, not `false`"),
    });
    let (restraint, stop, slip) = match halt {
        Halt::Misplaced => (Restraint::Silent, true, Some(misplaced("continue"))),
        Halt::Denies => (Restraint::Deny, false, typed),
    };
    Some(Objection { restraint, stop, reason: None, slip })
}

/// How a decision word slipped; the inner `None` is no slip, the outer one no decision at all.
#[expect(clippy::option_option, reason = "both kinds of nothing are needed, and in one place")]
fn word_slip(protocol: &Protocol, key: &str, word: &str, exact: bool) -> Option<Option<Slip>> {
    if key == "decision" && protocol.decisions.is_empty() {
        return Some(Some(misplaced(key)));
    }
    if key == "decision" {
        let misspelt = Slip { kind: SlipKind::MisspeltDecision, detail: format!("`{word}`") };
        return Some((!exact).then_some(misspelt));
    }
    if words::is_in(DECISION_KEYS, key) {
        return Some(Some(misplaced(key)));
    }
    // Only a key that is no key at all can be a slip of the pen.
    let mut known = (protocol.keys)();
    known.push("decision");
    let misspelt = !known.contains(&key) && nearest(key, known) == Some("decision");
    misspelt.then(|| Some(Slip { kind: SlipKind::MisspeltKey, detail: format!("`{key}`") }))
}

/// The decision that a word means, if it restrains, and whether it is spelt as the protocol does.
fn decision(protocol: &Protocol, word: &str) -> Option<(Restraint, bool)> {
    let restraint = words::restraint(word);
    let exact = protocol.decisions.iter().any(|(name, it)| *name == word && *it == restraint);
    (restraint > Restraint::Allow).then_some((restraint, exact))
}
