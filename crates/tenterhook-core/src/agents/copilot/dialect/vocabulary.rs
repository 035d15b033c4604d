//! The names of Copilot CLI in both forms: its events, the fields of its payloads, its tools
//! (CP-20, CP-30). Tables, and the event of a payload that does not name it.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::reply::{FORM, PASCAL_FORM};
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

/// The camel-case form, whose payloads do not name the event.
pub(super) static CAMEL: Vocabulary = Vocabulary {
    agent: "Copilot CLI",
    name: "",
    keys: KEYS,
    tools: TOOLS,
    server_tool: "SERVER-TOOL",
    rows: || &ROWS,
};

/// Claude Code's form.
pub(super) static PASCAL: Vocabulary = Vocabulary {
    agent: "Copilot CLI",
    name: "hook_event_name",
    keys: PASCAL_KEYS,
    tools: PASCAL_TOOLS,
    server_tool: "SERVER-TOOL",
    rows: || &PASCAL_ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const PASCAL_TOOL: Subject = Subject::Tool(PASCAL_TOOLS);
const SOURCE: Subject = Subject::Field("source");
const REASON: Subject = Subject::Field("reason");

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));
pub(super) static PASCAL_ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&PASCAL_FORM, PASCAL_EVENTS));

/// `postResult` and `prePRDescription` are only in the schema of its API (1.0.102): no code starts a hook for them.
#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("sessionStart", "SessionStart", SOURCE, &[], "a session starts or resumes"),
    event_row("sessionEnd", "SessionEnd", REASON, &[], "a session ends"),
    event_row("userPromptSubmitted", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("userPromptTransformed", "UserPromptExpansion", NONE, &[], "a prompt got what the agent adds to it"),
    event_row("preToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("preMcpToolCall", "PreMcpToolCall", Subject::Field("toolName"), &[], "a request to an MCP server is about to be sent"),
    event_row("permissionRequest", "PermissionRequest", TOOL, &[], "the user is about to be asked for permission"),
    event_row("postToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("postToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed"),
    end_of_turn_row("agentStop", "Stop", NONE, "the model is about to end its turn"),
    event_row("subagentStart", "SubagentStart", NONE, &[], "a subagent starts"),
    end_of_turn_row("subagentStop", "SubagentStop", NONE, "a subagent is about to finish"),
    event_row("errorOccurred", "StopFailure", NONE, &[], "something went wrong"),
    event_row("preCompact", "PreCompact", NONE, &[], "the conversation is about to be compacted"),
    event_row("notification", "Notification", NONE, &[], "the user is shown a notification"),
];

#[rustfmt::skip]
static PASCAL_EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", SOURCE, &[], "a session starts or resumes"),
    event_row("SessionEnd", "SessionEnd", REASON, &[], "a session ends"),
    event_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", PASCAL_TOOL, &[], "a tool is about to run"),
    event_row("PermissionRequest", "PermissionRequest", PASCAL_TOOL, &[], "the user is about to be asked for permission"),
    event_row("PostToolUse", "PostToolUse", PASCAL_TOOL, &[], "a tool ran"),
    event_row("PostToolUseFailure", "PostToolUseFailure", PASCAL_TOOL, &[], "a tool failed"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
    event_row("SubagentStart", "SubagentStart", NONE, &[], "a subagent starts"),
    end_of_turn_row("SubagentStop", "SubagentStop", NONE, "a subagent is about to finish"),
    event_row("ErrorOccurred", "StopFailure", NONE, &[], "something went wrong"),
    event_row("PreCompact", "PreCompact", NONE, &[], "the conversation is about to be compacted"),
    event_row("Notification", "Notification", NONE, &[], "the user is shown a notification"),
];

const KEYS: Keys = &[
    ("sessionId", "session_id"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolInput", "tool_input"),
    ("toolResult", "tool_response"),
    ("transcriptPath", "transcript_path"),
    ("stopReason", "stop_reason"),
    ("initialPrompt", "initial_prompt"),
    ("permissionSuggestions", "permission_suggestions"),
    ("hookName", ""),
];

const PASCAL_KEYS: Keys = &[("tool_result", "tool_response"), ("hookName", "")];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["powershell"], neutral: "PowerShell", keys: &[] },
    ToolWords { own: &["view"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["create"], neutral: "Write", keys: WRITE },
    ToolWords { own: &["edit"], neutral: "Edit", keys: EDIT },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["task"], neutral: "Agent", keys: &[("agent_type", "subagent_type")] },
    ToolWords { own: &["ask_user"], neutral: "AskUserQuestion", keys: &[] },
];

/// Claude Code's names, with the keys of the agent's own tools.
#[rustfmt::skip]
pub(super) static PASCAL_TOOLS: &[ToolWords] = &[
    ToolWords { own: &["Read", "view"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["Write", "create"], neutral: "Write", keys: WRITE },
    ToolWords { own: &["Edit", "edit"], neutral: "Edit", keys: EDIT },
    ToolWords { own: &["Bash", "bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["Agent", "task"], neutral: "Agent", keys: &[("agent_type", "subagent_type")] },
];

const PATH: (&str, &str) = ("path", "file_path");
const WRITE: &[(&str, &str)] = &[PATH, ("file_text", "content")];
const EDIT: &[(&str, &str)] = &[PATH, ("old_str", "old_string"), ("new_str", "new_string")];

/// Decodes an event in camel case. Only one payload names its event; the others are told apart by
/// their fields.
pub(super) fn decode_camel_event(
    json: &Map<String, Value>,
    roots: &Roots,
) -> Result<Event, EventFault> {
    if json.contains_key("hook_event_name") && !json.contains_key("sessionId") {
        return decode_pascal_event(json, roots);
    }
    let has = |key: &str| json.contains_key(key);
    let name = match () {
        () if has("hookName") => CAMEL.event_name_at_key(json, "hookName")?,
        () if has("hook_event_name") => CAMEL.event_name_at_key(json, "hook_event_name")?,
        () if has("toolResult") => "postToolUse",
        () if has("toolArgs") => "preToolUse",
        () if has("transformedPrompt") => "userPromptTransformed",
        () if has("prompt") => "userPromptSubmitted",
        () if has("stopReason") => "agentStop",
        () if has("source") => "sessionStart",
        () if has("sessionId") && has("reason") => "sessionEnd",
        () => return Err(EventFault::NoName),
    };
    CAMEL.decode_event_as(name, json, roots)
}

/// Decodes an event with Claude Code's names. A permission request has camel case in both forms.
pub(super) fn decode_pascal_event(
    json: &Map<String, Value>,
    roots: &Roots,
) -> Result<Event, EventFault> {
    match json.contains_key("hookName") {
        true => CAMEL.decode_event_as(CAMEL.event_name_at_key(json, "hookName")?, json, roots),
        false => PASCAL.decode_event(json, roots),
    }
}

pub(super) fn encode_camel_event(event: &Event) -> Envelope {
    if event.name.as_str() != "PermissionRequest" {
        return CAMEL.encode_event(event);
    }
    // Only this event has a name, and a different key for its arguments.
    let mut fields = CAMEL.to_agent_fields(event);
    let input = fields.shift_remove("toolArgs");
    fields.extend(input.map(|input| ("toolInput".to_owned(), input)));
    fields.insert("hookName".to_owned(), "permissionRequest".into());
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

pub(super) fn encode_pascal_event(event: &Event) -> Envelope {
    match event.name.as_str() {
        "PermissionRequest" => encode_camel_event(event),
        _ => PASCAL.encode_event(event),
    }
}
