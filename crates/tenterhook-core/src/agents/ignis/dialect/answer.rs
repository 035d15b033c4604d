//! Reads the answer of a hook from its exit code and output as ignis does (I-13 to I-26), and finds
//! denials that ignis would lose. Judges nothing.

use serde_json::{Map, Value};

use super::events::TOOLS;
use crate::answer::{Answer, Failure, Power, Powers, Restraint};
use crate::diagnostic::Code;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Hearing, Protocol};
use crate::dialect::kit::unread::Unread;
pub(crate) use crate::dialect::typed::{TypeMismatch, value_kind};
use crate::dialect::{EventRow, tools};
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict::{self, Deviation, Found, Reading};

/// The exit code that blocks.
const BLOCKS: i32 = 2;

/// How many characters of stderr a warning quotes.
const QUOTED: usize = 200;

/// No key of this protocol takes a decision; `continue: false` denies.
const PROTOCOL: Protocol = Protocol { input_is_object: false, ..Protocol::PLAIN };

/// The fields of an answer, and those of `hookSpecificOutput`.
const FIELDS: &[&str] = &["continue", "systemMessage", "hookSpecificOutput"];
const OUTPUT: &[&str] = &["hookEventName", "updatedInput", "updatedOutput"];

pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let stderr = stderr.as_str();
    let reading = strict::read_output(stdout);
    let exact = match &report.end {
        End::Exited(BLOCKS) => blocking_answer(stderr, None),
        End::Exited(0) => match report.failure() {
            Some(failure) => harmless_failure_answer(failure.code, &failure.message, stderr),
            None => read_output(event, row, &reading, stderr),
        },
        End::Exited(code) => {
            let failure = Failure::exit_code_failure(*code, &shortened_stderr(stderr));
            Answer { failure: Some(failure), ..Answer::default() }
        }
        _ => match report.failure() {
            Some(failure) => harmless_failure_answer(failure.code, &failure.message, stderr),
            None => Answer::default(),
        },
    };
    if !row.powers.has(Power::Deny) {
        return exact;
    }
    let can = Powers::from_slice(&[Power::Deny]);
    let hearing = Hearing { can, ..Hearing::for_report(row, report, &reading, stderr, &PROTOCOL) };
    let guarded = denial::recover_denial(&hearing, exact.clone());
    if exact.restraint == Restraint::Deny {
        return guarded;
    }
    if guarded.restraint != Restraint::Deny {
        // A malformed answer that restrains nothing is a failure already, so one warning is enough
        // (Ruling 24).
        return Answer { unclear: guarded.unclear, ..exact };
    }
    // A remark about an unread field would only repeat the field that holds the denial.
    Answer { remarks: Vec::new(), ..guarded }
}

/// Returns the answer for exit code 2, or for `continue: false` (I-14, I-15).
fn blocking_answer(stderr: &str, message: Option<&str>) -> Answer {
    let reason = [stderr, message.unwrap_or_default()].into_iter().find(|text| !text.is_empty());
    Answer { restraint: Restraint::Deny, reason: reason.map(str::to_owned), ..Answer::default() }
}

/// A failure that blocks nothing: one warning with the start of stderr (I-17).
fn harmless_failure_answer(code: Code, message: &str, stderr: &str) -> Answer {
    let line = shortened_stderr(stderr);
    let colon = if line.is_empty() { "" } else { ": " };
    Answer::failed(code, format!("{message}{colon}{line}"))
}

/// Returns stderr on one line, cut to `QUOTED` characters.
fn shortened_stderr(stderr: &str) -> String {
    let line = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= QUOTED {
        return line;
    }
    line.chars().take(QUOTED).chain(['…']).collect()
}

/// Reads the output of a hook that exited with code 0: nothing, or exactly one object (I-16).
fn read_output(event: &Event, row: &EventRow, reading: &Reading, stderr: &str) -> Answer {
    let tolerated = |deviation: &Deviation| matches!(deviation, Deviation::InvalidUtf8);
    match &reading.found {
        Found::Empty => Answer::default(),
        Found::Object(object) if reading.deviations.iter().all(tolerated) => {
            read_answer_fields(event, row, &object.fields, stderr).unwrap_or_else(|fault| {
                harmless_failure_answer(Code::InvalidAnswer, &format!("its {fault}"), stderr)
            })
        }
        _ => {
            let why = match reading.deviations.first() {
                Some(deviation) => format!("its answer cannot be read: {deviation}"),
                None => "it printed something that is not a JSON object".to_owned(),
            };
            harmless_failure_answer(Code::UnreadableAnswer, &why, stderr)
        }
    }
}

