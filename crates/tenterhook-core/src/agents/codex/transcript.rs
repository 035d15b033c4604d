//! Reads the sessions of Codex 0.169 ("rollouts"), whose completed items record what ran.
//! Judges nothing.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::json;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Field, Unread, Within, borrowed_parts};
use crate::transcript::usage::UsageForm;
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

/// Where a transcript has the tokens of an answer (0.169.0).
pub(crate) static USAGE: UsageForm = UsageForm {
    marker: "\"token_count\"",
    id: "",
    output: &["/payload/info/total_token_usage/output_tokens"],
    is_total: true,
    context: &["/payload/info/last_token_usage/total_tokens"],
    window: "/payload/info/model_context_window",
    windows: &[],
    side: "",
};

borrowed_parts! {
    struct Line<'a> {
        timestamp: Field<'a>,
        r#type: Field<'a>,
        payload: Within<Payload<'a>>,
    }

    struct Payload<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        session_id: Field<'a>,
        parent_thread_id: Field<'a>,
        cwd: Field<'a>,
        cli_version: Field<'a>,
        approval_policy: Field<'a>,
        name: Field<'a>,
        namespace: Field<'a>,
        arguments: Field<'a>,
        input: Field<'a>,
        action: Field<'a>,
        call_id: Field<'a>,
        output: Field<'a>,
        item: Within<Item<'a>>,
    }

    struct Item<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        command: Field<'a>,
        status: Field<'a>,
        changes: Field<'a>,
        server: Field<'a>,
        tool: Field<'a>,
        arguments: Field<'a>,
        content: Field<'a>,
    }

    struct Text<'a> {
        text: Field<'a>,
    }
}

/// Types of lines that are no event.
const LINES: &[&str] = &[
    "compacted",
    "ghost_snapshot",
    "inter_agent_communication_metadata",
    "state",
    "token_usage_record",
    "world_state",
];
/// Types of `response_item` that are no event.
const RESPONSE_ITEMS: &[&str] = &[
    "additional_tools",
    "agent_message",
    "compaction",
    "ghost_snapshot",
    "message",
    "reasoning",
    "web_search_call",
];
/// Types of `event_msg` that are no event.
const EVENT_MESSAGES: &[&str] = &[
    "agent_message",
    "agent_reasoning",
    "context_compacted",
    "entered_review_mode",
    "error",
    "exec_command_begin",
    "exec_command_end",
    "exec_command_output_delta",
    "exited_review_mode",
    "item_started",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "patch_apply_begin",
    "patch_apply_end",
    "plan_update",
    "task_started",
    "thread_rolled_back",
    "thread_settings_applied",
    "token_count",
    "turn_aborted",
    "user_message",
    "warning",
    "web_search_end",
];
/// Types of completed items that are no event.
const ITEMS: &[&str] = &[
    "AgentMessage",
    "CollabAgentToolCall",
    "ContextCompaction",
    "Plan",
    "Reasoning",
    "SubAgentActivity",
    "WebSearch",
];

/// Reads one file.
#[derive(Default)]
pub(crate) struct Codex {
    has_begun: bool,
    /// The ids of running scripts, whose output names denials.
    scripts: HashSet<String>,
    /// The ids of calls that have a line. A script made the calls that only a completed item
    /// records.
    calls: HashSet<String>,
}

impl ReadLine for Codex {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.string_value().ok_or(Unread)?;
        carried.time = raw::parse_timestamp(line.timestamp.string_value().as_deref());
        if LINES.contains(&&*kind) {
            return Ok(());
        }
        let Some(payload) = line.payload.as_object() else { return Err(Unread) };
        match &*kind {
            "session_meta" => self.read_session_meta(payload, carried),
            "turn_context" => {
                replace_carried_if_new(&mut carried.cwd, payload.cwd.string_value().as_deref());
                replace_carried_if_new(
                    &mut carried.mode,
                    payload.approval_policy.string_value().as_deref(),
                );
            }
            "response_item" => self.read_response_item(payload, carried, emit),
            "event_msg" => self.read_event_message(payload, carried, emit),
            other => carried.facts.count_record_of_unknown_kind(other),
        }
        Ok(())
    }
}

