//! The vocabulary of Crush: its events, payload fields and tools (CR-20). Tables, and the
//! translation of the names of MCP tools.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{Vocabulary, event_row, flat_mcp_name, make_flat_mcp_name_neutral};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::{ToolWords, find_tool_by_neutral_name};
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary =
    Vocabulary { agent: "Crush", name: "event", keys: &[], tools: TOOLS, rows: || &ROWS };

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PreCompact", "PreCompact", NONE, &[], "the conversation is about to be compacted"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PostToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed"),
    event_row("PermissionRequest", "PermissionRequest", TOOL, &[], "the user is about to be asked for permission"),
    event_row("PermissionResult", "PermissionResult", TOOL, &[], "the user answered"),
    event_row("SessionStart", "SessionStart", NONE, &[], "a session starts"),
    event_row("SessionEnd", "SessionEnd", NONE, &[], "a session ends"),
    event_row("TurnStart", "TurnStart", NONE, &[], "a turn starts"),
    event_row("TurnEnd", "TurnEnd", NONE, &[], "a turn ended"),
    event_row("StopFailure", "StopFailure", NONE, &[], "a turn failed"),
    event_row("Interrupt", "Interrupt", NONE, &[], "the user interrupted a turn"),
    event_row("PostCompact", "PostCompact", NONE, &[], "the conversation was compacted"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["view"], neutral: "Read", keys: &[] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["multiedit"], neutral: "MultiEdit", keys: &[] },
    ToolWords { own: &["ls"], neutral: "LS", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["agentic_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["agent"], neutral: "Agent", keys: &[] },
];

/// Decodes a payload. A tool of an MCP server, `mcp_SERVER_TOOL` here, gets its neutral name.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = WORDS.decode_event(json, roots)?;
    make_flat_mcp_name_neutral(&mut event);
    Ok(event)
}

/// Returns Crush's name of the tool of an event, if it is about one.
pub(super) fn own_tool_name(event: &Event) -> Option<String> {
    let name = event.text("tool_name")?;
    let row = find_tool_by_neutral_name(TOOLS, name).and_then(|row| row.own.first());
    Some(flat_mcp_name(name).unwrap_or_else(|| row.map_or(name, |own| *own).to_owned()))
}

/// Encodes an event.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    if let Some(name) = own_tool_name(event) {
        fields.insert("tool_name".to_owned(), name.into());
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}
