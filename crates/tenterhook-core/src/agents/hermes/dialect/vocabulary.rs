//! The vocabulary of Hermes: its events, payload fields and tools (HE-20 to HE-32). Tables, and the
//! tools whose meaning depends on their input; decides nothing.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use tenterhook_shell::quote_word;

use super::TIMEOUT;
use super::reply::FORM;
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Hermes",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const AGENT: Subject = Subject::Field("agent_type");

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

/// The events, as in `VALID_HOOKS` of `hermes_cli/plugins.py` 0.19.0.
#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("pre_tool_call", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("post_tool_call", "PostToolUse", TOOL, &[], "a tool ran, failed or was blocked"),
    event_row("pre_llm_call", "UserPromptSubmit", NONE, &[], "a turn begins with the user's prompt"),
    end_of_turn_row("pre_verify", "Stop", NONE, "the model is about to end a turn in which it changed files"),
    event_row("on_session_start", "SessionStart", NONE, &[], "a session starts"),
    event_row("on_session_finalize", "SessionEnd", NONE, &[], "a session ends"),
    event_row("subagent_start", "SubagentStart", AGENT, &[], "a subagent starts"),
    event_row("subagent_stop", "SubagentStop", AGENT, &[], "a subagent finished"),
    event_row("on_session_end", "on_session_end", NONE, &[], "a turn ended"),
    event_row("on_session_reset", "on_session_reset", NONE, &[], "the user began a new session"),
    event_row("post_llm_call", "post_llm_call", NONE, &[], "a turn ended with an answer"),
    event_row("pre_api_request", "pre_api_request", NONE, &[], "a request is about to be sent to the model"),
    event_row("post_api_request", "post_api_request", NONE, &[], "the model answered a request"),
    event_row("api_request_error", "api_request_error", NONE, &[], "a request to the model failed"),
    event_row("transform_terminal_output", "transform_terminal_output", NONE, &[], "a command printed something"),
    event_row("transform_tool_result", "transform_tool_result", NONE, &[], "the result of a tool is about to be sent to the model"),
    event_row("transform_llm_output", "transform_llm_output", NONE, &[], "the answer is about to be shown"),
    event_row("pre_gateway_dispatch", "pre_gateway_dispatch", NONE, &[], "the gateway received a message"),
    event_row("pre_approval_request", "pre_approval_request", NONE, &[], "the user is about to be asked for permission"),
    event_row("post_approval_response", "post_approval_response", NONE, &[], "the user answered about a permission"),
    event_row("kanban_task_claimed", "kanban_task_claimed", NONE, &[], "a worker took a task"),
    event_row("kanban_task_completed", "kanban_task_completed", NONE, &[], "a task is done"),
    event_row("kanban_task_blocked", "kanban_task_blocked", NONE, &[], "a task is blocked"),
];

const KEYS: Keys = &[
    ("user_message", "prompt"),
    ("result", "tool_response"),
    ("tool_call_id", "tool_use_id"),
    ("assistant_response", "last_assistant_message"),
    ("final_response", "last_assistant_message"),
    ("child_session_id", "agent_id"),
    ("child_role", "agent_type"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &[SHELL], neutral: "Bash", keys: &[("background", "run_in_background")] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["write_file"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &[PATCH], neutral: "Edit", keys: &[("path", "file_path")] },
    ToolWords { own: &[PATCH], neutral: APPLY_PATCH, keys: &[] },
    ToolWords { own: &["search_files"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_extract"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["delegate_task"], neutral: "Agent", keys: &[("goal", "prompt")] },
    ToolWords { own: &["todo"], neutral: "TodoWrite", keys: &[] },
];

const SHELL: &str = "terminal";
const PATCH: &str = "patch";
const APPLY_PATCH: &str = "apply_patch";

/// The keys of a payload beside `extra`, in their order.
const OUTER: &[&str] = &["hook_event_name", "tool_name", "tool_input", "session_id", "cwd"];

/// Reads a payload, whose `extra` holds the event's own fields (HE-20).
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    if let Some(Value::Object(extra)) = fields.shift_remove("extra") {
        for (key, value) in extra {
            fields.entry(key).or_insert(value);
        }
    }
    fields.retain(|key, value| !value.is_null() || !matches!(&**key, "tool_name" | "tool_input"));
    rename_call(&mut fields);
    WORDS.decode_event(&fields, roots)
}

/// Gives a call that runs a command the name and the `command` of the shell: code, and text typed
/// into a running process (HE-31). A patch of several files gets a separate name.
fn rename_call(fields: &mut Map<String, Value>) {
    let Some(tool) = fields.get("tool_name").and_then(Value::as_str) else { return };
    let input = |key: &str| fields.get("tool_input")?.get(key)?.as_str();
    let is_typed = matches!(input("action"), Some("write" | "submit"));
    let (name, command) = match tool {
        "execute_code" => {
            (SHELL, input("code").map(|code| format!("python3 -c {}", quote_word(code))))
        }
        "process" if is_typed => (SHELL, input("data").map(str::to_owned)),
        PATCH if input(PATCH).is_some() => (APPLY_PATCH, None),
        _ => return,
    };
    if name == SHELL && command.is_none() {
        return;
    }
    if let (Some(command), Some(Value::Object(input))) = (command, fields.get_mut("tool_input")) {
        input.insert("command".to_owned(), command.into());
    }
    fields.insert("tool_name".to_owned(), name.into());
}

/// Writes a payload: what is not of every event stands in `extra`.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let mut payload = Map::new();
    for key in OUTER {
        payload.insert((*key).to_owned(), fields.shift_remove(*key).unwrap_or_default());
    }
    fields.shift_remove("transcript_path");
    payload.insert("extra".to_owned(), fields.into());
    Envelope { body: Envelope::serialize_payload(&payload), ..Envelope::default() }
}
