//! The fields of an answer: one table of keys, one reader each (V-26). A wrong value is a failure,
//! an unknown key a remark.

use serde_json::{Map, Value};

use crate::answer::{Answer, Effects, Power, Restraint, Stop};
use crate::diagnostic::Code;
use crate::dialect::kit::unread::Unread;
use crate::dialect::native::VERSION;

/// The keys of an answer. The second column is the power that an event must give for it; `decision`
/// has four.
pub(crate) const KEYS: &[(&str, Option<Power>)] = &[
    ("v", None),
    ("decision", None),
    ("reason", None),
    ("context", Some(Power::Context)),
    ("message", Some(Power::Message)),
    ("input", Some(Power::Input)),
    ("prompt", Some(Power::Prompt)),
    ("output", Some(Power::Output)),
    ("stop", Some(Power::Stop)),
    ("env", Some(Power::Env)),
    ("watch", Some(Power::Watch)),
    ("permissions", Some(Power::Permissions)),
    ("retry", Some(Power::Retry)),
    ("first_message", Some(Power::InitialMessage)),
    ("extra", None),
];

/// Keys that tell a hook of Claude Code.
const CLAUDES: &[&str] = &["hookSpecificOutput", "continue", "systemMessage"];

/// The words of `decision`, in the order of restraint.
pub(super) const WORDS: &[&str] = &["allow", "ask", "defer", "deny"];
/// The decisions, in the order of restraint.
pub(crate) const DECISIONS: &[(&str, Restraint)] = &[
    ("allow", Restraint::Allow),
    ("ask", Restraint::Ask),
    ("defer", Restraint::Defer),
    ("deny", Restraint::Deny),
];

/// Reads one strict object. `null` is the same as an absent key, because serializers write it for
/// unset fields.
pub(super) fn read_answer_object(object: &Map<String, Value>) -> Answer {
    let mut answer = Answer::default();
    let mut wrong: Vec<String> = Vec::new();
    let mut known = false;
    let mut unread =
        Unread::new_for_read_fields(KEYS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
        if KEYS.iter().any(|(name, _)| name == key) {
            known = true;
            if let Err(expected) = add_field_to_answer(&mut answer, key, value) {
                wrong.push(format!("`{key}` is {}, and must be {expected}", describe_value(value)));
            }
        } else {
            unread.add_unread_key("", (key, value), KEYS.iter().map(|(name, _)| *name));
        }
    }
    unread.add_hint_if_keys_unread(foreign_keys_help(object));
    match unread.into_remark() {
        Some(unread) if !known => wrong.push(unread.message),
        unread => answer.remarks.extend(unread),
    }
    if wrong.is_empty() {
        return answer;
    }
    // What it denied stays denied; nothing else of a wrong answer is believed.
    let restraint = answer.restraint;
    let keeps = restraint > Restraint::Allow;
    Answer {
        restraint: if keeps { restraint } else { Restraint::Silent },
        reason: answer.reason.filter(|_| keeps),
        effects: Effects { stop: answer.effects.stop, ..Effects::default() },
        ..Answer::failed(Code::InvalidAnswer, wrong.join("; "))
    }
}

/// Describes a value in a few words, for messages.
fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let cut: String = text.chars().take(40).collect();
            format!("`{}`", cut.escape_debug())
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => format!("`{other}`"),
    }
}

/// Returns the help for keys that belong to another protocol.
fn foreign_keys_help(object: &Map<String, Value>) -> &'static str {
    let is_claudes = |key: &&str| object.contains_key(*key);
    if CLAUDES.iter().any(is_claudes) {
        "they are words of Claude Code's protocol: say `speaks = \"claude\"` in the hook's entry"
    } else {
        "fields of your own go into `extra`"
    }
}

/// Adds one field of the object to the answer; the error says what the field must be.
fn add_field_to_answer(answer: &mut Answer, key: &str, value: &Value) -> Result<(), &'static str> {
    let effects = &mut answer.effects;
    match key {
        "v" if value.as_u64() == Some(VERSION) => {}
        "v" => return Err("1, the version of the protocol"),
        "decision" => {
            let word = value.as_str();
            let found = DECISIONS.iter().find(|(name, _)| Some(*name) == word);
            answer.restraint =
                found.ok_or("`allow`, `ask`, `defer` or `deny`; leave it out to say nothing")?.1;
        }
        "reason" => answer.reason = Some(expect_string(value)?),
        "context" => effects.context = expect_string_or_strings(value)?,
        "message" => effects.messages = expect_string_or_strings(value)?,
        "input" if value.is_object() => effects.updated_input = Some(value.clone()),
        "input" => return Err("an object: the whole new input"),
        "prompt" => effects.updated_prompt = Some(expect_string(value)?),
        "output" => effects.updated_output = Some(value.clone()),
        "stop" => effects.stop = expect_stop_or_reason(value)?,
        "env" => effects.env = expect_object_of_strings(value)?,
        "watch" => effects.watch_paths = Some(expect_strings(value)?),
        "permissions" => effects.updated_permissions = expect_objects(value)?,
        "retry" => effects.retry = Some(value.as_bool().ok_or("true or false")?),
        "first_message" => effects.initial_user_message = Some(expect_string(value)?),
        "extra" => effects.extra = value.as_object().ok_or("an object")?.clone(),
        _ => {}
    }
    Ok(())
}

fn expect_string(value: &Value) -> Result<String, &'static str> {
    value.as_str().map(str::to_owned).ok_or("a string")
}

fn expect_string_or_strings(value: &Value) -> Result<Vec<String>, &'static str> {
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        _ => expect_strings(value).map_err(|_| "a string or an array of strings"),
    }
}

fn expect_strings(value: &Value) -> Result<Vec<String>, &'static str> {
    const EXPECTED: &str = "an array of strings";
    let items = value.as_array().ok_or(EXPECTED)?;
    items.iter().map(|item| expect_string(item).map_err(|_| EXPECTED)).collect()
}

fn expect_objects(value: &Value) -> Result<Vec<Value>, &'static str> {
    let items = value.as_array().filter(|items| items.iter().all(Value::is_object));
    items.cloned().ok_or("an array of objects")
}

fn expect_stop_or_reason(value: &Value) -> Result<Option<Stop>, &'static str> {
    match value {
        Value::Bool(true) => Ok(Some(Stop::default())),
        Value::Bool(false) => Ok(None),
        Value::String(reason) => Ok(Some(Stop { reason: Some(reason.clone()) })),
        _ => Err("true or a string: the reason"),
    }
}

fn expect_object_of_strings(value: &Value) -> Result<Map<String, Value>, &'static str> {
    let variables = value.as_object().filter(|map| map.values().all(Value::is_string));
    variables.cloned().ok_or("an object of strings")
}
