//! The vocabulary of Hermes: its events, payload fields and tools (HE-20 to HE-32). Tables, and the
//! tools whose meaning depends on their input; decides nothing.

use std::sync::LazyLock;

use serde_json::{Map, Value};
use tenterhook_shell::quote_word;

use super::TIMEOUT;
use super::reply::FORM;
use crate::dialect::kit::call::{
    Keys, NEUTRAL_SERVER_TOOL, Vocabulary, end_of_turn_row, event_row,
};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::{OWN_NAME, ToolWords, find_tool_by_neutral_name};
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Hermes",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const AGENT: Subject = Subject::Field("agent_type");

pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

/// The events, as in `VALID_HOOKS` of `hermes_cli/plugins.py` 0.19.0, and behind them those that
/// later releases added (0.21.3, commit 00067189).
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
    event_row("on_stream_start", "on_stream_start", NONE, &[], "an answer begins to arrive"),
    event_row("on_stream_delta", "on_stream_delta", NONE, &[], "a part of an answer arrived"),
    event_row("on_stream_end", "on_stream_end", NONE, &[], "an answer arrived"),
    event_row("on_interim_message", "on_interim_message", NONE, &[], "the model wrote a text within a turn"),
    event_row("pre_auxiliary_call", "pre_auxiliary_call", NONE, &[], "a request for a side task is about to be sent to a model"),
    event_row("post_auxiliary_call", "post_auxiliary_call", NONE, &[], "a model answered the request for a side task"),
    event_row("on_skill_lifecycle", "on_skill_lifecycle", NONE, &[], "a skill changed"),
    event_row("agent_loop_stopped", "agent_loop_stopped", NONE, &[], "a turn was interrupted"),
    event_row("on_room_member_activity", "on_room_member_activity", NONE, &[], "a member of a group chat did something"),
    event_row("pre_transcription", "pre_transcription", NONE, &[], "a recording is about to be transcribed"),
    event_row("on_kanban_worker_spawned", "on_kanban_worker_spawned", NONE, &[], "a worker started"),
    event_row("on_kanban_worker_exited", "on_kanban_worker_exited", NONE, &[], "a worker ended"),
    event_row("on_kanban_worker_stale_claim", "on_kanban_worker_stale_claim", NONE, &[], "a worker lost its task after a timeout"),
    event_row("on_kanban_task_updated", "on_kanban_task_updated", NONE, &[], "a task changed"),
    event_row("on_kanban_dispatch_tick", "on_kanban_dispatch_tick", NONE, &[], "the dispatcher looked for tasks"),
    event_row("gateway_platform_event", "gateway_platform_event", NONE, &[], "a message in a chat was edited, deleted or reacted to"),
    event_row("pre_command", "pre_command", NONE, &[], "a slash command is about to run"),
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

/// If a tool has several names, the first is that of the later releases, which still accept the
/// other (`_LEGACY_TOOL_ALIASES` of `model_tools.py` 0.21.3).
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
    ToolWords { own: &["todo_list", "todo"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["process_manage", "process"], neutral: "process_manage", keys: &[] },
    ToolWords { own: &["cronjob_manage", "cronjob"], neutral: "cronjob_manage", keys: &[] },
    ToolWords { own: &["gui_tour", "tour"], neutral: "gui_tour", keys: &[] },
    ToolWords { own: &["show_tip", "tip"], neutral: "show_tip", keys: &[] },
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
    fields.shift_remove(OWN_NAME);
    rename_call(&mut fields);
    let mut event = WORDS.decode_event(&fields, roots)?;
    let row = event.text("tool_name").and_then(|name| find_tool_by_neutral_name(TOOLS, name));
    let given = json.get("tool_name").and_then(Value::as_str);
    if let (Some(row), Some(given)) = (row, given)
        && row.own.first() != Some(&given)
    {
        event.payload.insert(OWN_NAME.to_owned(), given.into());
    }
    Ok(event)
}

/// Gives a call that runs a command the name and the `command` of the shell (HE-31), and a patch of
/// several files a separate name.
fn rename_call(fields: &mut Map<String, Value>) {
    let Some(Value::String(tool)) = fields.get("tool_name") else { return };
    let tool = tool.clone();
    let Some(Value::Object(input)) = fields.get_mut("tool_input") else { return };
    if let Some(command) = command_of_call(&tool, input) {
        input.insert("command".to_owned(), command.into());
        fields.insert("tool_name".to_owned(), SHELL.into());
    } else if tool == PATCH && input.get(PATCH).is_some_and(Value::is_string) {
        fields.insert("tool_name".to_owned(), APPLY_PATCH.into());
    }
}

/// Returns what a call of another tool than the shell runs: code, or a text that it types into a
/// running process. Hermes types a value that is no text as Python writes it.
fn command_of_call(tool: &str, input: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| match input.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    match tool {
        "execute_code" | "browser_exec" => {
            text("code").map(|code| format!("python3 -c {}", quote_word(&code)))
        }
        "process" | "process_manage" => {
            let action = input.get("action")?.as_str()?;
            text("data").filter(|_| matches!(action, "write" | "submit"))
        }
        _ => None,
    }
}

/// Returns a changed input with the neutral keys. `given` has only the keys that change (HE-45).
pub(super) fn to_neutral_input(words: &Vocabulary, event: &Event, given: &Value) -> Value {
    let before = event.payload.get("tool_input").unwrap_or(&Value::Null);
    let mut input = words.to_agent_input(event, before);
    if let (Value::Object(input), Value::Object(given)) = (&mut input, given) {
        input.extend(given.clone());
        if let Some(command) = event.text(OWN_NAME).and_then(|tool| command_of_call(tool, input)) {
            input.insert("command".to_owned(), command.into());
        }
    }
    words.to_neutral_input(event, &input)
}

/// Writes a payload: what is not of every event stands in `extra`.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    if let Some(own) = fields.shift_remove(OWN_NAME) {
        fields.insert("tool_name".to_owned(), own);
    }
    let mut payload = Map::new();
    for key in OUTER {
        payload.insert((*key).to_owned(), fields.shift_remove(*key).unwrap_or_default());
    }
    fields.shift_remove("transcript_path");
    payload.insert("extra".to_owned(), fields.into());
    Envelope { body: Envelope::serialize_payload(&payload), ..Envelope::default() }
}
