//! Reads the sessions of Claude Code 2.1.197 and 2.1.330, which write each block into its own line.
//! Judges nothing.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within, borrowed_parts};
use crate::transcript::usage::UsageForm;
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

/// Where a transcript has the tokens of an answer (2.1.330). Several lines, one for each block of
/// the answer, repeat them. No line has the size of the window.
pub(crate) static USAGE: UsageForm = UsageForm {
    marker: "\"usage\":",
    id: "/message/id",
    output: &["/message/usage/output_tokens"],
    is_total: false,
    context: &[
        "/message/usage/input_tokens",
        "/message/usage/cache_creation_input_tokens",
        "/message/usage/cache_read_input_tokens",
        "/message/usage/output_tokens",
    ],
    window: "",
    windows: &[200_000, 1_000_000],
    side: "/isSidechain",
};

/// Kinds of records that are no event.
const OTHERS: &[&str] = &[
    "agent-color",
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tag",
    "tools-used",
    "worktree-state",
];

borrowed_parts! {
    struct Line<'a> {
        r#type: Field<'a>,
        timestamp: Field<'a>,
        #[serde(rename = "sessionId")]
        session: Field<'a>,
        cwd: Field<'a>,
        version: Field<'a>,
        #[serde(rename = "agentId")]
        agent: Field<'a>,
        #[serde(rename = "isSidechain")]
        sidechain: Field<'a>,
        #[serde(rename = "isMeta")]
        meta: Field<'a>,
        #[serde(rename = "permissionMode")]
        mode: Field<'a>,
        #[serde(rename = "permissionDecision")]
        decision: Field<'a>,
        #[serde(rename = "toolDenialKind")]
        denial: Field<'a>,
        message: Within<Message<'a>>,
    }

    struct Message<'a> {
        content: Content<'a, Block<'a>>,
        stop_reason: Field<'a>,
    }

    struct Block<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        name: Field<'a>,
        input: Field<'a>,
        tool_use_id: Field<'a>,
        content: Field<'a>,
        is_error: Field<'a>,
        text: Field<'a>,
    }

    /// The decision about a call, its source and its reason.
    #[serde(rename_all = "camelCase")]
    struct Decision<'a> {
        decision: Field<'a>,
        source: Field<'a>,
        reason_code: Field<'a>,
    }
}

/// Reads one file.
#[derive(Default)]
pub(crate) struct Claude {
    /// The ids of shell calls without a result yet. Old versions mark no denial: an error that is
    /// no failure of a shell is one.
    shells: HashSet<String>,
}

/// Replaces a carried value if a line has a new one.
pub(crate) fn replace_carried_if_new(carried: &mut Option<Arc<str>>, value: Option<&str>) {
    if let Some(value) = value
        && carried.as_deref() != Some(value)
    {
        *carried = Some(value.into());
    }
}

impl ReadLine for Claude {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.string_value().unwrap_or_default();
        replace_carried_if_new(&mut carried.session, line.session.string_value().as_deref());
        if carried.facts.session.is_none() {
            carried.facts.session.clone_from(&carried.session);
        }
        match &*kind {
            "assistant" | "user" => {}
            other if OTHERS.contains(&other) => return Ok(()),
            other => {
                carried.facts.count_record_of_unknown_kind(other);
                return Ok(());
            }
        }
        carried.time = raw::parse_timestamp(line.timestamp.string_value().as_deref());
        replace_carried_if_new(&mut carried.cwd, line.cwd.string_value().as_deref());
        replace_carried_if_new(&mut carried.mode, line.mode.string_value().as_deref());
        replace_carried_if_new(&mut carried.facts.version, line.version.string_value().as_deref());
        match line.agent.string_value() {
            Some(agent) => replace_carried_if_new(&mut carried.subagent, Some(&agent)),
            None if line.sidechain.holds_true() => {
                replace_carried_if_new(&mut carried.subagent, Some("sidechain"))
            }
            None => carried.subagent = None,
        }
        let Some(message) = line.message.as_object() else { return Ok(()) };
        if &*kind == "assistant" {
            self.emit_assistant_message(message, carried, emit)
        } else {
            self.emit_user_message(&line, message, carried, emit)
        }
        Ok(())
    }
}

