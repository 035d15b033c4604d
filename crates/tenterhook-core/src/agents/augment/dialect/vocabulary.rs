//! The vocabulary of Auggie: its events, payload fields and tools (AU-20). Tables, and the
//! translation of the names of MCP tools.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{
    Keys, NEUTRAL_SERVER_TOOL, Vocabulary, end_of_turn_row, event_row,
};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::{ToolWords, find_tool_by_neutral_name};
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Auggie",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

/// The default timeout of a hook.
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);
const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", NONE, &[], "a session starts"),
    event_row("SessionEnd", "SessionEnd", NONE, &[], "a session ends"),
    event_row("PromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
    event_row("Notification", "Notification", NONE, &[], "the user is shown a notification"),
];

const KEYS: Keys = &[
    ("conversation_id", "session_id"),
    ("tool_output", "tool_response"),
    ("user_prompt", "prompt"),
    ("notification_message", "message"),
    ("agent_stop_cause", "stop_reason"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["launch-process"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["view"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["save-file"], neutral: "Write", keys: &[PATH, ("file_content", "content")] },
    ToolWords { own: &["str-replace-editor"], neutral: "Edit", keys: &[PATH, ("old_str_1", "old_string"), ("new_str_1", "new_string"), ("old_str", "old_string"), ("new_str", "new_string")] },
    ToolWords { own: &["apply_patch"], neutral: "apply_patch", keys: &[] },
    ToolWords { own: &["web-fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web-search"], neutral: "WebSearch", keys: &[] },
];

const PATH: (&str, &str) = ("path", "file_path");

/// Decodes a payload: the first folder of the workspace is the working directory, and a tool of an
/// MCP server, `TOOL_SERVER` here, gets its neutral name.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    let folder = fields.get("workspace_roots").and_then(|paths| paths.get(0)).cloned();
    if let Some(folder) = folder.filter(Value::is_string) {
        fields.entry("cwd").or_insert(folder);
    }
    let is_mcp = fields.get("is_mcp_tool") == Some(&Value::Bool(true));
    let name = fields.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    if let Some((tool, server)) = name.rsplit_once('_').filter(|_| is_mcp) {
        let neutral = format!("mcp__{server}__{tool}");
        fields.insert("tool_name".to_owned(), neutral.into());
    }
    WORDS.decode_event(&fields, roots)
}

/// Returns Auggie's name of the tool of an event, if it is about one.
pub(super) fn own_tool_name(event: &Event) -> Option<String> {
    let name = event.text("tool_name")?;
    if let Some((server, tool)) = mcp_parts(name) {
        return Some(format!("{tool}_{server}"));
    }
    let row = find_tool_by_neutral_name(TOOLS, name).and_then(|row| row.own.first());
    Some(row.map_or(name, |own| *own).to_owned())
}

fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Encodes an event.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    if let Some(name) = own_tool_name(event) {
        let is_mcp = event.text("tool_name").is_some_and(|name| mcp_parts(name).is_some());
        fields.insert("tool_name".to_owned(), name.into());
        fields.insert("is_mcp_tool".to_owned(), is_mcp.into());
    }
    let cwd = fields.shift_remove("cwd");
    fields.entry("workspace_roots").or_insert_with(|| cwd.into_iter().collect());
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}
