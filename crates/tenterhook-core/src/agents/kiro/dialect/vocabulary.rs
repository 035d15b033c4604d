//! The vocabularies of Kiro: the events, payload fields and tools of its agent engine, and those of
//! the command line 2.x (KR-20 to KR-22). Tables, and the translation of calls that no table covers.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::reply::{DEFINITION_FORM, FORM};
use crate::dialect::kit::call::{NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::{ToolWords, find_tool_by_neutral_name};
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

/// The timeout of a hook in a hook file (KR-4).
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);

/// The event of a definition that no other agent has.
pub(super) const SPAWN: &str = "agentSpawn";

const NAME: &str = "hook_event_name";

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Kiro",
    name: NAME,
    keys: &[],
    tools: TOOLS,
    server_tool: "mcp_SERVER_TOOL",
    rows: || &ROWS,
};

/// The vocabulary of the command line 2.x.
pub(super) static DEFINITION_WORDS: Vocabulary = Vocabulary {
    agent: "Kiro",
    name: NAME,
    keys: &[("assistant_response", "last_assistant_message")],
    tools: DEFINITION_TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &DEFINITION_ROWS,
};

const NONE: Subject = Subject::None;

/// Every event of a hook file.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

/// Every event of a definition.
pub(super) static DEFINITION_ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&DEFINITION_FORM, DEFINITION_EVENTS));

/// Creates the row of an event of a hook file.
const fn row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, &[], TIMEOUT, when)
}

const FILE: Subject = Subject::Field("file_path");
const TOOL: Subject = Subject::Tool(TOOLS);
const DEFINITION_TOOL: Subject = Subject::Tool(DEFINITION_TOOLS);

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    row("SessionStart", "SessionStart", NONE, "a session starts"),
    row("UserPromptSubmit", "UserPromptSubmit", NONE, "the user sent a prompt"),
    row("PreToolUse", "PreToolUse", TOOL, "a tool is about to run"),
    row("PostToolUse", "PostToolUse", TOOL, "a tool ran"),
    row("Stop", "Stop", NONE, "the model ended its turn"),
    row("PreTaskExec", "PreTaskExec", NONE, "a task of a spec is about to start"),
    row("PostTaskExec", "PostTaskExec", NONE, "a task of a spec ended"),
    row("PostFileCreate", "PostFileCreate", FILE, "a file was created"),
    row("PostFileSave", "PostFileSave", FILE, "a file was saved"),
    row("PostFileDelete", "PostFileDelete", FILE, "a file was deleted"),
    row("Manual", "Manual", NONE, "the user started the hook"),
];