impl Claude {
    /// Emits the calls of a message of the model, and the end of its turn.
    fn emit_assistant_message(
        &mut self,
        message: &Message<'_>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        for block in message.content.as_list() {
            if block.r#type.string_value().as_deref() != Some("tool_use") {
                continue;
            }
            let (Some(id), Some(tool)) = (block.id.string_value(), block.name.string_value())
            else {
                carried.facts.count_record_of_unknown_kind("tool_use");
                continue;
            };
            if matches!(&*tool, "Bash" | "PowerShell") {
                self.shells.insert(id.to_string());
            }
            let input = Cow::Borrowed(block.input.json_text().unwrap_or("{}"));
            emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
        }
        if message.stop_reason.string_value().as_deref() == Some("end_turn") {
            emit(carried.new_record(Action::Stop));
        }
    }

    /// Emits the prompts and results of a message to the model.
    fn emit_user_message(
        &mut self,
        line: &Line<'_>,
        message: &Message<'_>,
        carried: &Carried,
        emit: Emit<'_>,
    ) {
        if let Content::Text(text) = &message.content {
            if !line.meta.holds_true() {
                emit(carried.new_record(Action::Prompt(Cow::Borrowed(text))));
            }
            return;
        }
        for block in message.content.as_list() {
            match (block.r#type.string_value().as_deref(), block.tool_use_id.string_value()) {
                (Some("tool_result"), Some(call)) => {
                    let is_shell = self.shells.remove(&*call);
                    let what = call_end_or_refuser(line, block, is_shell);
                    emit(carried.new_record(match what {
                        Ok(ended) => Action::Result { call, ended },
                        Err(by) => Action::Denial { call, by },
                    }));
                }
                (Some("text"), _) if !line.meta.holds_true() => {
                    let text = block.text.string_value().unwrap_or_default();
                    if !text.starts_with("[Request interrupted") {
                        emit(carried.new_record(Action::Prompt(text)));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns how a call ended, or what refused it.
fn call_end_or_refuser(
    line: &Line<'_>,
    block: &Block<'_>,
    is_shell: bool,
) -> Result<Ended, Refuser> {
    let decision = line.decision.deserialize_value::<Decision<'_>>();
    let code = decision
        .as_ref()
        .and_then(|decision| decision.reason_code.string_value())
        .unwrap_or_default();
    let source =
        decision.as_ref().and_then(|decision| decision.source.string_value()).unwrap_or_default();
    let denial = line.denial.string_value();
    let rejects = decision
        .as_ref()
        .is_some_and(|decision| decision.decision.string_value().as_deref() == Some("reject"));
    if rejects || denial.is_some() {
        return Err(match (&*source, &*code) {
            ("hook", _) => Refuser::Hook,
            ("user_reject" | "user_abort", _) => Refuser::Person,
            // A hook asked, and the session had no user to answer (its denial is `user-rejected`).
            (_, code) if code.starts_with("hook:") => Refuser::Hook,
            (_, code) if code.starts_with("rule:") => Refuser::Rule,
            (_, "") if decision.is_none() && denial.as_deref() == Some("permission-rule") => {
                Refuser::Rule
            }
            (_, "") if decision.is_none() => Refuser::Person,
            _ => Refuser::Mode,
        });
    }
    if !block.is_error.holds_true() {
        return Ok(Ended::Ran);
    }
    let text = result_text(block.content);
    if text.starts_with("<tool_use_error>") {
        return Ok(Ended::Refused);
    }
    if decision.is_some() {
        return Ok(Ended::Failed);
    }
    refuser_from_text(&text, is_shell).map_or(Ok(Ended::Failed), Err)
}

/// Determines what refused a call from the text of its result; older versions record nothing else.
fn refuser_from_text(text: &str, is_shell: bool) -> Option<Refuser> {
    const SHELL: &[&str] = &["Exit code", "Command timed out", "Error:", "Shell", "Failed to"];
    match text {
        text if text.starts_with("PreToolUse:") && text.contains(" hook error: ") => {
            Some(Refuser::Hook)
        }
        text if text.starts_with("Permission to use ") && text.contains("denied") => {
            Some(Refuser::Rule)
        }
        text if text.starts_with("The user doesn't want to ") => Some(Refuser::Person),
        text if text.contains("requires approval") || text.contains("while in plan mode") => {
            Some(Refuser::Mode)
        }
        // A failure of a shell begins with one of `SHELL`; a hook's denial is only its reason.
        text if is_shell && !SHELL.iter().any(|start| text.starts_with(start)) => {
            Some(Refuser::Unsaid)
        }
        _ => None,
    }
}

/// The text of a result: a string, or the first text of a list.
fn result_text(content: Field<'_>) -> Cow<'_, str> {
    content.string_value().unwrap_or_else(|| {
        let blocks = content.deserialize_value::<Vec<Block<'_>>>().unwrap_or_default();
        blocks.iter().find_map(|block| block.text.string_value()).unwrap_or_default()
    })
}
