//! The vocabulary of Windsurf: its events, each of which is about one kind of tool, and their fields
//! (WS-20). Tables, and the translation of an action into a call of a tool.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;
use crate::matcher::MatcherSpec;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Windsurf",
    name: NAME,
    keys: KEYS,
    tools: &[],
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

/// The key that holds the name of the event.
const NAME: &str = "agent_action_name";

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Field("tool_name");

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("pre_run_command", "PreToolUse", TOOL, &[], "a command is about to run"),
    event_row("pre_read_code", "PreToolUse", TOOL, &[], "a file is about to be read"),
    event_row("pre_write_code", "PreToolUse", TOOL, &[], "a file is about to be changed"),
    event_row("pre_mcp_tool_use", "PreToolUse", TOOL, &[], "a tool of an MCP server is about to run"),
    event_row("pre_user_prompt", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("post_run_command", "PostToolUse", TOOL, &[], "a command ran"),
    event_row("post_read_code", "PostToolUse", TOOL, &[], "a file was read"),
    event_row("post_write_code", "PostToolUse", TOOL, &[], "a file was changed"),
    event_row("post_mcp_tool_use", "PostToolUse", TOOL, &[], "a tool of an MCP server ran"),
    event_row("post_cascade_response", "Stop", NONE, &[], "the model ended its turn"),
    event_row("post_cascade_response_with_transcript", "post_cascade_response_with_transcript", NONE, &[], "the model ended its turn, with the path of the transcript"),
    event_row("post_setup_worktree", "post_setup_worktree", NONE, &[], "a worktree was set up"),
];

const KEYS: Keys = &[("trajectory_id", "session_id"), ("model_name", "model")];

/// A kind of action: the end of its events' names, the tools that do it, and its fields in
/// `tool_info` with those of the tool. The first tool is the one that a payload shows.
struct Action {
    suffix: &'static str,
    tools: &'static [&'static str],
    keys: Keys,
}

const ACTIONS: &[Action] = &[
    Action {
        suffix: "_run_command",
        tools: &["Bash", "PowerShell"],
        keys: &[("command_line", "command")],
    },
    Action { suffix: "_read_code", tools: &["Read"], keys: &[] },
    Action {
        suffix: "_write_code",
        tools: &["MultiEdit", "Write", "Edit", "NotebookEdit", "apply_patch"],
        keys: &[],
    },
];

/// The end of the names of events about tools of MCP servers.
const MCP: &str = "_mcp_tool_use";

/// Fields of the other events in `tool_info`, and the neutral ones.
const OTHERS: Keys = &[("user_prompt", "prompt"), ("response", "last_assistant_message")];

/// Returns the matcher of the hooks of an event: the tools that it is about (WS-10).
pub(super) fn matcher_of_event(name: &str) -> MatcherSpec {
    let action = ACTIONS.iter().find(|action| name.ends_with(action.suffix));
    match action {
        Some(action) => {
            MatcherSpec::Words(action.tools.iter().map(|tool| (*tool).to_owned()).collect())
        }
        None if name.ends_with(MCP) => MatcherSpec::Regex("^mcp__".to_owned()),
        None => MatcherSpec::Any,
    }
}

/// Decodes a payload: `tool_info` of an action becomes a tool with its input.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = WORDS.event_name_at_key(json, NAME)?;
    let mut fields = json.clone();
    fields.shift_remove(NAME);
    let info = match fields.shift_remove("tool_info") {
        Some(Value::Object(info)) => info,
        Some(_) => return Err(EventFault::field_of_wrong_type("tool_info", "an object")),
        None if name.starts_with("pre_") => return Err(EventFault::NoField { key: "tool_info" }),
        None => Map::new(),
    };
    if let Some(cwd) = info.get("cwd").filter(|cwd| cwd.is_string()) {
        fields.entry("cwd").or_insert_with(|| cwd.clone());
    }
    let action = ACTIONS.iter().find(|action| name.ends_with(action.suffix));
    match action {
        Some(action) => {
            let tool = action.tools.first().copied().unwrap_or_default();
            fields.insert("tool_name".to_owned(), tool.into());
            fields.insert(
                "tool_input".to_owned(),
                rename_keys(info, action.keys, ToolWords::to_neutral_input).into(),
            );
        }
        None if name.ends_with(MCP) => add_mcp_call(&mut fields, info)?,
        None => fields.extend(rename_keys(info, OTHERS, ToolWords::to_neutral_input)),
    }
    WORDS.decode_event_as(name, &fields, roots)
}

