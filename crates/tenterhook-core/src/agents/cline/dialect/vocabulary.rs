//! The names of Cline: its events, its tools, and its payload, which has each call twice (CL-20,
//! CL-30).

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::TIMEOUT;
use super::reply::FORM;
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Cline",
    name: "hookName",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("TaskStart", "SessionStart", NONE, &[], "a task starts"),
    event_row("TaskResume", "SessionStart", NONE, &[], "a task goes on"),
    event_row("TaskComplete", "TaskComplete", NONE, &[], "a task is done"),
    event_row("TaskError", "StopFailure", NONE, &[], "a task ended with an error"),
    event_row("TaskCancel", "Interrupt", NONE, &[], "the user ended a task"),
    event_row("SessionShutdown", "SessionEnd", NONE, &[], "a session ends"),
    event_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt; headless runs call no hook"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PreCompact", "PreCompact", NONE, &[], "never, in this version"),
];

/// The names of events in its payloads.
const NAMES: &[(&str, &str)] = &[
    ("tool_call", "PreToolUse"),
    ("tool_result", "PostToolUse"),
    ("agent_start", "TaskStart"),
    ("agent_end", "TaskComplete"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_commands", "execute_command"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["editor", "write_to_file"], neutral: "Write", keys: &[("path", "file_path"), ("new_text", "content")] },
    ToolWords { own: &["replace_in_file"], neutral: "Edit", keys: &[("path", "file_path")] },
    ToolWords { own: &["read_files", "read_file"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["search_codebase", "search_files"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["fetch_web_content"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["spawn_agent"], neutral: "Agent", keys: &[] },
];

const KEYS: Keys = &[
    ("taskId", "session_id"),
    ("hookName", ""),
    ("clineVersion", ""),
    ("tool_call", ""),
    ("preToolUse", ""),
    ("postToolUse", ""),
];

pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let text = |key: &str| json.get(key).and_then(Value::as_str);
    let called = match text("hookName") {
        Some(name) => name,
        None => WORDS.event_name_at_key(json, "hook_event_name")?,
    };
    let known = NAMES.iter().find(|(own, _)| *own == called).map(|(_, name)| *name);
    let name = known.or_else(|| text("hook_event_name")).unwrap_or(called);
    let mut fields = json.clone();
    let root =
        json.get("workspaceRoots").and_then(|workspace_roots| workspace_roots.get(0)).cloned();
    fields.extend(root.map(|root| ("cwd".to_owned(), root)));
    // All `preToolUse.parameters` are strings, so the call itself is read.
    let call = json.get("tool_call").or_else(|| json.get("tool_result"));
    for (key, neutral) in [("name", "tool_name"), ("input", "tool_input"), ("id", "tool_use_id")] {
        let value = call.and_then(|call| call.get(key)).cloned();
        fields.extend(value.map(|value| (neutral.to_owned(), value)));
    }
    if let Some(output) = json.get("tool_result").and_then(|tool_result| tool_result.get("output"))
    {
        fields.insert("tool_response".to_owned(), output.clone());
    }
    if let Some(prompt) = json.get("userPromptSubmit").and_then(|value| value.get("prompt")) {
        fields.insert("prompt".to_owned(), prompt.clone());
    }
    let mut event = WORDS.decode_event_as(name, &fields, roots)?;
    if event.text("tool_name") == Some("Bash") {
        join_commands_into_script(&mut event)?;
    }
    Ok(event)
}

/// Joins a list of commands to one script with a line for each, so that a gate judges all of them.
fn join_commands_into_script(event: &mut Event) -> Result<(), EventFault> {
    let Some(Value::Object(input)) = event.payload.get_mut("tool_input") else { return Ok(()) };
    let Some(commands) = input.shift_remove("commands") else { return Ok(()) };
    let unread = || EventFault::field_of_wrong_type("commands", "a list of strings");
    let list = commands.as_array().ok_or_else(unread)?;
    let lines: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    input.insert("command".to_owned(), lines.ok_or_else(unread)?.join("\n").into());
    Ok(())
}

/// Neutral fields that belong to the object of the call.
const CALL: &[&str] = &["tool_name", "tool_input", "tool_use_id", "tool_response"];

/// Writes the payload, with the call in both of its forms.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let cwd = fields.shift_remove("cwd").unwrap_or_default();
    let mut call: Vec<Value> =
        CALL.iter().map(|key| fields.shift_remove(*key).unwrap_or_default()).collect();
    let (output, id) = (call.pop().unwrap_or_default(), call.pop().unwrap_or_default());
    let (mut input, name) = (call.pop().unwrap_or_default(), call.pop().unwrap_or_default());
    let own = fields.get("hookName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let hook_name = NAMES.iter().find(|(_, value)| *value == own).map_or(&*own, |(name, _)| name);
    fields.insert("hookName".to_owned(), hook_name.into());
    fields.insert("clineVersion".to_owned(), "".into());
    fields.entry("workspaceRoots").or_insert_with(|| json!([cwd]));
    if let Some(object) = input.as_object_mut().filter(|_| event.text("tool_name") == Some("Bash"))
    {
        let script = object.shift_remove("command");
        object.extend(script.map(|script| ("commands".to_owned(), json!([script]))));
    }
    if name.is_string() {
        let texts: Map<String, Value> = input
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.clone(), to_string_value(value)))
            .collect();
        let mut both = [
            Map::from_iter([
                ("id".into(), id),
                ("name".into(), name.clone()),
                ("input".into(), input),
            ]),
            Map::from_iter([("toolName".into(), name), ("parameters".into(), texts.into())]),
        ];
        let after = hook_name == "tool_result";
        if let ([call, other], true) = (&mut both, after) {
            other.insert("result".to_owned(), to_string_value(&output));
            call.insert("output".to_owned(), output);
        }
        let keys = [hook_name, if after { "postToolUse" } else { "preToolUse" }];
        let both = keys.into_iter().zip(both);
        fields.extend(both.map(|(key, object)| (key.to_owned(), object.into())));
    }
    if let Some(prompt) = fields.get("prompt").cloned() {
        fields.entry("userPromptSubmit").or_insert_with(|| json!({ "prompt": prompt }));
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

/// Returns a string unchanged, and any other value as a string with its JSON.
fn to_string_value(value: &Value) -> Value {
    match value {
        Value::String(_) => value.clone(),
        other => other.to_string().into(),
    }
}
