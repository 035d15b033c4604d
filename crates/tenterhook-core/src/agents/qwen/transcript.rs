//! Reads the sessions of Qwen Code 0.15 and 0.24: telemetry records the calls of subagents; 0.24
//! also writes a file for each subagent. Judges nothing.

use std::borrow::Cow;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within, borrowed_parts};
use crate::transcript::usage::UsageForm;
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

/// Where a transcript has the tokens of an answer (0.15.10).
pub(crate) static USAGE: UsageForm = UsageForm {
    marker: "\"usageMetadata\":",
    id: "/uuid",
    output: &["/usageMetadata/candidatesTokenCount", "/usageMetadata/thoughtsTokenCount"],
    is_total: false,
    context: &["/usageMetadata/totalTokenCount"],
    window: "/contextWindowSize",
    windows: &[],
    side: "",
};

borrowed_parts! {
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        r#type: Field<'a>,
        subtype: Field<'a>,
        session_id: Field<'a>,
        timestamp: Field<'a>,
        cwd: Field<'a>,
        version: Field<'a>,
        /// The subagent whose file this is.
        agent_id: Field<'a>,
        message: Within<Message<'a>>,
        tool_call_result: Within<Outcome<'a>>,
        system_payload: Within<System<'a>>,
    }

    struct Message<'a> {
        parts: Content<'a, Part<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    struct Part<'a> {
        text: Field<'a>,
        function_call: Within<FunctionCall<'a>>,
    }

    struct FunctionCall<'a> {
        id: Field<'a>,
        name: Field<'a>,
        args: Field<'a>,
    }

    #[serde(rename_all = "camelCase")]
    struct Outcome<'a> {
        call_id: Field<'a>,
        status: Field<'a>,
        error_type: Field<'a>,
        result_display: Field<'a>,
    }

    #[serde(rename_all = "camelCase")]
    struct System<'a> {
        ui_event: Within<Telemetry<'a>>,
    }

    struct Telemetry<'a> {
        #[serde(rename = "event.name")]
        event: Field<'a>,
        /// Since 0.24.
        call_id: Field<'a>,
        function_name: Field<'a>,
        function_args: Field<'a>,
        prompt_id: Field<'a>,
        status: Field<'a>,
        error_type: Field<'a>,
        decision: Field<'a>,
    }
}

/// Reads one file.
#[derive(Default)]
pub(crate) struct Qwen {
    /// Whether the last refused call passed the agent's own rules; then a hook refused it.
    passed: Option<bool>,
}

impl ReadLine for Qwen {
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
        replace_carried_if_new(&mut carried.subagent, line.agent_id.string_value().as_deref());
        replace_carried_if_new(&mut carried.session, line.session_id.string_value().as_deref());
        replace_carried_if_new(&mut carried.cwd, line.cwd.string_value().as_deref());
        replace_carried_if_new(&mut carried.facts.version, line.version.string_value().as_deref());
        carried.facts.session.clone_from(&carried.session);
        let parts =
            || line.message.as_object().map(|message| message.parts.as_list()).unwrap_or_default();
        match &*kind {
            "user" => {
                let text: String =
                    parts().iter().filter_map(|part| part.text.string_value()).collect();
                emit(carried.new_record(Action::Prompt(text.into())));
            }
            "assistant" => emit_assistant_calls(parts(), carried, emit),
            "tool_result" => {
                self.emit_call_result(line.tool_call_result.as_object(), carried, emit)
            }
            "system" => match line.subtype.string_value().as_deref() {
                Some("ui_telemetry") => self.read_telemetry(&line, carried, emit),
                Some(
                    "attribution_snapshot" | "chat_compression" | "slash_command" | "at_command",
                ) => {}
                other => carried.facts.count_record_of_unknown_kind(other.unwrap_or("system")),
            },
            other => carried.facts.count_record_of_unknown_kind(other),
        }
        Ok(())
    }
}

