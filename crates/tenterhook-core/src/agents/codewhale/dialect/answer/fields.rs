//! Reads the fields of an answer on each event, and those that the agent silently ignores (CW-S3,
//! CW-S4, CW-60). A mistake becomes a remark. Judges nothing.

use serde_json::{Map, Value};

use super::super::vocabulary;
use crate::answer::{Answer, Failure, Restraint};
use crate::diagnostic::Code;
use crate::dialect::kit::unread::Unread;
use crate::event::Event;
use crate::text;

/// The maximal length of a replaced message, in characters.
const MESSAGE_CAP: usize = 32_000;
/// The maximal length of a reason or a context, in characters.
pub(super) const TEXT_CAP: usize = 2_000;
/// The maximal length of rewritten arguments, in bytes.
const INPUT_CAP: usize = 32 * 1024;

/// The keys of an answer to `message_submit`.
pub(super) const SUBMIT: &[&str] = &["text", "reason"];
/// The keys of an answer to `tool_call_before`.
pub(super) const GATE: &[&str] = &["decision", "reason", "updatedInput", "additionalContext"];
/// The values of `decision`. A hook cannot grant anything: its `allow` has no effect (CW-63).
pub(super) const DECISIONS: &[(&str, Restraint)] =
    &[("allow", Restraint::Silent), ("ask", Restraint::Ask), ("deny", Restraint::Deny)];

/// The names of the values of `decision`.
pub(super) const WORDS: &[&str] = &["allow", "ask", "deny"];

/// The code of a remark about an invalid field: a gate with one gave no answer (CW-68).
pub(super) const INVALID: Code = Code::InvalidAnswer;
/// The code of output that is not an answer.
pub(super) const UNREADABLE: Code = Code::UnreadableAnswer;

/// Whether the agent knows the decision `word`.
pub(super) fn is_known_decision(word: &str) -> bool {
    DECISIONS.iter().any(|(name, _)| *name == word)
}

/// An answer without an effect, with a remark that says why.
pub(super) fn answer_with_remark(message: impl Into<String>) -> Answer {
    let remark = Failure::new(UNREADABLE, message);
    Answer { remarks: vec![remark], ..Answer::default() }
}

pub(super) fn read_submit_fields(object: &Map<String, Value>) -> Answer {
    let mut answer = Answer::default();
    let wrong = match object.get("text") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.is_empty() => Some("`text` is empty".to_owned()),
        Some(Value::String(text)) if text.chars().nth(MESSAGE_CAP).is_some() => {
            Some(format!("`text` is longer than {MESSAGE_CAP} characters"))
        }
        Some(Value::String(text)) => {
            answer.effects.updated_prompt = Some(text.clone());
            None
        }
        Some(_) => Some("`text` is not a string".to_owned()),
    };
    answer
        .remarks
        .extend(wrong.map(|text| invalid_field_failure(format!("{text}; the text is unchanged"))));
    answer.remarks.extend(unknown_keys_remark(object, SUBMIT));
    answer
}

pub(super) fn read_gate_fields(object: &Map<String, Value>, event: &Event) -> Answer {
    let mut answer = Answer::default();
    match object.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) => match DECISIONS.iter().find(|(name, _)| name == word) {
            Some((_, restraint)) => answer.restraint = *restraint,
            None => {
                answer.remarks.push(invalid_field_failure(format!("`decision` cannot be `{word}`")))
            }
        },
        Some(other) => {
            answer.remarks.push(invalid_field_failure(format!("`decision` cannot be `{other}`")))
        }
    }
    let text = |key: &str| object.get(key)?.as_str().map(|text| text::clean(text, TEXT_CAP).text);
    answer.reason = text("reason").filter(|_| answer.restraint != Restraint::Silent);
    answer.effects.context.extend(text("additionalContext").filter(|text| !text.is_empty()));
    match object.get("updatedInput") {
        None | Some(Value::Null) => {}
        Some(input @ Value::Object(_)) if input.to_string().len() <= INPUT_CAP => {
            answer.effects.updated_input = Some(vocabulary::to_neutral_input(event, input));
        }
        Some(Value::Object(_)) => {
            let message = format!("`updatedInput` is longer than {INPUT_CAP} bytes; it is ignored");
            answer.remarks.push(invalid_field_failure(message));
        }
        Some(_) => {
            answer.remarks.push(invalid_field_failure(
                "`updatedInput` is not an object; it is ignored".to_owned(),
            ));
        }
    }
    answer.remarks.extend(unknown_keys_remark(object, GATE));
    answer
}

fn invalid_field_failure(message: String) -> Failure {
    Failure::new(INVALID, message)
}

/// The remark about keys that the agent does not read.
fn unknown_keys_remark(
    object: &Map<String, Value>,
    known: &'static [&'static str],
) -> Option<Failure> {
    let mut unread =
        Unread::new_for_read_fields(known.iter().map(|key| (*key).to_owned()).collect());
    for (key, value) in object.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        unread.add_unread_key("", (key, value), known.iter().copied());
    }
    unread.into_remark()
}
