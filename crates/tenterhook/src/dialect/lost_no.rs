//! Finds the no of a model where the form of its answer has no place for it (MO-9): under keys of its own, at any depth, as a
//! text where a truth value belongs. Finds no consent.
//!
//! What a program prints is not searched so far: an object within it may be a record of something else. A model was asked
//! for its answer and nothing else.

use serde_json::{Map, Value};

use super::EventRow;
use super::objection::{self, CONSENT_KEYS, DECISION_KEYS, DENIAL_KEYS, misplaced};
use super::words::{self, is_in, plain_key, says_no, says_yes};
use crate::answer::{Answer, Power, Restraint};
use crate::report::Report;
use crate::strict::{self, Object};

/// Keys whose value is content: what it holds is no word of the model about the event (V-33).
const CONTENT: &[&str] = &[
    "additionalcontext",
    "context",
    "extra",
    "input",
    "message",
    "output",
    "reason",
    "systemmessage",
    "tool",
    "toolinput",
    "toolresponse",
    "updatedinput",
];

/// A no, where it stands and why.
struct No {
    restraint: Restraint,
    path: String,
    reason: Option<String>,
}

/// `answer`, or the no that it lost: looked for only where the words left their form and restrain nothing.
pub(super) fn or_found(answer: Answer, row: &EventRow, report: &Report) -> Answer {
    let in_form = answer.failure.is_none() && answer.remarks.is_empty();
    if in_form || answer.restraint > Restraint::Allow {
        return answer;
    }
    let reading = strict::read(report.stdout());
    let objects = reading.objects();
    let found = objects.iter().flat_map(Object::readings).filter(|it| !agrees(it));
    let found = found.filter_map(|it| search(row, it, "")).reduce(stronger);
    let Some(No { restraint, path, reason }) = found else { return answer };
    let failure = answer.failure.clone().filter(|_| restraint < Restraint::Deny);
    let (remarks, effects) = (answer.remarks.clone(), answer.effects.clone());
    let slips = vec![misplaced(&path)];
    Answer {
        restraint,
        reason,
        slips,
        failure,
        remarks,
        effects,
        plain: Some(answer.into()),
        ..Answer::default()
    }
}

/// Whether the whole says yes in so many words; what it lists below is then how it came to that.
fn agrees(object: &Map<String, Value>) -> bool {
    object.get("ok") == Some(&Value::Bool(true))
}

fn search(row: &EventRow, object: &Map<String, Value>, above: &str) -> Option<No> {
    let found = object.iter().filter_map(|(key, value)| {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        let restraint = says(key, value);
        if restraint > Restraint::Allow && can(row, restraint) {
            return Some(No { restraint, path, reason: None });
        }
        if CONTENT.contains(&plain_key(key).as_str()) {
            return None;
        }
        let inner = std::iter::once(value).chain(value.as_array().into_iter().flatten());
        inner.filter_map(Value::as_object).filter_map(|it| search(row, it, &path)).reduce(stronger)
    });
    let no = found.reduce(stronger)?;
    let reason = no.reason.or_else(|| objection::reason(object));
    Some(No { reason, ..no })
}

/// The stronger of two, the first of equals.
fn stronger(found: No, next: No) -> No {
    if found.restraint >= next.restraint { found } else { next }
}

fn says(key: &str, value: &Value) -> Restraint {
    let decides = plain_key(key) == "decision" || is_in(DECISION_KEYS, key);
    let denies = (decides || is_in(CONSENT_KEYS, key)) && says_no(value);
    if denies || (is_in(DENIAL_KEYS, key) && says_yes(value)) {
        return Restraint::Deny;
    }
    value.as_str().filter(|_| decides).map(words::restraint).unwrap_or_default()
}

fn can(row: &EventRow, restraint: Restraint) -> bool {
    row.powers.has(match restraint {
        Restraint::Ask => Power::Ask,
        Restraint::Defer => Power::Defer,
        Restraint::Deny => Power::Deny,
        Restraint::Silent | Restraint::Allow => return false,
    })
}