fn emit_assistant_calls(parts: &[Part<'_>], carried: &mut Carried, emit: Emit<'_>) {
    // An empty message does not end the turn: subagents of 0.24 write one before a call.
    let mut is_last = !parts.is_empty();
    for call in parts.iter().filter_map(|part| part.function_call.as_object()) {
        is_last = false;
        let (Some(id), Some(tool), args) =
            (call.id.string_value(), call.name.string_value(), call.args)
        else {
            carried.facts.count_record_of_unknown_kind("functionCall");
            continue;
        };
        let input = Cow::Borrowed(args.json_text().unwrap_or("{}"));
        emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
    }
    if is_last {
        emit(carried.new_record(Action::Stop));
    }
}

impl Qwen {
    fn emit_call_result(
        &mut self,
        outcome: Option<&Outcome<'_>>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        let passed = self.passed.take();
        let Some((outcome, call)) =
            outcome.and_then(|outcome| outcome.call_id.string_value().map(|id| (outcome, id)))
        else {
            return carried.facts.count_record_of_unknown_kind("tool_result");
        };
        let error = outcome.error_type.string_value();
        let text = outcome.result_display.string_value().unwrap_or_default();
        emit(carried.new_record(match error.as_deref() {
            Some("execution_denied") => Action::Denial { call, by: refuser_of_call(passed, &text) },
            Some("tool_not_registered" | "invalid_tool_params") => {
                Action::Result { call, ended: Ended::Refused }
            }
            _ if outcome.status.string_value().as_deref() == Some("cancelled") => {
                Action::Denial { call, by: Refuser::Person }
            }
            _ if outcome.status.string_value().as_deref() == Some("error") => {
                Action::Result { call, ended: Ended::Failed }
            }
            _ => Action::Result { call, ended: Ended::Ran },
        }));
    }

    fn read_telemetry(&mut self, line: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let event = line
            .system_payload
            .as_object()
            .and_then(|system_payload| system_payload.ui_event.as_object());
        let Some(event) = event
            .filter(|event| event.event.string_value().as_deref() == Some("qwen-code.tool_call"))
        else {
            return;
        };
        let is_denied = event.error_type.string_value().as_deref() == Some("execution_denied");
        let passed = event.decision.string_value().is_some();
        let prompt = event.prompt_id.string_value().unwrap_or_default();
        let Some(agent) = subagent_id(&prompt) else {
            self.passed = is_denied.then_some(passed);
            return;
        };
        // Before 0.24, a subagent's call has no id and no other record.
        let unnamed = || format!("{prompt}@{}", carried.line).into();
        let (Some(tool), id) = (
            event.function_name.string_value(),
            event.call_id.string_value().unwrap_or_else(unnamed),
        ) else {
            return carried.facts.count_record_of_unknown_kind("ui_telemetry");
        };
        replace_carried_if_new(&mut carried.subagent, Some(agent));
        let input = Cow::Borrowed(event.function_args.json_text().unwrap_or("{}"));
        emit(carried.new_record(Action::Call(Call {
            id: id.clone(),
            tool,
            input,
            kind: Kind::Plain,
        })));
        emit(carried.new_record(match event.status.string_value().as_deref() {
            _ if is_denied => Action::Denial { call: id, by: refuser_of_call(Some(passed), "") },
            Some("error") => Action::Result { call: id, ended: Ended::Failed },
            _ => Action::Result { call: id, ended: Ended::Ran },
        }));
    }
}

/// Returns the subagent that the id of a prompt names: `SESSION########0` is the user's,
/// `SESSION#SUBAGENT#0` a subagent's.
fn subagent_id(prompt: &str) -> Option<&str> {
    prompt.split('#').nth(1).filter(|part| !part.is_empty())
}

/// Determines what refused a call. Rules run before hooks, so a call that passed the rules was
/// refused by a hook.
fn refuser_of_call(passed: Option<bool>, text: &str) -> Refuser {
    match passed {
        Some(true) => Refuser::Hook,
        _ if text.contains("denied by permission rules") => Refuser::Rule,
        Some(false) => Refuser::Rule,
        None => Refuser::Unsaid,
    }
}
