//! The names of Cursor: its events of all tools, the fields of its payloads, its tools (CU-20,
//! CU-30). Tables, and the differences that a table does not hold.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use super::action;
use super::reply::FORM;
use crate::answer::Power;
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Cap, Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

/// The time that a hook gets if its entry sets none.
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Cursor",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const SUBAGENT: Subject = Subject::Field("subagent_type");

/// Creates the row of an event.
pub(super) const fn event_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, &[], TIMEOUT, when)
}

/// Creates the row of an event at the end of a turn, which gives way after 5 denials in a row.
const fn end_of_turn_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, &[Power::Deny], TIMEOUT, when)
        .with_cap(Cap::continue_after(5))
}

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("sessionStart", "SessionStart", NONE, "a session starts"),
    event_row("sessionEnd", "SessionEnd", NONE, "a session ends"),
    event_row("beforeSubmitPrompt", "UserPromptSubmit", NONE, "the user sent a prompt"),
    event_row("preToolUse", "PreToolUse", TOOL, "a tool is about to run"),
    event_row("postToolUse", "PostToolUse", TOOL, "a tool ran"),
    event_row("postToolUseFailure", "PostToolUseFailure", TOOL, "a tool failed or was denied"),
    event_row("subagentStart", "SubagentStart", SUBAGENT, "a subagent is about to start"),
    end_of_turn_row("subagentStop", "SubagentStop", SUBAGENT, "a subagent is about to finish"),
    end_of_turn_row("stop", "Stop", NONE, "the model is about to end its turn"),
    event_row("preCompact", "PreCompact", NONE, "the conversation is about to be compacted"),
    event_row("beforeTabFileRead", "PreTabFileRead", NONE, "Tab is about to read a file"),
    event_row("afterTabFileEdit", "PostTabFileEdit", NONE, "Tab edited a file"),
    event_row("afterAgentResponse", "AgentResponse", NONE, "the model wrote a text"),
    event_row("afterAgentThought", "AgentThought", NONE, "the model thought"),
    event_row("workspaceOpen", "WorkspaceOpen", NONE, "a workspace is opened"),
];

/// Events that no other agent has.
pub(super) const ONLY_HERE: &[&str] = &[
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "beforeSubmitPrompt",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
];

pub(super) const KEYS: Keys = &[("tool_output", "tool_response"), ("error_message", "error")];

/// The tools.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["Shell"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["Read"], neutral: "Read", keys: &[] },
    ToolWords { own: &["Write"], neutral: "Write", keys: &[] },
    ToolWords { own: &["List"], neutral: "LS", keys: &[("file_path", "path")] },
    ToolWords { own: &["Grep"], neutral: "Grep", keys: &[("file_path", "path")] },
    ToolWords { own: &["Fetch", "WebFetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["WebSearch"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["Task"], neutral: "Agent", keys: &[] },
];

/// The keys of a changed input that Cursor takes, by its own name of the tool (CU-31). It takes all
/// keys of a tool of an MCP server at `preToolUse`, and none at `beforeMCPExecution`, which alone
/// names the server.
#[rustfmt::skip]
pub(super) const CHANGEABLE: &[(&str, &[&str])] = &[
    ("Shell", &["command", "cwd", "timeout"]),
    ("Read", &["file_path"]),
    ("Write", &["file_path"]),
    ("Delete", &["file_path"]),
    ("ReadLints", &["file_path"]),
    ("List", &["file_path"]),
    ("Grep", &["pattern", "file_path"]),
    ("Fetch", &["url"]),
    ("ListMcpResources", &["server"]),
    ("FetchMcpResource", &["server", "uri", "download_path"]),
];

/// How Cursor begins the name of a tool of an MCP server. It does not name the server.
const MCP: &str = "MCP:";
/// The neutral beginning, with a name that stands for any server.
pub(super) const NEUTRAL_MCP: &str = "mcp__unnamed__";

/// Decodes an event of either table.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = WORDS.event_name_at_key(json, WORDS.name)?;
    match action::ROWS.iter().any(|row| row.name == name) {
        true => action::decode_event(json, roots),
        false => {
            let mut event = WORDS.decode_event_as(name, &with_directory(json), roots)?;
            let tool = event.text("tool_name").and_then(|name| name.strip_prefix(MCP));
            if let Some(neutral) = tool.map(|tool| format!("{NEUTRAL_MCP}{tool}")) {
                event.payload.insert("tool_name".to_owned(), neutral.into());
            }
            Ok(event)
        }
    }
}

/// Returns the payload with the first root of the workspace as its directory, if it has none.
pub(super) fn with_directory(json: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = json.clone();
    let has_directory = json.get("cwd").and_then(Value::as_str).is_some_and(|cwd| !cwd.is_empty());
    let roots = json.get("workspace_roots").and_then(Value::as_array);
    match roots.and_then(|roots| roots.first()).filter(|root| root.is_string()) {
        Some(root) if !has_directory => {
            fields.insert("cwd".to_owned(), root.clone());
        }
        _ => {}
    }
    fields
}

/// Writes the input of a hook.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let tool = event.text("tool_name").and_then(own_name_of_mcp_tool);
    if let Some(own) = tool {
        fields.insert("tool_name".to_owned(), own.into());
    }
    add_common_fields(event, &mut fields);
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

/// Returns Cursor's name of a tool of an MCP server, which stands after the server's name.
pub(super) fn own_name_of_mcp_tool(neutral: &str) -> Option<String> {
    let (_, tool) = neutral.strip_prefix("mcp__")?.split_once("__")?;
    Some(format!("{MCP}{tool}"))
}

/// Adds the fields that each payload has.
pub(super) fn add_common_fields(event: &Event, fields: &mut Map<String, Value>) {
    let id = || Value::from(event.within.session_id.as_str());
    fields.entry("conversation_id").or_insert_with(id);
    let root = event.within.project.to_string_lossy();
    fields.entry("workspace_roots").or_insert_with(|| vec![Value::from(&*root)].into());
}
