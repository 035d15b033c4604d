//! The parts of Codex's answers that are the same on every event, and the well-formed answers that
//! it refuses (CX-40 to CX-45). On a refused answer, the agent fails the hook and continues.

use serde_json::{Map, Value};

use super::events::{CUSTOM, EVENTS};
use crate::dialect::kit::answer::deny_incomplete_input;
use crate::dialect::kit::denial::{self, Halt};
use crate::dialect::kit::protocol::{Answers, Field, InvalidAnswer, Spec, Top};
pub(crate) use crate::dialect::typed::{Type, non_empty_text};

/// How the agent reads answers.
pub(super) static ANSWERS: Answers = Answers {
    events: EVENTS,
    custom: &CUSTOM,
    top: &[
        ("continue", Type::Flag),
        ("stopReason", Type::Text),
        ("suppressOutput", Type::Flag),
        ("systemMessage", Type::Text),
        ("decision", Type::Text),
        ("reason", Type::Text),
        ("hookSpecificOutput", Type::Object),
    ],
    carried: &["suppressOutput"],
    behavior: &[("behavior", Type::Text), ("message", Type::Text)],
    is_closed: true,
    ignored_exit2: |_, _, stderr| {
        stderr.is_empty().then_some("it exited with code 2 and said nothing on stderr")
    },
    refuses: check_no_refused_fields,
    adds: |event, _, answer| {
        let reason =
            |_: &str, key: &str| format!("hook returned updatedInput without string field `{key}`");
        deny_incomplete_input(event, COMMANDS, reason, answer);
    },
    denial: denial::Protocol {
        halt: Halt::Stops,
        named: true,
        tells: true,
        ..denial::Protocol::PLAIN
    },
};

/// Checks an answer for what the agent refuses: a decision without a reason, and keys that the
/// event does not accept.
fn check_no_refused_fields(spec: &Spec, object: &Map<String, Value>) -> Result<(), InvalidAnswer> {
    let says = |key: &str, word: &str| object.get(key).is_some_and(|value| value == word);
    if spec.top == Top::Blocks && says("decision", "block") && is_blank_field(object, "reason") {
        let (key, value) = ("decision", "block");
        return Err(InvalidAnswer::Incomplete { key, value, missing: "reason" });
    }
    let decides =
        |(_, field): &(&str, Field)| matches!(field, Field::Denial(_) | Field::Behavior(_));
    if !spec.fields.iter().any(decides) {
        return Ok(());
    }
    let flag = |key: &str, on: bool| object.get(key) == Some(&Value::Bool(on));
    let not_accepted = [
        ("continue", flag("continue", false)),
        ("stopReason", object.contains_key("stopReason")),
        ("suppressOutput", flag("suppressOutput", true)),
    ];
    if let Some((key, _)) = not_accepted.into_iter().find(|(_, is_set)| *is_set) {
        return Err(InvalidAnswer::NotTaken { event: spec.name, key });
    }
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    output.map_or(Ok(()), check_permission_decision)
}

/// Checks the decision: a denial needs a reason; an `allow` and a new input each need the other.
fn check_permission_decision(output: &Map<String, Value>) -> Result<(), InvalidAnswer> {
    let word = non_empty_text(output, "permissionDecision");
    let rewrites = output.contains_key("updatedInput");
    let incomplete = |value, missing| {
        Err(InvalidAnswer::Incomplete { key: "permissionDecision", value, missing })
    };
    match (word, rewrites) {
        (Some("deny"), _) if is_blank_field(output, "permissionDecisionReason") => {
            incomplete("deny", "permissionDecisionReason")
        }
        (Some("allow"), false) => incomplete("allow", "updatedInput"),
        (word, true) if word != Some("allow") => Err(InvalidAnswer::InputWithoutAllow),
        _ => Ok(()),
    }
}

fn is_blank_field(object: &Map<String, Value>, key: &str) -> bool {
    non_empty_text(object, key).is_none_or(|text| text.trim().is_empty())
}

/// The tools whose new input must name a command.
const COMMANDS: &[(&str, &[&str])] = &[("Bash", &["command"]), ("apply_patch", &["command"])];
