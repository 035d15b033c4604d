//! The words that an object gives for what it decides, and whether it is a record of something
//! else. Decides nothing.

use serde_json::{Map, Value};

use super::keys::{self, Key, plain_key};
use super::vocabulary::says_no;

type Fields = Map<String, Value>;

/// Keys that hold the words for a decision, best first.
const REASON_KEYS: &[&str] = &[
    "permissiondecisionreason",
    "reason",
    "message",
    "stopreason",
    "usermessage",
    "errormessage",
    "systemmessage",
    "explanation",
    "feedback",
    "denyreason",
    "blockreason",
];

/// Whether the object gives words for what it decides.
pub(super) fn has_reason(object: &Fields) -> bool {
    let reasoned =
        |object: &Fields| object.iter().any(|(key, value)| is_reason(key) && value.is_string());
    reasoned(object) || object.values().filter_map(Value::as_object).any(reasoned)
}

/// Whether it is a record of a log, which may well tell of a decision.
pub(super) fn is_record(object: &Fields) -> bool {
    object.keys().any(|key| keys::kind(key).0 == Key::Log)
}

fn is_reason(key: &str) -> bool {
    REASON_KEYS.contains(&&*plain_key(key))
}

/// Whether `reason` is a sentence, and not a word by which a program's records are told apart.
pub(super) fn explains(fields: &Fields) -> bool {
    fields.get("reason").and_then(Value::as_str).is_some_and(|reason| reason.trim().contains(' '))
}

/// Whether `value`, at the flag of a denial, gives a reason: `{"block": "no rm"}`, `{"Deny":
/// {"reason": ..}}`, `{"deny": ["rm is not allowed"]}`. Words beside the flag of a consent that has
/// some are the names of `buttons`.
pub(super) fn gives_reason(value: &Value, buttons: impl FnOnce() -> bool) -> bool {
    match value {
        Value::String(text) => !buttons() && !text.trim().is_empty() && !says_no(value),
        Value::Object(inner) => {
            inner.iter().any(|(key, value)| is_reason(key) && value.is_string())
        }
        // Patterns of a list of rules are no sentences.
        Value::Array(items) => items.iter().filter_map(Value::as_str).any(|text| {
            let mut words = text.split_whitespace();
            words.clone().count() > 3
                && words.all(|word| word.chars().all(|c| c.is_alphabetic() || ",.'’".contains(c)))
        }),
        _ => false,
    }
}

/// The words that an object gives for what it decides: at the best of its keys that has some.
pub(super) fn reason_of(fields: &Fields) -> Option<String> {
    let mut found = [None; REASON_KEYS.len()];
    for (key, value) in fields {
        let plain = plain_key(key);
        if let Some(at) = REASON_KEYS.iter().position(|reason_key| *reason_key == plain)
            && let Some(first) = found.get_mut(at)
        {
            first.get_or_insert(value);
        }
    }
    let texts = found.into_iter().flatten().filter_map(Value::as_str);
    texts.filter(|text| !text.is_empty()).map(str::to_owned).next()
}
