//! Reads the sessions of Qwen Code 0.15 and 0.24: telemetry records the calls of subagents; 0.24
//! also writes a file for each subagent. Judges nothing.

use std::borrow::Cow;

use serde::Deserialize;

use crate::transcript::claude::carry;
pub(crate) use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within};
pub(crate) use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    subtype: Field<'a>,
    #[serde(borrow, default)]
    session_id: Field<'a>,
    #[serde(borrow, default)]
    timestamp: Field<'a>,
    #[serde(borrow, default)]
    cwd: Field<'a>,
    #[serde(borrow, default)]
    version: Field<'a>,
    /// The subagent whose file this is.
    #[serde(borrow, default)]
    agent_id: Field<'a>,
    #[serde(borrow, default)]
    message: Within<Message<'a>>,
    #[serde(borrow, default)]
    tool_call_result: Within<Outcome<'a>>,
    #[serde(borrow, default)]
    system_payload: Within<System<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    parts: Content<'a, Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    function_call: Within<FunctionCall<'a>>,
}

#[derive(Deserialize)]
struct FunctionCall<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    name: Field<'a>,
    #[serde(borrow, default)]
    args: Field<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    #[serde(borrow, default)]
    call_id: Field<'a>,
    #[serde(borrow, default)]
    status: Field<'a>,
    #[serde(borrow, default)]
    error_type: Field<'a>,
    #[serde(borrow, default)]
    result_display: Field<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct System<'a> {
    #[serde(borrow, default)]
    ui_event: Within<Telemetry<'a>>,
}

#[derive(Deserialize)]
struct Telemetry<'a> {
    #[serde(borrow, default, rename = "event.name")]
    event: Field<'a>,
    /// Since 0.24.
    #[serde(borrow, default)]
    call_id: Field<'a>,
    #[serde(borrow, default)]
    function_name: Field<'a>,
    #[serde(borrow, default)]
    function_args: Field<'a>,
    #[serde(borrow, default)]
    prompt_id: Field<'a>,
    #[serde(borrow, default)]
    status: Field<'a>,
    #[serde(borrow, default)]
    error_type: Field<'a>,
    #[serde(borrow, default)]
    decision: Field<'a>,
}

/// Reads one file.
#[derive(Default)]
pub(crate) struct Qwen {
    /// Whether the last refused call passed the agent's own rules; then a hook refused it.
    passed: Option<bool>,
}

impl ReadLine for Qwen {
    fn line(&mut self, text: &str, carried: &mut Carried, emit: Emit<'_>) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.text().ok_or(Unread)?;
        carried.time = raw::time(line.timestamp.text().as_deref());
        carried.subagent = None;
        carry(&mut carried.subagent, line.agent_id.text().as_deref());
        carry(&mut carried.session, line.session_id.text().as_deref());
        carry(&mut carried.cwd, line.cwd.text().as_deref());
        carry(&mut carried.facts.version, line.version.text().as_deref());
        carried.facts.session.clone_from(&carried.session);
        let parts = || line.message.get().map(|message| message.parts.list()).unwrap_or_default();
        match &*kind {
            "user" => {
                let text: String = parts().iter().filter_map(|part| part.text.text()).collect();
                emit(carried.record(Action::Prompt(text.into())));
            }
            "assistant" => assistant_message(parts(), carried, emit),
            "tool_result" => self.ended(line.tool_call_result.get(), carried, emit),
            "system" => match line.subtype.text().as_deref() {
                Some("ui_telemetry") => self.telemetry(&line, carried, emit),
                Some(
                    "attribution_snapshot" | "chat_compression" | "slash_command" | "at_command",
                ) => {}
                other => carried.facts.unknown(other.unwrap_or("system")),
            },
            other => carried.facts.unknown(other),
        }
        Ok(())
    }
}

fn assistant_message(parts: &[Part<'_>], carried: &mut Carried, emit: Emit<'_>) {
    // An empty message does not end the turn: subagents of 0.24 write one before a call.
    let mut is_last = !parts.is_empty();
    for call in parts.iter().filter_map(|part| part.function_call.get()) {
        is_last = false;
        let (Some(id), Some(tool), args) = (call.id.text(), call.name.text(), call.args) else {
            carried.facts.unknown("functionCall");
            continue;
        };
        let input = Cow::Borrowed(args.json().unwrap_or("{}"));
        emit(carried.record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
    }
    if is_last {
        emit(carried.record(Action::Stop));
    }
}

impl Qwen {
    fn ended(&mut self, outcome: Option<&Outcome<'_>>, carried: &mut Carried, emit: Emit<'_>) {
        let passed = self.passed.take();
        let Some((outcome, call)) =
            outcome.and_then(|outcome| outcome.call_id.text().map(|id| (outcome, id)))
        else {
            return carried.facts.unknown("tool_result");
        };
        let error = outcome.error_type.text();
        let text = outcome.result_display.text().unwrap_or_default();
        emit(carried.record(match error.as_deref() {
            Some("execution_denied") => Action::Denial { call, by: refuser(passed, &text) },
            Some("tool_not_registered" | "invalid_tool_params") => {
                Action::Result { call, ended: Ended::Refused }
            }
            _ if outcome.status.text().as_deref() == Some("cancelled") => {
                Action::Denial { call, by: Refuser::Person }
            }
            _ if outcome.status.text().as_deref() == Some("error") => {
                Action::Result { call, ended: Ended::Failed }
            }
            _ => Action::Result { call, ended: Ended::Ran },
        }));
    }

    fn telemetry(&mut self, line: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let event =
            line.system_payload.get().and_then(|system_payload| system_payload.ui_event.get());
        let Some(event) =
            event.filter(|event| event.event.text().as_deref() == Some("qwen-code.tool_call"))
        else {
            return;
        };
        let is_denied = event.error_type.text().as_deref() == Some("execution_denied");
        let passed = event.decision.text().is_some();
        let prompt = event.prompt_id.text().unwrap_or_default();
        let Some(agent) = subagent(&prompt) else {
            self.passed = is_denied.then_some(passed);
            return;
        };
        // Before 0.24, a subagent's call has no id and no other record.
        let unnamed = || format!("{prompt}@{}", carried.line).into();
        let (Some(tool), id) =
            (event.function_name.text(), event.call_id.text().unwrap_or_else(unnamed))
        else {
            return carried.facts.unknown("ui_telemetry");
        };
        carry(&mut carried.subagent, Some(agent));
        let input = Cow::Borrowed(event.function_args.json().unwrap_or("{}"));
        emit(carried.record(Action::Call(Call { id: id.clone(), tool, input, kind: Kind::Plain })));
        emit(carried.record(match event.status.text().as_deref() {
            _ if is_denied => Action::Denial { call: id, by: refuser(Some(passed), "") },
            Some("error") => Action::Result { call: id, ended: Ended::Failed },
            _ => Action::Result { call: id, ended: Ended::Ran },
        }));
    }
}

/// The subagent of a prompt's id: `SESSION########0` is the user's, `SESSION#SUBAGENT#0` a
/// subagent's.
fn subagent(prompt: &str) -> Option<&str> {
    prompt.split('#').nth(1).filter(|part| !part.is_empty())
}

/// What refused a call. Rules run before hooks: a hook refused a call that passed the rules.
fn refuser(passed: Option<bool>, text: &str) -> Refuser {
    match passed {
        Some(true) => Refuser::Hook,
        _ if text.contains("denied by permission rules") => Refuser::Rule,
        Some(false) => Refuser::Rule,
        None => Refuser::Unsaid,
    }
}
