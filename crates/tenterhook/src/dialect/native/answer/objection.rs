//! Finds a denial where the protocol does not look for it: the native rows of the table of near misses (V-33, A-20).
//!
//! The table is closed: each row is a shape that nothing but a hook which objects would print. It never finds consent.

use serde_json::{Map, Value};

use super::fields::{DECISIONS, KEYS};
use super::slip;
use crate::answer::{Answer, Effects, Restraint, Slip, SlipKind, Stop};
use crate::diagnostic::nearest;
use crate::strict::Deviation;

/// Words that other protocols, and people, use for the decisions that restrain.
const SYNONYMS: &[(&str, Restraint)] = &[
    ("block", Restraint::Deny),
    ("blocked", Restraint::Deny),
    ("denied", Restraint::Deny),
    ("reject", Restraint::Deny),
    ("rejected", Restraint::Deny),
    ("refuse", Restraint::Deny),
    ("forbid", Restraint::Deny),
    ("disallow", Restraint::Deny),
    ("confirm", Restraint::Ask),
];

/// Keys of other protocols whose value is a decision.
const DECISION_KEYS: &[&str] =
    &["permissionDecision", "permission", "behavior", "action", "verdict"];
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
    let plain = |restraint, slip| Objection { restraint, stop: false, reason: None, slip };
    let deny = |slip| Some(plain(Restraint::Deny, Some(slip)));
    match value {
        Value::String(word) => {
            let (restraint, exact) = decision(word)?;
            if key == "decision" {
                let misspelt =
                    Slip { kind: SlipKind::MisspeltDecision, detail: format!("`{word}`") };
                return Some(plain(restraint, (!exact).then_some(misspelt)));
            }
            if DECISION_KEYS.contains(&key) {
                return Some(plain(restraint, Some(misplaced(key))));
            }
            // Only a key that is no key at all can be a slip of the pen.
            let known = KEYS.iter().map(|(name, _)| *name);
            (nearest(key, known) == Some("decision")).then(|| {
                plain(
                    restraint,
                    Some(Slip { kind: SlipKind::MisspeltKey, detail: format!("`{key}`") }),
                )
            })
        }
        Value::Bool(false) if key == "continue" => Some(Objection {
            restraint: Restraint::Silent,
            stop: true,
            reason: None,
            slip: Some(misplaced(key)),
        }),
        Value::Bool(false) if key == "decision" => {
            deny(Slip { kind: SlipKind::WrongType, detail: "`decision` is `false`".into() })
        }
        Value::Bool(false) if CONSENT_KEYS.contains(&key) => deny(misplaced(key)),
        Value::Bool(true) if DENIAL_KEYS.contains(&key) => deny(misplaced(key)),
        _ => None,
    }
}

/// The decision that a word means, if it restrains, and whether it is spelt as the protocol does.
fn decision(word: &str) -> Option<(Restraint, bool)> {
    let folded = word.trim().trim_end_matches(['.', '!']).to_lowercase();
    let known = DECISIONS.iter().chain(SYNONYMS).find(|(name, _)| *name == folded)?;
    let exact = DECISIONS.iter().any(|(name, _)| *name == word);
    (known.1 > Restraint::Allow).then_some((known.1, exact))
}