/// Reads the fields of an answer. A field of the wrong type makes the whole answer invalid.
fn read_answer_fields(
    event: &Event,
    row: &EventRow,
    object: &Map<String, Value>,
    stderr: &str,
) -> Result<Answer, TypeMismatch> {
    let goes_on = read_typed_field(object, "continue", Value::as_bool, "`true` or `false`")?;
    let message = read_text_field(object, "systemMessage")?;
    let none = Map::new();
    let output = read_typed_field(object, "hookSpecificOutput", Value::as_object, "an object")?;
    let output = output.unwrap_or(&none);
    let named = read_text_field(output, "hookEventName")?;
    let mut answer =
        if goes_on == Some(false) { blocking_answer(stderr, message) } else { Answer::default() };
    if let Some(message) = message.filter(|message| answer.reason.as_deref() != Some(*message)) {
        answer.effects.messages.push(message.to_owned());
    }
    for key in ["updatedInput", "updatedOutput"] {
        let Some(text) = read_text_field(output, key)? else { continue };
        // A hook that blocks rewrites nothing.
        if answer.restraint != Restraint::Deny {
            apply_rewrite_field(&mut answer, event, row, key, text, stderr);
        }
    }
    if let Some(named) = named.filter(|text| **text != *row.name) {
        let message = format!("`hookEventName` is `{named}`, and the event is `{}`", row.name);
        answer.remarks.push(Failure::new(Code::WrongEventName, message));
    }
    // Unread fields are reported, because a hook of another agent may have put its answer there
    // (I-22).
    let mut unread = Unread::default();
    for (path, object, known) in [("", object, FIELDS), ("hookSpecificOutput.", output, OUTPUT)] {
        for (key, value) in object.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            unread.add_unread_key(path, (key, value), known.iter().copied());
        }
    }
    answer.remarks.extend(unread.into_remark());
    Ok(answer)
}

/// Applies the field that this event reads (I-18 to I-21), and reports the other one as ignored.
fn apply_rewrite_field(
    answer: &mut Answer,
    event: &Event,
    row: &EventRow,
    key: &str,
    text: &str,
    stderr: &str,
) {
    let powers = row.powers;
    let effects = &mut answer.effects;
    match key {
        "updatedInput" if powers.has(Power::Prompt) => effects.updated_prompt = Some(text.into()),
        "updatedInput" if powers.has(Power::Input) => match parse_tool_input(event, text) {
            Ok(input) => effects.updated_input = Some(input),
            Err(fault) => {
                answer.failure =
                    harmless_failure_answer(Code::InvalidAnswer, &fault.to_string(), stderr)
                        .failure;
            }
        },
        "updatedOutput" if powers.has(Power::Output) => effects.updated_output = Some(text.into()),
        _ => {
            let message = format!("`{}` reads no `{key}`", row.name);
            answer.remarks.push(Failure::new(Code::NotHonoured, message));
        }
    }
}

/// Why `updatedInput` is not a tool input.
#[derive(Debug, thiserror::Error)]
enum ToolInputFault {
    #[error("its `updatedInput` is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error("its `updatedInput` holds no object")]
    NotObject,
}

/// Parses a tool input, which is JSON in a string, with the agent's own keys.
fn parse_tool_input(event: &Event, text: &str) -> Result<Value, ToolInputFault> {
    let input = serde_json::from_str::<Value>(text)?;
    if !input.is_object() {
        return Err(ToolInputFault::NotObject);
    }
    let known =
        tools::find_tool_by_neutral_name(TOOLS, event.text("tool_name").unwrap_or_default());
    Ok(known.map_or(input.clone(), |tool| tool.to_neutral_input(&input)))
}

fn read_text_field<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a str>, TypeMismatch> {
    read_typed_field(object, key, Value::as_str, "a string")
}

/// Reads a field of the expected type; `null` is treated like a missing field.
fn read_typed_field<'a, T>(
    object: &'a Map<String, Value>,
    key: &str,
    read: impl FnOnce(&'a Value) -> Option<T>,
    expected: &'static str,
) -> Result<Option<T>, TypeMismatch> {
    let Some(value) = object.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
    match read(value) {
        Some(value) => Ok(Some(value)),
        None => Err(TypeMismatch { key: key.to_owned(), expected, found: value_kind(value) }),
    }
}