impl Codex {
    /// Reads the first `session_meta` line. A subagent's file has its own line first, then its
    /// parent's.
    fn read_session_meta(&mut self, payload: &Payload<'_>, carried: &mut Carried) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let id = payload.id.string_value();
        replace_carried_if_new(
            &mut carried.session,
            payload.session_id.string_value().or_else(|| id.clone()).as_deref(),
        );
        replace_carried_if_new(&mut carried.cwd, payload.cwd.string_value().as_deref());
        replace_carried_if_new(
            &mut carried.facts.version,
            payload.cli_version.string_value().as_deref(),
        );
        carried.facts.session = id.as_deref().map(Into::into);
        if payload.parent_thread_id.string_value().is_some() {
            replace_carried_if_new(&mut carried.subagent, id.as_deref());
        }
    }

    fn read_response_item(&mut self, payload: &Payload<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let kind = payload.r#type.string_value().unwrap_or_default();
        let id = payload.call_id.string_value().or_else(|| payload.id.string_value());
        match (&*kind, id) {
            ("function_call" | "custom_tool_call" | "local_shell_call", Some(id)) => {
                let call = self.call_from_payload(payload, id, &kind);
                carried.facts.has_scripts |= call.kind == Kind::Script;
                emit(carried.new_record(Action::Call(call)));
            }
            (kind, Some(call)) if kind.ends_with("_output") => {
                let is_script = self.scripts.remove(&*call);
                emit(carried.new_record(call_end_from_output(call, payload.output, is_script)));
            }
            (kind, _) if RESPONSE_ITEMS.contains(&kind) => {}
            (kind, _) => carried.facts.count_record_of_unknown_kind(kind),
        }
    }

    /// Returns the call of a response item; its input is read by the kind of the item.
    fn call_from_payload<'a>(
        &mut self,
        payload: &Payload<'a>,
        id: Cow<'a, str>,
        kind: &str,
    ) -> Call<'a> {
        let name = payload.name.string_value().unwrap_or(Cow::Borrowed("local_shell"));
        let input = match kind {
            "function_call" => payload.arguments.string_value().unwrap_or_default(),
            "custom_tool_call" => {
                Cow::Owned(json!({ "command": payload.input.string_value() }).to_string())
            }
            _ => Cow::Borrowed(payload.action.json_text().unwrap_or("{}")),
        };
        let tool = match payload.namespace.string_value() {
            Some(space) if space.starts_with("mcp__") => Cow::Owned(format!("{space}__{name}")),
            Some(space) if space != "multi_agent_v1" => Cow::Owned(format!("{space}{name}")),
            _ => name,
        };
        let is_script = kind == "custom_tool_call" && tool == "exec";
        if is_script {
            self.scripts.insert(id.to_string());
        }
        self.calls.insert(id.to_string());
        Call { id, tool, input, kind: if is_script { Kind::Script } else { Kind::Plain } }
    }

    fn read_event_message(&mut self, payload: &Payload<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let kind = payload.r#type.string_value().unwrap_or_default();
        match &*kind {
            "task_complete" => emit(carried.new_record(Action::Stop)),
            "item_completed" => self.emit_completed_item(payload.item.as_object(), carried, emit),
            kind if EVENT_MESSAGES.contains(&kind) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
    }

    /// Emits the input that ran, and the calls of scripts.
    fn emit_completed_item(
        &mut self,
        item: Option<&Item<'_>>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        let Some(item) = item else {
            return carried.facts.count_record_of_unknown_kind("item_completed");
        };
        let kind = item.r#type.string_value().unwrap_or_default();
        if &*kind == "UserMessage" {
            let texts = item.content.deserialize_value::<Vec<Text<'_>>>().unwrap_or_default();
            let text: String = texts.iter().filter_map(|text| text.text.string_value()).collect();
            return emit(carried.new_record(Action::Prompt(text.into())));
        }
        if ITEMS.contains(&&*kind) {
            return;
        }
        let (Some(id), Some((tool, input))) = (item.id.string_value(), item_tool_call(item, &kind))
        else {
            return carried.facts.count_record_of_unknown_kind(&kind);
        };
        if self.calls.contains(&*id) {
            if &*kind == "CommandExecution" {
                emit(carried.new_record(Action::Rewritten { call: id, input: input.into() }));
            }
            return;
        }
        let is_failed = item.status.string_value().as_deref() == Some("failed");
        let call = Call { id: id.clone(), tool, input: input.into(), kind: Kind::Nested };
        emit(carried.new_record(Action::Call(call)));
        let ended = if is_failed { Ended::Failed } else { Ended::Ran };
        emit(carried.new_record(Action::Result { call: id, ended }));
    }
}

