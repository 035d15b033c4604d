//! Reads the sessions of the reference agent. Judges nothing.

use std::borrow::Cow;

use serde::Deserialize;

use super::claude::carry;
use super::raw::{Ask, Field, Unread};
use super::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    cwd: Field<'a>,
    #[serde(borrow, default)]
    version: Field<'a>,
    #[serde(borrow, default)]
    mode: Field<'a>,
    #[serde(borrow, default)]
    copied: Field<'a>,
    #[serde(borrow, default)]
    at: Field<'a>,
    #[serde(borrow, default)]
    role: Field<'a>,
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    calls: Field<'a>,
    #[serde(borrow, default)]
    results: Field<'a>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    tool: Field<'a>,
    #[serde(borrow, default)]
    input: Field<'a>,
}

#[derive(Deserialize)]
struct ToolResult<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    is_error: Field<'a>,
    #[serde(borrow, default)]
    outcome: Field<'a>,
    #[serde(borrow, default)]
    ran_input: Field<'a>,
}

/// Reads one file.
#[derive(Default)]
pub(super) struct Own;

impl ReadLine for Own {
    fn line(&mut self, text: &str, carried: &mut Carried, emit: Emit<'_>) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(at) = line.at.number() {
            carried.time = Some(at);
        }
        // The mode may change within a session.
        carry(&mut carried.mode, line.mode.text().as_deref());
        carried.is_copied = line.copied.yes();
        match line.r#type.text().as_deref() {
            Some("session") => {
                carry(&mut carried.session, line.id.text().as_deref());
                carry(&mut carried.cwd, line.cwd.text().as_deref());
                carry(&mut carried.facts.version, line.version.text().as_deref());
                carried.facts.session.clone_from(&carried.session);
            }
            Some("message") => message(&line, carried, emit),
            Some("cut" | "rewritten" | "taken_back") => {}
            Some(other) => carried.facts.unknown(other),
            None => return Err(Unread),
        }
        Ok(())
    }
}

fn message(line: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
    match line.role.text().as_deref() {
        Some("user") => emit(carried.record(Action::Prompt(line.text.text().unwrap_or_default()))),
        Some("assistant") => {
            let calls = line.calls.read::<Vec<ToolCall<'_>>>().unwrap_or_default();
            if calls.is_empty() {
                emit(carried.record(Action::Stop));
            }
            for call in calls {
                let (Some(id), Some(tool)) = (call.id.text(), call.tool.text()) else {
                    carried.facts.unknown("calls");
                    continue;
                };
                let input = Cow::Borrowed(call.input.json().unwrap_or("{}"));
                emit(carried.record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
            }
        }
        Some("tools") => {
            for result in line.results.read::<Vec<ToolResult<'_>>>().unwrap_or_default() {
                let Some(call) = result.id.text() else { continue };
                if let Some(input) = result.ran_input.json() {
                    emit(
                        carried
                            .record(Action::Rewritten { call: call.clone(), input: input.into() }),
                    );
                }
                emit(carried.record(ended(call, &result)));
            }
        }
        other => carried.facts.unknown(other.unwrap_or("message")),
    }
}

/// How a call ended, by its `outcome`; files of older versions have none: by its text.
fn ended<'a>(call: Cow<'a, str>, result: &ToolResult<'_>) -> Action<'a> {
    let text = result.text.text().unwrap_or_default();
    let by = match result.outcome.text().as_deref() {
        Some("denied_by_hook") => Some(Refuser::Hook),
        Some("denied_by_rule") => Some(Refuser::Rule),
        Some("denied_by_mode") => Some(Refuser::Mode),
        Some("denied_by_person" | "interrupted") => Some(Refuser::Person),
        Some(_) => None,
        None if text.starts_with("there is no tool ") => None,
        None if text.starts_with("the call was refused: ") => Some(Refuser::Unsaid),
        None if text == "it was interrupted" => Some(Refuser::Person),
        None => None,
    };
    if let Some(by) = by {
        return Action::Denial { call, by };
    }
    let ended = match result.outcome.text().as_deref() {
        Some("unknown_tool" | "bad_input") => Ended::Refused,
        _ if result.is_error.yes() => Ended::Failed,
        _ => Ended::Ran,
    };
    Action::Result { call, ended }
}
