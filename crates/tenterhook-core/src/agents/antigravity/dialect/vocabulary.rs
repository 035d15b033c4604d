//! The vocabulary of Antigravity: its events, payload fields and tools (AY-20 to AY-30). Tables, and
//! the event of a payload, which does not name it.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::reply::FORM;
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;
use crate::hook::OnFailure;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Antigravity",
    name: "",
    keys: KEYS,
    tools: TOOLS,
    server_tool: "mcp_SERVER_TOOL",
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", NONE, &[], "a conversation starts"),
    event_row("PreInvocation", "PreInvocation", NONE, &[], "the model is about to be called"),
    event_row("PostInvocation", "PostInvocation", NONE, &[], "the model's tool calls ended"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run").on_failure(OnFailure::Block),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
];

const KEYS: Keys = &[
    ("conversationId", "session_id"),
    ("transcriptPath", "transcript_path"),
    ("modelName", "model"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_command"], neutral: "Bash", keys: &[("CommandLine", "command"), ("Cwd", "cwd")] },
    ToolWords { own: &["view_file"], neutral: "Read", keys: &[("AbsolutePath", "file_path")] },
    ToolWords { own: &["write_to_file"], neutral: "Write", keys: &[FILE, ("CodeContent", "content")] },
    ToolWords { own: &["replace_file_content"], neutral: "Edit", keys: &[FILE, ("TargetContent", "old_string"), ("ReplacementContent", "new_string")] },
    ToolWords { own: &["multi_replace_file_content"], neutral: "MultiEdit", keys: &[FILE, ("ReplacementChunks", "edits")] },
    ToolWords { own: &["sed_file"], neutral: "Edit", keys: &[FILE] },
    ToolWords { own: &["notebook_edit"], neutral: "NotebookEdit", keys: &[("TargetFile", "notebook_path"), ("AbsolutePath", "notebook_path")] },
    ToolWords { own: &["list_dir"], neutral: "LS", keys: &[("DirectoryPath", "path")] },
    ToolWords { own: &["find_by_name"], neutral: "Glob", keys: &[("SearchDirectory", "path"), ("Pattern", "pattern")] },
    ToolWords { own: &["grep_search"], neutral: "Grep", keys: &[("SearchPath", "path"), ("Query", "pattern")] },
    ToolWords { own: &["read_url_content"], neutral: "WebFetch", keys: &[("Url", "url")] },
    ToolWords { own: &["open_browser_url"], neutral: "WebFetch", keys: &[("Url", "url")] },
    ToolWords { own: &["search_web"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["invoke_subagent"], neutral: "Agent", keys: &[] },
    ToolWords { own: &["browser_subagent"], neutral: "Agent", keys: &[] },
];

const FILE: (&str, &str) = ("TargetFile", "file_path");

/// The key that the command line adds to a payload that does not name its event (BR-13).
const ADDED: &str = "hook_event_name";

/// Decodes a payload: the call is an object, and the first folder of the workspace is the working
/// directory.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = event_name_of_payload(json)?.to_owned();
    let mut fields = json.clone();
    fields.shift_remove(ADDED);
    let folder = fields.get("workspacePaths").and_then(|paths| paths.get(0)).cloned();
    if let Some(folder) = folder.filter(Value::is_string) {
        fields.entry("cwd").or_insert(folder);
    }
    match fields.shift_remove("toolCall") {
        Some(Value::Object(mut call)) => {
            let parts = [("tool_name", "name"), ("tool_input", "args")];
            for (key, own) in parts {
                fields.extend(call.shift_remove(own).map(|value| (key.to_owned(), value)));
            }
            call.into_iter().for_each(|(key, value)| {
                fields.entry(key).or_insert(value);
            });
        }
        // The documents show payloads after a tool without the call.
        None if name == "PostToolUse" => {
            fields.entry("tool_name").or_insert_with(|| "".into());
        }
        other => fields.extend(other.map(|value| ("toolCall".to_owned(), value))),
    }
    WORDS.decode_event_as(&name, &fields, roots)
}

/// Returns the event of a payload: the one for which its entry is registered, else the one that its
/// fields show.
fn event_name_of_payload(json: &Map<String, Value>) -> Result<&str, EventFault> {
    let has = |key: &str| json.contains_key(key);
    Ok(match json.get(ADDED).and_then(Value::as_str) {
        Some(name) => name,
        None if has("terminationReason") || has("fullyIdle") => "Stop",
        None if has("toolCall") && has("error") => "PostToolUse",
        None if has("toolCall") => "PreToolUse",
        None => return Err(EventFault::NoName),
    })
}

/// Encodes an event, with its call in an object.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    let name = fields.shift_remove("tool_name").filter(|name| name != "");
    let input = fields.shift_remove("tool_input");
    if let Some(name) = name {
        let args = input.unwrap_or_else(|| Map::new().into());
        fields.insert("toolCall".to_owned(), serde_json::json!({ "name": name, "args": args }));
    }
    let cwd = fields.shift_remove("cwd");
    fields.entry("workspacePaths").or_insert_with(|| cwd.into_iter().collect());
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}