/// Returns the tool and the input of an item, as hooks receive them.
fn item_tool_call<'a>(item: &Item<'a>, kind: &str) -> Option<(Cow<'a, str>, String)> {
    match kind {
        "CommandExecution" => {
            let command = item.command.deserialize_value::<Vec<String>>()?;
            Some((
                Cow::Borrowed("exec_command"),
                json!({ "cmd": command_line_text(&command) }).to_string(),
            ))
        }
        "FileChange" => {
            let changes =
                item.changes.deserialize_value::<serde_json::Map<String, serde_json::Value>>()?;
            Some((
                Cow::Borrowed("apply_patch"),
                json!({ "command": rebuild_patch(&changes) }).to_string(),
            ))
        }
        "McpToolCall" => {
            let (server, tool) = (item.server.string_value()?, item.tool.string_value()?);
            let input = item.arguments.json_text().unwrap_or("{}").to_owned();
            Some((Cow::Owned(format!("mcp__{server}__{tool}")), input))
        }
        _ => None,
    }
}

/// The command line of a shell, or the joined arguments of another program.
pub(crate) fn command_line_text(command: &[String]) -> String {
    match command {
        [shell, flag, line] if shell.ends_with("sh") && matches!(&**flag, "-c" | "-lc") => {
            line.clone()
        }
        arguments => arguments.join(" "),
    }
}

/// Rebuilds the patch of file changes: the files, and as much of their content as is recorded.
fn rebuild_patch(changes: &serde_json::Map<String, serde_json::Value>) -> String {
    let mut text = "*** Begin Patch\n".to_owned();
    for (path, change) in changes {
        let field =
            |key: &str| change.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (verb, body) = match field("type") {
            "add" => ("Add", field("content").lines().map(|line| format!("+{line}\n")).collect()),
            "delete" => ("Delete", String::new()),
            _ => ("Update", field("unified_diff").to_owned()),
        };
        text.push_str(&format!("*** {verb} File: {path}\n{body}"));
    }
    text + "*** End Patch\n"
}

/// Returns how a call ended, by its output: Codex CLI records nothing else.
fn call_end_from_output<'a>(call: Cow<'a, str>, output: Field<'a>, is_script: bool) -> Action<'a> {
    const BLOCKED: &str = "Command blocked by PreToolUse hook:";
    // The texts searched for contain no character that JSON escapes.
    let text = output.escaped_string().map(Cow::Borrowed).unwrap_or_else(|| {
        let texts = output.deserialize_value::<Vec<Text<'_>>>().unwrap_or_default();
        Cow::Owned(
            texts.iter().filter_map(|text| text.text.string_value()).collect::<Vec<_>>().join("\n"),
        )
    });
    let starts = |prefix: &&str| text.starts_with(*prefix);
    let by = match &*text {
        text if text.starts_with(BLOCKED) || is_script && text.contains(BLOCKED) => {
            Some(Refuser::Hook)
        }
        text if text.starts_with("aborted by user") => Some(Refuser::Person),
        text if ["patch rejected:", "approval policy is", "exec_command failed: rejected"]
            .iter()
            .any(starts)
            || text.contains("rejected by user approval settings") =>
        {
            Some(Refuser::Mode)
        }
        _ => None,
    };
    if let Some(by) = by {
        return Action::Denial { call, by };
    }
    let is_unknown = [
        "unsupported call:",
        "unsupported custom tool call:",
        "failed to parse function arguments",
    ];
    let ended = match () {
        () if is_unknown.iter().any(starts) => Ended::Refused,
        () if text.contains("Process exited with code ")
            && !text.contains("Process exited with code 0") =>
        {
            Ended::Failed
        }
        () => Ended::Ran,
    };
    Action::Result { call, ended }
}
