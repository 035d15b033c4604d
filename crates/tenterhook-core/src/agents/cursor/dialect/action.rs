//! The events of Cursor that are about one action: a shell command, a call of an MCP server, a file
//! (CU-22). Here each is the event of a tool, in both directions.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::reply::{self, ACTION_REPLIES};
use super::vocabulary::{self, KEYS, TOOLS, add_common_fields, event_row, with_directory};
use crate::dialect::kit::call::{NEUTRAL_SERVER_TOOL, Vocabulary};
use crate::dialect::kit::reply_form::{self, ReplyForm};
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;
use crate::matcher::MatcherSpec;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Cursor",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

pub(super) static FORM: ReplyForm =
    ReplyForm { words: &WORDS, replies: &ACTION_REPLIES, more: &[], ..reply::FORM_OF_TOOLS };

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

const TOOL: Subject = Subject::Tool(TOOLS);

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("beforeShellExecution", "PreToolUse", TOOL, "a shell command is about to run"),
    event_row("beforeMCPExecution", "PreToolUse", TOOL, "a tool of an MCP server is about to run"),
    event_row("beforeReadFile", "PreToolUse", TOOL, "a file is about to be read"),
    event_row("afterShellExecution", "PostToolUse", TOOL, "a shell command ran"),
    event_row("afterMCPExecution", "PostToolUse", TOOL, "a tool of an MCP server ran"),
    event_row("afterFileEdit", "PostToolUse", TOOL, "a file was edited"),
];

/// Which tools an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Shell,
    Mcp,
    Read,
    Edit,
}

/// The neutral tools that edit a file.
const EDITS: &[&str] = &["Write", "Edit", "MultiEdit"];

impl Action {
    /// Returns the action that an event of this name is about.
    pub(super) fn of_event(name: &str) -> Option<Self> {
        match name {
            "beforeShellExecution" | "afterShellExecution" => Some(Self::Shell),
            "beforeMCPExecution" | "afterMCPExecution" => Some(Self::Mcp),
            "beforeReadFile" => Some(Self::Read),
            "afterFileEdit" => Some(Self::Edit),
            _ => None,
        }
    }

    /// Returns the action of a call of the neutral tool.
    pub(super) fn of_tool(tool: &str) -> Option<Self> {
        match tool {
            "Bash" => Some(Self::Shell),
            "Read" => Some(Self::Read),
            _ if tool.starts_with("mcp__") => Some(Self::Mcp),
            _ => EDITS.contains(&tool).then_some(Self::Edit),
        }
    }

    /// Returns the matcher of the tools of the action.
    pub(super) fn matcher(self) -> MatcherSpec {
        let words = |names: &[&str]| {
            MatcherSpec::Words(names.iter().map(|name| (*name).to_owned()).collect())
        };
        match self {
            Self::Shell => words(&["Shell"]),
            Self::Mcp => MatcherSpec::Regex("^mcp__".to_owned()),
            Self::Read => words(&["Read"]),
            Self::Edit => words(EDITS),
        }
    }

    /// Returns the event before or after the action, if there is one.
    const fn event_name(self, is_before: bool) -> Option<&'static str> {
        match (self, is_before) {
            (Self::Shell, true) => Some("beforeShellExecution"),
            (Self::Shell, false) => Some("afterShellExecution"),
            (Self::Mcp, true) => Some("beforeMCPExecution"),
            (Self::Mcp, false) => Some("afterMCPExecution"),
            (Self::Read, true) => Some("beforeReadFile"),
            (Self::Edit, false) => Some("afterFileEdit"),
            (Self::Read, false) | (Self::Edit, true) => None,
        }
    }
}

/// Decodes an event of an action as the event of its tool.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = WORDS.event_name_at_key(json, WORDS.name)?;
    let mut fields = with_directory(json);
    let mut take = |key: &str| fields.shift_remove(key).unwrap_or_default();
    let call = match Action::of_event(name) {
        Some(Action::Shell) => Some((Value::from("Bash"), json!({ "command": take("command") }))),
        Some(Action::Read) => {
            Some((Value::from("Read"), json!({ "file_path": take("file_path") })))
        }
        Some(Action::Edit) => Some((
            Value::from("MultiEdit"),
            json!({ "file_path": take("file_path"), "edits": take("edits") }),
        )),
        Some(Action::Mcp) => {
            let server = json.get("mcp_server_name").and_then(Value::as_str).unwrap_or("unnamed");
            let tool = take("tool_name");
            let neutral = tool.as_str().map(|tool| Value::from(format!("mcp__{server}__{tool}")));
            neutral.map(|tool| (tool, take("tool_input")))
        }
        None => None,
    };
    if let Some((tool, input)) = call {
        fields.insert("tool_name".to_owned(), tool);
        fields.insert("tool_input".to_owned(), input);
    }
    for result in ["output", "result_json"] {
        if let Some(value) = fields.shift_remove(result) {
            fields.insert("tool_response".to_owned(), value);
        }
    }
    WORDS.decode_event_as(name, &fields, roots)
}

/// Writes the input of a hook: the event of the action that the call is.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let tool = event.text("tool_name").unwrap_or_default();
    let is_before = event.name.as_str() == "PreToolUse";
    let action = Action::of_tool(tool);
    let Some((action, name)) =
        action.and_then(|action| Some((action, action.event_name(is_before)?)))
    else {
        return vocabulary::encode_event(event);
    };
    let mut fields = WORDS.to_agent_fields(event);
    let input = fields.shift_remove("tool_input").unwrap_or_default();
    let result = fields.shift_remove("tool_output");
    fields.insert("hook_event_name".to_owned(), name.into());
    add_common_fields(event, &mut fields);
    let given = |key: &str| input.get(key).cloned().unwrap_or_default();
    match action {
        Action::Shell => {
            fields.shift_remove("tool_name");
            fields.insert("command".to_owned(), given("command"));
            fields.extend(result.map(|result| ("output".to_owned(), as_text(&result))));
        }
        Action::Mcp => {
            let own = vocabulary::own_name_of_mcp_tool(tool).unwrap_or_default();
            let own = own.split_once(':').map_or("", |(_, tool)| tool);
            fields.insert("tool_name".to_owned(), own.into());
            fields.insert("tool_input".to_owned(), input.to_string().into());
            fields.extend(result.map(|result| ("result_json".to_owned(), as_text(&result))));
        }
        Action::Read => {
            fields.shift_remove("tool_name");
            fields.insert("file_path".to_owned(), given("file_path"));
        }
        Action::Edit => {
            fields.shift_remove("tool_name");
            fields.insert("file_path".to_owned(), given("file_path"));
            fields.insert("edits".to_owned(), edits_of_input(&input));
        }
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

/// Returns a value as a text: itself, or its JSON.
fn as_text(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into()
}

/// Returns the edits of a neutral input: those that it has, one, or the whole text of a new file.
fn edits_of_input(input: &Value) -> Value {
    let given = |key: &str| input.get(key).cloned();
    let text = |key: &str| given(key).unwrap_or_else(|| "".into());
    given("edits").unwrap_or_else(|| match given("content") {
        Some(content) => json!([{ "old_string": "", "new_string": content }]),
        None => json!([{ "old_string": text("old_string"), "new_string": text("new_string") }]),
    })
}
