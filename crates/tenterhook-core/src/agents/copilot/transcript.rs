//! Reads the sessions of Copilot CLI 1.0.102, which also record each run of a hook. Judges nothing.

use std::borrow::Cow;

use serde::Deserialize;

use crate::transcript::claude::carry;
pub(crate) use crate::transcript::raw::{self, Ask, Field, Unread, Within};
pub(crate) use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    timestamp: Field<'a>,
    #[serde(borrow, default, rename = "agentId")]
    agent: Field<'a>,
    #[serde(borrow, default)]
    data: Within<Data<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow, default)]
    session_id: Field<'a>,
    #[serde(borrow, default)]
    copilot_version: Field<'a>,
    #[serde(borrow, default)]
    context: Field<'a>,
    #[serde(borrow, default)]
    content: Field<'a>,
    #[serde(borrow, default)]
    tool_call_id: Field<'a>,
    #[serde(borrow, default)]
    tool_name: Field<'a>,
    #[serde(borrow, default)]
    arguments: Field<'a>,
    #[serde(borrow, default)]
    mcp_server_name: Field<'a>,
    #[serde(borrow, default)]
    mcp_tool_name: Field<'a>,
    #[serde(borrow, default)]
    parent_tool_call_id: Field<'a>,
    #[serde(borrow, default)]
    success: Field<'a>,
    #[serde(borrow, default)]
    error: Field<'a>,
    #[serde(borrow, default)]
    tool_requests: Field<'a>,
    #[serde(borrow, default)]
    hook_type: Field<'a>,
    #[serde(borrow, default)]
    input: Field<'a>,
    #[serde(borrow, default)]
    new_mode: Field<'a>,
}

#[derive(Deserialize)]
struct Context<'a> {
    #[serde(borrow, default)]
    cwd: Field<'a>,
}

#[derive(Deserialize)]
struct Error<'a> {
    #[serde(borrow, default)]
    message: Field<'a>,
    #[serde(borrow, default)]
    code: Field<'a>,
}

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow, default, rename = "toolCalls")]
    calls: Field<'a>,
}

#[derive(Deserialize)]
struct Id<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
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
    fn line(&mut self, text: &str, carried: &mut Carried, emit: Emit<'_>) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.text().ok_or(Unread)?;
        carried.time = raw::time(line.timestamp.text().as_deref());
        carried.subagent = None;
        carry(&mut carried.subagent, line.agent.text().as_deref());
        let data = || line.data.get();
        match &*kind {
            "session.start" | "session.resume" => begin(data(), carried),
            "session.mode_changed" => {
                carry(&mut carried.mode, data().and_then(|d| d.new_mode.text()).as_deref());
            }
            "user.message" => {
                let text = data().and_then(|d| d.content.text()).unwrap_or_default();
                emit(carried.record(Action::Prompt(text)));
            }
            "assistant.message" => {
                let requests = data().and_then(|d| d.tool_requests.json());
                if requests.is_none_or(|request| request == "[]") {
                    emit(carried.record(Action::Stop));
                }
            }
            "tool.execution_start" => call(data(), carried, emit),
            "tool.execution_complete" => ended(data(), carried, emit),
            "hook.start" => asked(data(), carried, emit),
            kind if OTHERS.iter().any(|start| kind.starts_with(start)) => {}
            kind => carried.facts.unknown(kind),
        }
        Ok(())
    }
}

fn begin(data: Option<&Data<'_>>, carried: &mut Carried) {
    let Some(data) = data else { return };
    carry(&mut carried.session, data.session_id.text().as_deref());
    carry(&mut carried.facts.version, data.copilot_version.text().as_deref());
    let context = data.context.read::<Context<'_>>();
    carry(&mut carried.cwd, context.and_then(|context| context.cwd.text()).as_deref());
    carried.facts.session.clone_from(&carried.session);
}

fn call(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(name)) = (
        data.as_ref().and_then(|d| d.tool_call_id.text()),
        data.as_ref().and_then(|d| d.tool_name.text()),
    ) else {
        return carried.facts.unknown("tool.execution_start");
    };
    let Some(data) = data else { return };
    if carried.subagent.is_none() {
        carry(&mut carried.subagent, data.parent_tool_call_id.text().as_deref());
    }
    let tool = match (data.mcp_server_name.text(), data.mcp_tool_name.text()) {
        (Some(server), Some(tool)) => Cow::Owned(format!("mcp__{server}__{tool}")),
        _ => name,
    };
    let input = Cow::Borrowed(data.arguments.json().unwrap_or("{}"));
    emit(carried.record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
}

fn ended(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let Some(data) = data else { return };
    let Some(call) = data.tool_call_id.text() else { return };
    if data.success.yes() {
        return emit(carried.record(Action::Result { call, ended: Ended::Ran }));
    }
    let error = data.error.read::<Error<'_>>();
    let text = error.as_ref().and_then(|error| error.message.text()).unwrap_or_default();
    let is_denied =
        error.as_ref().is_some_and(|error| error.code.text().as_deref() == Some("denied"));
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
        return emit(carried.record(Action::Denial { call, by }));
    }
    let is_unknown = text.starts_with("Tool '") && text.contains("does not exist");
    let ended = if is_unknown { Ended::Refused } else { Ended::Failed };
    emit(carried.record(Action::Result { call, ended }));
}

fn asked(data: Option<&Data<'_>>, carried: &mut Carried, emit: Emit<'_>) {
    let Some(data) = data else { return };
    if data.hook_type.text().as_deref() != Some("preToolUse") {
        return;
    }
    let calls = data.input.read::<Input<'_>>().and_then(|input| input.calls.read::<Vec<Id<'_>>>());
    for id in calls.unwrap_or_default().iter().filter_map(|call| call.id.text()) {
        emit(carried.record(Action::Asked(id)));
    }
}
