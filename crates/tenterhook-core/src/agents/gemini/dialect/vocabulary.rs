//! The vocabulary of Gemini CLI: its events, payload fields and tools (GM-20, GM-30). Tables, and the name of the tool of a server.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Gemini CLI",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: "mcp_SERVER_TOOL",
    rows: || &ROWS,
};

/// The timeout of a hook that sets none.
const TIMEOUT: Duration = Duration::from_mins(1);
const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::Field("source"), &[], "a session starts or resumes"),
    event_row("SessionEnd", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
    event_row("BeforeAgent", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    end_of_turn_row("AfterAgent", "Stop", NONE, "the model is about to end its turn"),
    event_row("BeforeModel", "PreModelCall", NONE, &[], "the model is about to be called"),
    event_row("AfterModel", "PostModelCall", NONE, &[], "a part of the model's answer came"),
    event_row("BeforeToolSelection", "BeforeToolSelection", NONE, &[], "the model is about to be offered tools"),
    event_row("BeforeTool", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("AfterTool", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PreCompress", "PreCompact", Subject::Field("trigger"), &[], "before each call of the model, whether the conversation is compressed or not"),
    event_row("Notification", "Notification", Subject::Field("notification_type"), &[], "the user is about to be asked for permission"),
];

const KEYS: Keys = &[("prompt_response", "last_assistant_message")];
const FILE: (&str, &str) = ("file_path", "file_path");

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_shell_command"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[FILE, ("absolute_path", "file_path"), ("path", "file_path")] },
    ToolWords { own: &["write_file"], neutral: "Write", keys: &[] },
    ToolWords { own: &["replace", "edit"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[("dir_path", "path")] },
    ToolWords { own: &["grep_search", "search_file_content"], neutral: "Grep", keys: &[("dir_path", "path")] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["google_web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["write_todos"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["invoke_agent"], neutral: "Agent", keys: &[("agent_name", "subagent_type")] },
];

/// Reads a payload. The name of a tool of an MCP server does not show where the server's ends;
/// `mcp_context` does (GM-22).
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = WORDS.decode_event(json, roots)?;
    let text = |key: &str| json.get("mcp_context")?.get(key)?.as_str();
    if let Some((server, tool)) = text("server_name").zip(text("tool_name")) {
        event.payload.insert("tool_name".to_owned(), format!("mcp__{server}__{tool}").into());
    }
    Ok(event)
}
