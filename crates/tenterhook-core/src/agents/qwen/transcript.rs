//! The sessions of Qwen Code 0.15 and 0.24: the calls of subagents are told by telemetry, and by 0.24 in a file of their own, too. Judges nothing.

use std::borrow::Cow;

use serde::Deserialize;

use crate::transcript::claude::carry;
pub(crate) use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within};
pub(crate) use crate::transcript::{Call, Carried, Ended, Kind, Reads, Refuser, Tell, What};

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
    /// From 0.24 on.
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

/// One file.
#[derive(Default)]
pub(crate) struct Qwen {
    /// Whether the last refused call had passed the agent's own rules: then a hook refused it.
    passed: Option<bool>,
}

impl Reads for Qwen {
    fn line(&mut self, text: &str, carried: &mut Carried, tell: Tell<'_>) -> Result<(), Unread> {
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
                tell(carried.told(What::Prompt(text.into())));
            }
            "assistant" => says(parts(), carried, tell),
            "tool_result" => self.ended(line.tool_call_result.get(), carried, tell),
            "system" => match line.subtype.text().as_deref() {
                Some("ui_telemetry") => self.telemetry(&line, carried, tell),
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

fn says(parts: &[Part<'_>], carried: &mut Carried, tell: Tell<'_>) {
    // What is empty is no end: subagents of 0.24 say nothing before they call.
    let mut is_last = !parts.is_empty();
    for call in parts.iter().filter_map(|part| part.function_call.get()) {
        is_last = false;
        let (Some(id), Some(tool), args) = (call.id.text(), call.name.text(), call.args) else {
            carried.facts.unknown("functionCall");
            continue;
        };
        let input = Cow::Borrowed(args.json().unwrap_or("{}"));
        tell(carried.told(What::Call(Call { id, tool, input, kind: Kind::Plain })));
    }
    if is_last {
        tell(carried.told(What::Stop));
    }
}

impl Qwen {
    fn ended(&mut self, outcome: Option<&Outcome<'_>>, carried: &mut Carried, tell: Tell<'_>) {
        let passed = self.passed.take();
        let Some((outcome, call)) =
            outcome.and_then(|outcome| outcome.call_id.text().map(|id| (outcome, id)))
        else {
            return carried.facts.unknown("tool_result");
        };
        let error = outcome.error_type.text();
        let words = outcome.result_display.text().unwrap_or_default();
        tell(carried.told(match error.as_deref() {
            Some("execution_denied") => What::Denial { call, by: refuser(passed, &words) },
            Some("tool_not_registered" | "invalid_tool_params") => {
                What::Result { call, ended: Ended::Refused }
            }
            _ if outcome.status.text().as_deref() == Some("cancelled") => {
                What::Denial { call, by: Refuser::Person }
            }
            _ if outcome.status.text().as_deref() == Some("error") => {
                What::Result { call, ended: Ended::Failed }
            }
            _ => What::Result { call, ended: Ended::Ran },
        }));
    }

    fn telemetry(&mut self, line: &Line<'_>, carried: &mut Carried, tell: Tell<'_>) {
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
        // A call of a subagent, which before 0.24 has no id and no other record.
        let unnamed = || format!("{prompt}@{}", carried.line).into();
        let (Some(tool), id) =
            (event.function_name.text(), event.call_id.text().unwrap_or_else(unnamed))
        else {
            return carried.facts.unknown("ui_telemetry");
        };
        carry(&mut carried.subagent, Some(agent));
        let input = Cow::Borrowed(event.function_args.json().unwrap_or("{}"));
        tell(carried.told(What::Call(Call { id: id.clone(), tool, input, kind: Kind::Plain })));
        tell(carried.told(match event.status.text().as_deref() {
            _ if is_denied => What::Denial { call: id, by: refuser(Some(passed), "") },
            Some("error") => What::Result { call: id, ended: Ended::Failed },
            _ => What::Result { call: id, ended: Ended::Ran },
        }));
    }
}

/// Whose prompt it was: `SESSION########0` is one of the person's, `SESSION#SUBAGENT#0` a subagent's.
fn subagent(prompt: &str) -> Option<&str> {
    prompt.split('#').nth(1).filter(|part| !part.is_empty())
}

/// Rules are asked before hooks: what passed them was refused by a hook.
fn refuser(passed: Option<bool>, words: &str) -> Refuser {
    match passed {
        Some(true) => Refuser::Hook,
        _ if words.contains("denied by permission rules") => Refuser::Rule,
        Some(false) => Refuser::Rule,
        None => Refuser::Unsaid,
    }
}
