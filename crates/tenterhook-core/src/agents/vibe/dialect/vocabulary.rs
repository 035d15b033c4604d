//! The names of Mistral Vibe: its events, payload fields and tools (VI-20, VI-30). Tables, and the
//! translation of the names of tools that no table can list; decides nothing.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::answer::Power;
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::{ToolWords, find_tool_by_neutral_name};
use crate::dialect::{Cap, Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Mistral Vibe",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

/// The default timeout of a hook.
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

const TOOL: Subject = Subject::Tool(TOOLS);

/// The events. After 3 denials in a row, Mistral Vibe ends the turn.
#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("pre_tool", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("post_tool", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("post_agent", "Stop", Subject::Field("agent_name"), &[Power::Deny], "the model is about to end its turn")
        .with_cap(Cap::continue_after(3)),
];

const KEYS: Keys = &[("tool_call_id", "tool_use_id"), ("tool_output", "tool_response")];

/// The tools that other agents also have, by the name that hooks receive, then the names that
/// matchers know besides (3.0.3).
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["file_system.bash", "bash", "file_system_bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &[START, "process_start"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["file_system.read_file", "read_file", "file_system_read_file"], neutral: "Read", keys: &[] },
    ToolWords { own: &["file_system.write_file", "write_file", "file_system_write_file"], neutral: "Write", keys: &[] },
    ToolWords { own: &["file_system.edit", "edit", "file_system_edit"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["agents.spawn", "agents_spawn", "subagent.spawn", "agent_spawn"], neutral: "Agent", keys: &[("message", "prompt"), ("config_name", "subagent_type"), ("name", "description")] },
    ToolWords { own: &["skill.read", "skill"], neutral: "Skill", keys: &[("name", "skill")] },
];

/// The tool that starts a command and does not wait for it. For hooks it is the shell.
pub(super) const START: &str = "process.start";

/// The field of an event with the agent's name of a tool, if it is not the first of its row.
const OWN_NAME: &str = "vibe_tool_name";

/// Reads a payload. The tool `TOOL` of an MCP server is `mcp_SERVER.TOOL`; its neutral name is
/// `mcp__SERVER__TOOL`.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = WORDS.decode_event(json, roots)?;
    let given = json.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    if given == START {
        event.payload.insert(OWN_NAME.to_owned(), START.into());
    }
    if let Some((server, tool)) = given.strip_prefix("mcp_").and_then(|rest| rest.split_once('.')) {
        event.payload.insert("tool_name".to_owned(), format!("mcp__{server}__{tool}").into());
    }
    Ok(event)
}

/// Writes the payload of an event.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    fields.shift_remove(OWN_NAME);
    if let Some(name) = own_tool_name(event) {
        fields.insert("tool_name".to_owned(), name.into());
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

/// Returns the name that Mistral Vibe has for the tool of an event, as hooks receive it.
pub(super) fn own_tool_name(event: &Event) -> Option<String> {
    let name = event.text("tool_name")?;
    if let Some(own) = event.text(OWN_NAME) {
        return Some(own.to_owned());
    }
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"))
    {
        return Some(format!("mcp_{server}.{tool}"));
    }
    let known = find_tool_by_neutral_name(TOOLS, name).and_then(|tool| tool.own.first());
    Some(known.map_or(name, |own| *own).to_owned())
}
