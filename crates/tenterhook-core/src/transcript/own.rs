//! Reads the sessions of the reference agent. Judges nothing.

use std::borrow::Cow;

use super::claude::replace_carried_if_new;
use super::raw::{Ask, Field, Unread, borrowed_parts};
use super::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Line<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        cwd: Field<'a>,
        version: Field<'a>,
        mode: Field<'a>,
        copied: Field<'a>,
        at: Field<'a>,
        role: Field<'a>,
        text: Field<'a>,
        calls: Field<'a>,
        results: Field<'a>,
    }

    struct ToolCall<'a> {
        id: Field<'a>,
        tool: Field<'a>,
        input: Field<'a>,
    }

    struct ToolResult<'a> {
        id: Field<'a>,
        text: Field<'a>,
        is_error: Field<'a>,
        outcome: Field<'a>,
        ran_input: Field<'a>,
    }
}

/// Reads one file.
#[derive(Default)]
pub(super) struct Own;

impl ReadLine for Own {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(at) = line.at.integer_value() {
            carried.time = Some(at);
        }
        // The mode may change within a session.
        replace_carried_if_new(&mut carried.mode, line.mode.string_value().as_deref());
        carried.is_copied = line.copied.holds_true();
        match line.r#type.string_value().as_deref() {
            Some("session") => {
                replace_carried_if_new(&mut carried.session, line.id.string_value().as_deref());
                replace_carried_if_new(&mut carried.cwd, line.cwd.string_value().as_deref());
                replace_carried_if_new(
                    &mut carried.facts.version,
                    line.version.string_value().as_deref(),
                );
                carried.facts.session.clone_from(&carried.session);
            }
            Some("message") => emit_message_records(&line, carried, emit),
            Some("cut" | "rewritten" | "taken_back") => {}
            Some(other) => carried.facts.count_record_of_unknown_kind(other),
            None => return Err(Unread),
        }
        Ok(())
    }
}

fn emit_message_records(line: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
    match line.role.string_value().as_deref() {
        Some("user") => {
            emit(carried.new_record(Action::Prompt(line.text.string_value().unwrap_or_default())))
        }
        Some("assistant") => {
            let calls = line.calls.deserialize_value::<Vec<ToolCall<'_>>>().unwrap_or_default();
            if calls.is_empty() {
                emit(carried.new_record(Action::Stop));
            }
            for call in calls {
                let (Some(id), Some(tool)) = (call.id.string_value(), call.tool.string_value())
                else {
                    carried.facts.count_record_of_unknown_kind("calls");
                    continue;
                };
                let input = Cow::Borrowed(call.input.json_text().unwrap_or("{}"));
                emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
            }
        }
        Some("tools") => {
            for result in
                line.results.deserialize_value::<Vec<ToolResult<'_>>>().unwrap_or_default()
            {
                let Some(call) = result.id.string_value() else { continue };
                if let Some(input) = result.ran_input.json_text() {
                    emit(
                        carried.new_record(Action::Rewritten {
                            call: call.clone(),
                            input: input.into(),
                        }),
                    );
                }
                emit(carried.new_record(call_end_action(call, &result)));
            }
        }
        other => carried.facts.count_record_of_unknown_kind(other.unwrap_or("message")),
    }
}

/// Returns how a call ended, by its `outcome`; files of older versions lack that, so then by its
/// text.
fn call_end_action<'a>(call: Cow<'a, str>, result: &ToolResult<'_>) -> Action<'a> {
    let text = result.text.string_value().unwrap_or_default();
    let by = match result.outcome.string_value().as_deref() {
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
    let ended = match result.outcome.string_value().as_deref() {
        Some("unknown_tool" | "bad_input") => Ended::Refused,
        _ if result.is_error.holds_true() => Ended::Failed,
        _ => Ended::Ran,
    };
    Action::Result { call, ended }
}
