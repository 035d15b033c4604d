//! The vocabulary of Goose: its events, payload fields and tools (GO-20, GO-30). Tables, and the
//! translation of MCP tool names; decides nothing.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Goose",
    name: "event",
    keys: KEYS,
    tools: TOOLS,
    server_tool: "SERVER__TOOL",
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", NONE, &[], "a session starts"),
    event_row("SessionEnd", "SessionEnd", NONE, &[], "a session ends"),
    event_row("UserPromptSubmit", "UserPromptSubmit", Subject::Field("prompt"), &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PreToolUseResult", "PreToolUseResult", TOOL, &[], "it is decided whether a tool runs"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PostToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed"),
    event_row("BeforeReadFile", "BeforeReadFile", Subject::Field("matcher_context"), &[], "a file is about to be read"),
    event_row("AfterFileEdit", "AfterFileEdit", Subject::Field("matcher_context"), &[], "a file was changed"),
    event_row("BeforeShellExecution", "BeforeShellExecution", Subject::Field("matcher_context"), &[], "a command is about to run"),
    event_row("AfterShellExecution", "AfterShellExecution", Subject::Field("matcher_context"), &[], "a command ran"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
];

const KEYS: Keys = &[
    ("working_dir", "cwd"),
    ("message", "prompt"),
    ("tool_call_id", "tool_use_id"),
    ("event", ""),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["shell", "developer__shell"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[("path", "file_path"), ("before", "old_string"), ("after", "new_string")] },
    ToolWords { own: &["read_image"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["delegate"], neutral: "Agent", keys: &[] },
];

/// Events whose matchers test `matcher_context`, which no other field of the payload repeats.
const OWN_SUBJECT: &[&str] =
    &["BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"];

/// Reads a payload, without the text that matchers test.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = WORDS.decode_event(json, roots)?;
    if !OWN_SUBJECT.contains(&event.name.as_str()) {
        event.payload.shift_remove("matcher_context");
    }
    Ok(event)
}

/// Writes the payload, including the text that matchers test.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let context = ["tool_name", "message"].into_iter().find_map(|key| fields.get(key).cloned());
    if let Some(context) = context {
        fields.entry("matcher_context").or_insert(context);
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}
