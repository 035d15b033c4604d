//! Finds a denial where the protocol does not look for it: the native rows of the table of near misses (V-33, A-20).
//!
//! The table is closed: each row is a shape that nothing but a hook which objects would print. It never finds consent.

use serde_json::{Map, Value};

use super::fields::{DECISIONS, KEYS};
use super::slip;
use crate::answer::{Answer, Effects, Restraint, Slip, SlipKind, Stop};
use crate::diagnostic::nearest;
use crate::dialect::words;
use crate::strict::Deviation;

/// Keys of other protocols whose value is a decision.
const DECISION_KEYS: &[&str] =
    &["permissiondecision", "permission", "behavior", "action", "verdict"];
/// Keys of other protocols whose `false` objects.
const CONSENT_KEYS: &[&str] = &["ok", "allow", "allowed", "approve", "approved"];
/// Keys of other protocols whose `true` objects.
const DENIAL_KEYS: &[&str] = &["block", "blocked", "deny", "denied"];
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
            deviations.iter().map(|it| Slip { kind: slip(it), detail: it.to_string() }).collect();
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
pub(super) fn find(object: &Map<String, Value>) -> Option<Objection> {
    let nested = NESTS.iter().filter_map(|key| Some((*key, object.get(*key)?.as_object()?)));
    let inner = nested.filter_map(|(key, inner)| {
        let mut found = own(inner).or_else(|| find_behavior(inner))?;
        let detail = found.slip.take().map_or_else(|| "decision".into(), |slip| slip.detail);
        found.slip = Some(misplaced(&format!("{key}.{detail}")));
        found.reason = found.reason.or_else(|| reason(object));
        Some(found)
    });
    own(object).into_iter().chain(inner).fold(None, Objection::stronger)
}

/// `hookSpecificOutput.decision.behavior`, two levels down.
fn find_behavior(inner: &Map<String, Value>) -> Option<Objection> {
    own(inner.get("decision")?.as_object()?)
}

fn own(object: &Map<String, Value>) -> Option<Objection> {
    object.iter().filter_map(|(key, value)| pair(key, value)).fold(None, Objection::stronger).map(
        |mut found| {
            found.reason = reason(object);
            found
        },
    )
}

fn reason(object: &Map<String, Value>) -> Option<String> {
    REASONS.iter().find_map(|key| object.get(*key)?.as_str()).map(str::to_owned)
}

fn misplaced(detail: &str) -> Slip {
    Slip { kind: SlipKind::MisplacedDecision, detail: format!("`{detail}`") }
}

fn pair(key: &str, value: &Value) -> Option<Objection> {
    let found = |restraint, slip| Some(Objection { restraint, stop: false, reason: None, slip });
    if key == "continue" && words::says_no(value) {
        let slip = Some(misplaced(key));
        return Some(Objection { restraint: Restraint::Silent, stop: true, reason: None, slip });
    }
    if key == "decision" && words::says_no(value) {
        let detail = format!("`decision` is `{value}`");
        return found(Restraint::Deny, Some(Slip { kind: SlipKind::WrongType, detail }));
    }
    match value {
        Value::String(word) => {
            let (restraint, exact) = decision(word)?;
            found(restraint, word_slip(key, word, exact)?)
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

/// How a decision word slipped; the inner `None` is no slip, the outer one no decision at all.
#[expect(clippy::option_option, reason = "both kinds of nothing are needed, and in one place")]
fn word_slip(key: &str, word: &str, exact: bool) -> Option<Option<Slip>> {
    if key == "decision" {
        let misspelt = Slip { kind: SlipKind::MisspeltDecision, detail: format!("`{word}`") };
        return Some((!exact).then_some(misspelt));
    }
    if words::is_in(DECISION_KEYS, key) {
        return Some(Some(misplaced(key)));
    }
    // Only a key that is no key at all can be a slip of the pen.
    let known = KEYS.iter().map(|(name, _)| *name);
    let misspelt = nearest(key, known) == Some("decision");
    misspelt.then(|| Some(Slip { kind: SlipKind::MisspeltKey, detail: format!("`{key}`") }))
}

/// The decision that a word means, if it restrains, and whether it is spelt as the protocol does.
fn decision(word: &str) -> Option<(Restraint, bool)> {
    let restraint = words::restraint(word);
    let exact = DECISIONS.iter().any(|(name, it)| *name == word && *it == restraint);
    (restraint > Restraint::Allow).then_some((restraint, exact))
}
