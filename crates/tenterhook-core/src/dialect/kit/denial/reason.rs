//! The words that an object gives for what it decides, and whether it is a record of something
//! else. Decides nothing.

use serde_json::{Map, Value};

use super::keys::{self, Key, normalize_key};
use super::vocabulary::is_false_like;

type Fields = Map<String, Value>;

/// Keys that hold the words for a decision, best first.
const REASON_KEYS: &[&str] = &[
    "permissiondecisionreason",
    "reason",
    "message",
    "stopreason",
    "usermessage",
    "agentmessage",
    "errormessage",
    "systemmessage",
    "explanation",
    "feedback",
    "denyreason",
    "blockreason",
    "why",
    "justification",
    "rationale",
];

/// Returns `true` if the object gives a reason for its decision.
pub(super) fn has_reason(object: &Fields) -> bool {
    let reasoned =
        |object: &Fields| object.iter().any(|(key, value)| is_reason_key(key) && value.is_string());
    reasoned(object) || object.values().filter_map(Value::as_object).any(reasoned)
}

/// Returns `true` if the object is a record of a log, which may well report a decision.
pub(super) fn is_log_record(object: &Fields) -> bool {
    object.keys().any(|key| keys::classify_key(key).0 == Key::Log)
}

fn is_reason_key(key: &str) -> bool {
    REASON_KEYS.contains(&&*normalize_key(key))
}

/// Returns `true` if `reason` is a sentence, and not a word that tells records apart.
pub(super) fn has_sentence_as_reason(fields: &Fields) -> bool {
    fields.get("reason").and_then(Value::as_str).is_some_and(|reason| reason.trim().contains(' '))
}

/// Returns `true` if `value`, at the flag of a denial, gives a reason: `{"block": "no rm"}`,
/// `{"Deny": {"reason": ..}}`, `{"deny": ["rm is not allowed"]}`. If the consent flag has a text,
/// texts at flags are the names of `buttons`.
pub(super) fn gives_reason(value: &Value, buttons: impl FnOnce() -> bool) -> bool {
    match value {
        Value::String(text) => !buttons() && !text.trim().is_empty() && !is_false_like(value),
        Value::Object(inner) => {
            inner.iter().any(|(key, value)| is_reason_key(key) && value.is_string())
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

/// Returns the reason that an object gives for its decision, from the best of its keys that has
/// one.
pub(super) fn reason_of_object(fields: &Fields) -> Option<String> {
    let mut found = [None; REASON_KEYS.len()];
    for (key, value) in fields {
        let plain = normalize_key(key);
        if let Some(at) = REASON_KEYS.iter().position(|reason_key| *reason_key == plain)
            && let Some(first) = found.get_mut(at)
        {
            first.get_or_insert(value);
        }
    }
    let texts = found.into_iter().flatten().filter_map(Value::as_str);
    texts.filter(|text| !text.is_empty()).map(str::to_owned).next()
}