/// Adds the call of a tool of an MCP server, with the neutral name of the tool.
fn add_mcp_call(
    fields: &mut Map<String, Value>,
    mut info: Map<String, Value>,
) -> Result<(), EventFault> {
    let text = |key: &'static str| {
        let name = info.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
        name.ok_or(EventFault::NoField { key })
    };
    let name = format!("mcp__{}__{}", text("mcp_server_name")?, text("mcp_tool_name")?);
    let input = info.shift_remove("mcp_tool_arguments").unwrap_or_else(|| Map::new().into());
    fields.insert("tool_name".to_owned(), name.into());
    fields.insert("tool_input".to_owned(), input);
    let result = info.shift_remove("mcp_result");
    fields.extend(result.map(|result| ("tool_response".to_owned(), result)));
    Ok(())
}

/// Encodes an event: the tool decides which of Windsurf's events it is.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let tool = fields.shift_remove("tool_name");
    let tool = tool.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let input = match fields.shift_remove("tool_input") {
        Some(Value::Object(input)) => input,
        _ => Map::new(),
    };
    let phase = if event.name.as_str() == "PostToolUse" { "post" } else { "pre" };
    let action = ACTIONS.iter().find(|action| action.tools.contains(&&*tool));
    let mut info = Map::new();
    if let Some(action) = action {
        fields.insert(NAME.to_owned(), format!("{phase}{}", action.suffix).into());
        info = rename_keys(with_list_of_edits(input), action.keys, ToolWords::to_agent_input);
        let cwd = fields.get("cwd").cloned();
        if action.suffix == "_run_command" {
            info.extend(cwd.map(|cwd| ("cwd".to_owned(), cwd)));
        }
    } else if let Some((server, name)) =
        tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"))
    {
        fields.insert(NAME.to_owned(), format!("{phase}{MCP}").into());
        info.insert("mcp_server_name".to_owned(), server.into());
        info.insert("mcp_tool_name".to_owned(), name.into());
        info.insert("mcp_tool_arguments".to_owned(), input.into());
        let result = fields.shift_remove("tool_response");
        info.extend(result.map(|result| ("mcp_result".to_owned(), result)));
    } else {
        for (own, neutral) in OTHERS {
            let value = fields.shift_remove(*neutral);
            info.extend(value.map(|value| ((*own).to_owned(), value)));
        }
    }
    fields.shift_remove("cwd");
    fields.insert("tool_info".to_owned(), info.into());
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

/// Returns an input whose change of a file is a list of edits, as Windsurf writes it.
fn with_list_of_edits(mut input: Map<String, Value>) -> Map<String, Value> {
    let new = input.shift_remove("content").or_else(|| input.shift_remove("new_string"));
    if let Some(new) = new {
        let old = input.shift_remove("old_string").unwrap_or_else(|| "".into());
        let edit = serde_json::json!({ "old_string": old, "new_string": new });
        input.insert("edits".to_owned(), vec![edit].into());
    }
    input
}

/// Renames keys, as for a tool with these.
fn rename_keys(fields: Map<String, Value>, keys: Keys, rename: Rename) -> Map<String, Value> {
    let words = ToolWords { own: &[], neutral: "", keys };
    match rename(&words, &fields.into()) {
        Value::Object(renamed) => renamed,
        _ => Map::new(),
    }
}

type Rename = fn(&ToolWords, &Value) -> Value;