#[rustfmt::skip]
static DEFINITION_EVENTS: &[EventRow] = &[
    event_row(SPAWN, "SessionStart", NONE, &[], "the agent starts"),
    event_row("userPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("preToolUse", "PreToolUse", DEFINITION_TOOL, &[], "a tool is about to run"),
    event_row("postToolUse", "PostToolUse", DEFINITION_TOOL, &[], "a tool ran"),
    event_row("stop", "Stop", NONE, &[], "the model ended its turn"),
];

const PATH: (&str, &str) = ("path", "file_path");

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["execute_bash", "shell"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["execute_pwsh"], neutral: "PowerShell", keys: &[] },
    ToolWords { own: &["read_file", "read"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["read_files"], neutral: "Read", keys: &[] },
    ToolWords { own: &["read_code"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["fs_write", "write"], neutral: "Write", keys: &[PATH, ("text", "content")] },
    ToolWords { own: &["str_replace"], neutral: "Edit", keys: &[PATH, ("oldStr", "old_string"), ("newStr", "new_string")] },
    ToolWords { own: &["fs_append"], neutral: "Edit", keys: &[PATH, ("text", "new_string")] },
    ToolWords { own: &["list_directory"], neutral: "LS", keys: &[] },
    ToolWords { own: &["file_search", "glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep_search", "grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search", "remote_web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["invoke_sub_agent"], neutral: "Agent", keys: &[("name", "subagent_type")] },
];

#[rustfmt::skip]
pub(super) static DEFINITION_TOOLS: &[ToolWords] = &[
    ToolWords { own: &["execute_bash", "shell", "execute_cmd", "executeCmd", "execute_bash_tool"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["fs_read", "read", "fsRead"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["fs_write", "write", "fsWrite"], neutral: "Write", keys: &[PATH, ("file_text", "content")] },
    ToolWords { own: &["fs_write", EDIT], neutral: "Edit", keys: &[PATH, ("old_str", "old_string"), ("new_str", "new_string")] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["use_subagent", "subagent", "agent_crew"], neutral: "Agent", keys: &[] },
];

/// A name for a call of `fs_write` that changes a part of a file; no call has it.
const EDIT: &str = "fs_write of a part";

/// The key of `fs_write` that says what it does, and the value for a whole file and for a part.
const VERB: &str = "command";
const CREATE: &str = "create";
const REPLACE: &str = "str_replace";
/// The key of `fs_read` that holds what it reads.
const OPERATIONS: &str = "operations";

/// Decodes a payload of either engine; the spelling of the event says which.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = WORDS.event_name_at_key(json, NAME)?;
    let is_of_definition = DEFINITION_ROWS.iter().any(|row| row.name == name);
    let mut fields = json.clone();
    match is_of_definition {
        true => flatten_call(&mut fields),
        false => name_started_command(&mut fields),
    }
    let words = if is_of_definition { &DEFINITION_WORDS } else { &WORDS };
    let mut event = words.decode_event(&fields, roots)?;
    if let Some(name) = event.text("tool_name").and_then(neutral_mcp_name) {
        event.payload.insert("tool_name".to_owned(), name.into());
    }
    Ok(event)
}

/// Returns the neutral name of a tool of an MCP server that the command line 2.x calls
/// `@SERVER/TOOL`.
fn neutral_mcp_name(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix('@')?.split_once('/')?;
    Some(format!("mcp__{server}__{tool}"))
}

/// Gives a call that starts a process beside the session the name of the shell (KR-21).
fn name_started_command(fields: &mut Map<String, Value>) {
    let command = fields.get("tool_input").and_then(|input| input.get("command"));
    let starts = command.is_some_and(Value::is_string);
    let is_control = |name: &&mut Value| starts && **name == "control_bash_process";
    if let Some(name) = fields.get_mut("tool_name").filter(is_control) {
        *name = "execute_bash".into();
    }
}

/// Makes the fields of a call of `fs_write` and `fs_read` those of one action on one file, where it
/// is one (KR-22).
fn flatten_call(fields: &mut Map<String, Value>) {
    let tool = fields.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let is = |neutral: &str| {
        find_tool_by_neutral_name(DEFINITION_TOOLS, neutral)
            .is_some_and(|words| words.own.contains(&tool))
    };
    let (writes, reads) = (is("Write"), is("Read"));
    let Some(Value::Object(input)) = fields.get_mut("tool_input") else { return };
    if writes {
        let verb = input.shift_remove(VERB);
        if verb.is_some_and(|verb| verb != CREATE) {
            fields.insert("tool_name".to_owned(), EDIT.into());
        }
    } else if reads
        && let Some([Value::Object(only)]) =
            input.get(OPERATIONS).and_then(Value::as_array).map(Vec::as_slice)
    {
        *input = only.clone();
    }
}

/// Encodes an event for a hook of a hook file.
pub(super) fn encode_event(event: &Event) -> Envelope {
    WORDS.encode_event(event)
}

/// Encodes an event for a hook of a definition.
pub(super) fn encode_event_of_definition(event: &Event) -> Envelope {
    let mut fields = DEFINITION_WORDS.to_agent_fields(event);
    if let Some((server, tool)) = mcp_server_and_tool(event) {
        fields.insert("tool_name".to_owned(), format!("@{server}/{tool}").into());
    }
    let input = fields.get_mut("tool_input").and_then(Value::as_object_mut);
    match (event.text("tool_name"), input) {
        (Some("Write"), Some(input)) => {
            input.insert(VERB.to_owned(), CREATE.into());
        }
        (Some("Edit"), Some(input)) => {
            input.insert(VERB.to_owned(), REPLACE.into());
        }
        (Some("Read"), Some(input)) if !input.contains_key(OPERATIONS) => {
            let mut only = std::mem::take(input);
            only.entry("mode").or_insert_with(|| "Line".into());
            input.insert(OPERATIONS.to_owned(), json!([only]));
        }
        _ => {}
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

fn mcp_server_and_tool(event: &Event) -> Option<(&str, &str)> {
    event.text("tool_name")?.strip_prefix("mcp__")?.split_once("__")
}
