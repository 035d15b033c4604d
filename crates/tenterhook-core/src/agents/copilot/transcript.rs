//! Reads the sessions of Copilot CLI 1.0.102, which also record each run of a hook. Judges nothing.

use std::borrow::Cow;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Field, Unread, Within, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Line<'a> {
        r#type: Field<'a>,
        timestamp: Field<'a>,
        #[serde(rename = "agentId")]
        agent: Field<'a>,
        data: Within<Data<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    struct Data<'a> {
        session_id: Field<'a>,
        copilot_version: Field<'a>,
        context: Field<'a>,
        content: Field<'a>,
        tool_call_id: Field<'a>,
        tool_name: Field<'a>,
        arguments: Field<'a>,
        mcp_server_name: Field<'a>,
        mcp_tool_name: Field<'a>,
        parent_tool_call_id: Field<'a>,
        success: Field<'a>,
        error: Field<'a>,
        tool_requests: Field<'a>,
        hook_type: Field<'a>,
        input: Field<'a>,
        new_mode: Field<'a>,
    }

    struct Context<'a> {
        cwd: Field<'a>,
    }

    struct Error<'a> {
        message: Field<'a>,
        code: Field<'a>,
    }

    struct Input<'a> {
        #[serde(rename = "toolCalls")]
        calls: Field<'a>,
    }

    struct Id<'a> {
        id: Field<'a>,
    }
}

/// Prefixes of the kinds of records that are no event.
const OTHERS: &[&str] = &[
    "abort",
    "assistant.",
    "capabilities.",
    "command.",
    "elicitation.",
    "external_tool.",
    "hook.",
    "mcp.",
    "permission.",
    "sampling.",
    "session.",
    "skill.",
    "subagent.",
    "system.",
    "tool.",
    "user_input.",
];

/// Reads one file.
#[derive(Default)]
pub(crate) struct Copilot;

impl ReadLine for Copilot {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.string_value().ok_or(Unread)?;
        carried.time = raw::parse_timestamp(line.timestamp.string_value().as_deref());
        carried.subagent = None;
        replace_carried_if_new(&mut carried.subagent, line.agent.string_value().as_deref());
        let data = || line.data.as_object();
        match &*kind {
            "session.start" | "session.resume" => read_session_start(data(), carried),
            "session.mode_changed" => {
                replace_carried_if_new(
                    &mut carried.mode,
                    data().and_then(|d| d.new_mode.string_value()).as_deref(),
                );
            }
            "user.message" => {
                let text = data().and_then(|d| d.content.string_value()).unwrap_or_default();
                emit(carried.new_record(Action::Prompt(text)));
            }
            "assistant.message" => {
                let requests = data().and_then(|d| d.tool_requests.json_text());
                if requests.is_none_or(|request| request == "[]") {
                    emit(carried.new_record(Action::Stop));
                }
            }
            "tool.execution_start" => emit_call(data(), carried, emit),
            "tool.execution_complete" => emit_call_end(data(), carried, emit),
            "hook.start" => emit_calls_passed_to_hooks(data(), carried, emit),
            kind if OTHERS.iter().any(|start| kind.starts_with(start)) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
        Ok(())
    }
}

fn read_session_start(data: Option<&Data<'_>>, carried: &mut Carried) {
    let Some(data) = data else { return };
    replace_carried_if_new(&mut carried.session, data.session_id.string_value().as_deref());
    replace_carried_if_new(
        &mut carried.facts.version,
        data.copilot_version.string_value().as_deref(),
    );
    let context = data.context.deserialize_value::<Context<'_>>();
    replace_carried_if_new(
        &mut carried.cwd,
        context.and_then(|context| context.cwd.string_value()).as_deref(),
    );
    carried.facts.session.clone_from(&carried.session);
}

fn emit_call(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(name)) = (
        data.as_ref().and_then(|d| d.tool_call_id.string_value()),
        data.as_ref().and_then(|d| d.tool_name.string_value()),
    ) else {
        return carried.facts.count_record_of_unknown_kind("tool.execution_start");
    };
    let Some(data) = data else { return };
    if carried.subagent.is_none() {
        replace_carried_if_new(
            &mut carried.subagent,
            data.parent_tool_call_id.string_value().as_deref(),
        );
    }
    let tool = match (data.mcp_server_name.string_value(), data.mcp_tool_name.string_value()) {
        (Some(server), Some(tool)) => Cow::Owned(format!("mcp__{server}__{tool}")),
        _ => name,
    };
    let input = Cow::Borrowed(data.arguments.json_text().unwrap_or("{}"));
    emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
}

fn emit_call_end(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let Some(data) = data else { return };
    let Some(call) = data.tool_call_id.string_value() else { return };
    if data.success.holds_true() {
        return emit(carried.new_record(Action::Result { call, ended: Ended::Ran }));
    }
    let error = data.error.deserialize_value::<Error<'_>>();
    let text = error.as_ref().and_then(|error| error.message.string_value()).unwrap_or_default();
    let is_denied =
        error.as_ref().is_some_and(|error| error.code.string_value().as_deref() == Some("denied"));
    let by = match &*text {
        text if text.starts_with("Denied by preToolUse hook") => Refuser::Hook,
        text if text.contains("due to the following rules") => Refuser::Rule,
        text if text.contains("rejected by user") || text.contains("by the user") => {
            Refuser::Person
        }
        text if text.contains("no approval rule")
            || text.contains("could not request permission") =>
        {
            Refuser::Mode
        }
        _ => Refuser::Unsaid,
    };
    if is_denied {
        return emit(carried.new_record(Action::Denial { call, by }));
    }
    let is_unknown = text.starts_with("Tool '") && text.contains("does not exist");
    let ended = if is_unknown { Ended::Refused } else { Ended::Failed };
    emit(carried.new_record(Action::Result { call, ended }));
}

/// Emits the calls that were passed to a hook before a tool.
fn emit_calls_passed_to_hooks(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let Some(data) = data else { return };
    if data.hook_type.string_value().as_deref() != Some("preToolUse") {
        return;
    }
    let calls = data
        .input
        .deserialize_value::<Input<'_>>()
        .and_then(|input| input.calls.deserialize_value::<Vec<Id<'_>>>());
    for id in calls.unwrap_or_default().iter().filter_map(|call| call.id.string_value()) {
        emit(carried.new_record(Action::Asked(id)));
    }
}
