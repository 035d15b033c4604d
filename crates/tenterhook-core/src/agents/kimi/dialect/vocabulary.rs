//! The names of Kimi Code CLI: its events, payload fields and tools (KM-20, KM-30). Tables, and the
//! translation of two fields that are texts elsewhere.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::reply::FORM;
use crate::answer::Power;
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{Cap, Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::Event;

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Kimi Code CLI",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

/// The default timeout of a hook.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const AGENT: Subject = Subject::Field("agent_type");
const TRIGGER: Subject = Subject::Field("trigger");
const PROMPT: Subject = Subject::Field("prompt");

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

/// The events of 2.1.0. After one denial, it ends the turn without a further call.
#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::Field("source"), &[], "a session starts or resumes"),
    event_row("SessionEnd", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
    event_row("SessionHeartbeat", "SessionHeartbeat", NONE, &[], "a minute of a session passed").fire_and_forget(),
    event_row("UserPromptSubmit", "UserPromptSubmit", PROMPT, &[], "the user sent a prompt"),
    event_row("UserPromptQueued", "UserPromptQueued", PROMPT, &[], "a prompt waits for the end of the turn").fire_and_forget(),
    event_row("TurnStarted", "TurnStarted", Subject::Field("origin_kind"), &[], "a turn started").fire_and_forget(),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PermissionRequest", "PermissionRequest", TOOL, &[], "the user is asked for permission").fire_and_forget(),
    event_row("PermissionResult", "PermissionResult", TOOL, &[], "the user gave or denied permission").fire_and_forget(),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran").fire_and_forget(),
    event_row("PostToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed").fire_and_forget(),
    event_row("Stop", "Stop", NONE, &[Power::Deny], "the model is about to end its turn").with_cap(Cap::continue_after(1)),
    event_row("StopFailure", "StopFailure", Subject::Field("error_type"), &[], "a turn ended with an error").fire_and_forget(),
    event_row("Interrupt", "Interrupt", NONE, &[], "the user interrupted a turn").fire_and_forget(),
    event_row("SubagentStart", "SubagentStart", AGENT, &[], "a subagent starts"),
    event_row("SubagentStop", "SubagentStop", AGENT, &[], "a subagent finished").fire_and_forget(),
    event_row("TaskStarted", "TaskStarted", Subject::Field("kind"), &[], "a background task started").fire_and_forget(),
    event_row("PreCompact", "PreCompact", TRIGGER, &[], "the conversation is about to be compacted"),
    event_row("PostCompact", "PostCompact", TRIGGER, &[], "the conversation was compacted").fire_and_forget(),
    event_row("Notification", "Notification", Subject::Field("notification_type"), &[], "the user is shown a notification").fire_and_forget(),
];

const KEYS: Keys = &[
    ("tool_call_id", "tool_use_id"),
    ("tool_output", "tool_response"),
    ("agent_name", "agent_type"),
    ("response", "last_assistant_message"),
];

/// The tools, as 2.1.0 offers them to its model.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["Bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["Read"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["Write"], neutral: "Write", keys: &[PATH] },
    ToolWords { own: &["Edit"], neutral: "Edit", keys: &[PATH] },
    ToolWords { own: &["Glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["Grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["FetchURL"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["WebSearch"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["TodoList"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["Agent"], neutral: "Agent", keys: &[] },
];

const PATH: (&str, &str) = ("path", "file_path");

/// A field that is no text in Kimi Code CLI, the text in it, and the value of a text.
struct Shaped {
    key: &'static str,
    /// The field that holds the value as Kimi Code CLI gave it, if the text does not say all.
    given: &'static str,
    events: &'static [&'static str],
    text: fn(&Value) -> Option<String>,
    value: fn(&str) -> Value,
}

const SHAPED: &[Shaped] = &[
    Shaped {
        key: "prompt",
        given: "kimi_prompt",
        events: &["UserPromptSubmit", "UserPromptQueued"],
        text: |value| {
            let texts = value.as_array()?.iter().filter_map(|part| part.get("text")?.as_str());
            Some(texts.collect::<Vec<_>>().join(" "))
        },
        value: |text| json!([{ "type": "text", "text": text }]),
    },
    Shaped {
        key: "error",
        given: "kimi_error",
        events: &["PostToolUseFailure"],
        text: |value| value.get("message")?.as_str().map(str::to_owned),
        value: |text| json!({ "code": "internal", "message": text, "retryable": false }),
    },
];

/// Reads a payload.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = WORDS.decode_event(json, roots)?;
    for field in SHAPED.iter().filter(|field| field.events.contains(&event.name.as_str())) {
        let Some(given) = event.payload.get(field.key).cloned() else { continue };
        let Some(text) = (field.text)(&given) else { continue };
        if (field.value)(&text) != given {
            event.payload.insert(field.given.to_owned(), given);
        }
        event.payload.insert(field.key.to_owned(), text.into());
    }
    Ok(event)
}

/// Writes the payload of an event.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = WORDS.to_agent_fields(event);
    for field in SHAPED.iter().filter(|field| field.events.contains(&event.name.as_str())) {
        let given = fields.shift_remove(field.given);
        let value = given.or_else(|| Some((field.value)(event.text(field.key)?)));
        fields.extend(value.map(|value| (field.key.to_owned(), value)));
    }
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}
