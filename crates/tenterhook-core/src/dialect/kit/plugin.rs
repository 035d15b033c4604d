//! The dialect of an agent that calls Tenterhook through a module of ours: it has no hook files to
//! read, and the module applies a reply in our own words. Knows no agent.
//!
//! The module sends `{"agent", "hook_event_name", "session_id", "cwd", "tool_name", "tool_input",
//! "tool_use_id", "prompt", ...}` with the agent's names of tools and arguments.

use serde_json::{Map, Value};

use super::call::{TIMEOUT, Vocabulary, end_of_turn_row, event_row};
use super::reply::phrases::PowerPhrase;
use super::reply::{Part, Phrase, Replies};
use crate::answer::Power::{Context, Deny, Message, Output};
use crate::answer::{Answer, Powers};
use crate::dialect::parts::{Calls, Core, Dialect};
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, Envelope, EventFault, EventRow, Fit, Roots, Subject};
use crate::event::Event;
use crate::source::ReadConfig;

pub(crate) const DENY: Phrase = &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)];
pub(crate) const ASK: Phrase = &[(&["decision"], Part::Word("ask")), (&["reason"], Part::Reason)];
pub(crate) const ARGS: Phrase = &[(&["args"], Part::Given)];
pub(crate) const PROMPT: Phrase = &[(&["prompt"], Part::Given)];
pub(crate) const OUTPUT: Phrase = &[(&["output"], Part::GivenText)];
pub(crate) const CONTEXT: Phrase = &[(&["context"], Part::Given)];
pub(crate) const MESSAGE: Phrase = &[(&["message"], Part::Given)];
pub(crate) const ENV: Phrase = &[(&["env"], Part::Given)];

/// The events of a module that gives them their neutral names.
#[rustfmt::skip]
pub(crate) static ROWS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::None, &[], ""),
    event_row("UserPromptSubmit", "UserPromptSubmit", Subject::None, &[Deny], ""),
    event_row("PreToolUse", "PreToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUse", "PostToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUseFailure", "PostToolUseFailure", Subject::None, &[Deny], ""),
    end_of_turn_row("Stop", "Stop", Subject::None, ""),
    event_row("SessionEnd", "SessionEnd", Subject::None, &[], ""),
];

/// One of the `edits` of a call of `edit`.
pub(crate) static EDIT: ToolWords = ToolWords {
    own: &["edit"],
    neutral: "Edit",
    keys: &[("oldText", "old_string"), ("newText", "new_string")],
};

/// The replies to a result of a tool.
pub(crate) const RESULT: &[PowerPhrase] =
    &[(Deny, DENY), (Output, OUTPUT), (Context, CONTEXT), (Message, MESSAGE)];

/// Returns the vocabulary of an agent whose module gives events their neutral names.
pub(crate) const fn new_vocabulary(
    agent: &'static str,
    tools: &'static [ToolWords],
    server_tool: &'static str,
) -> Vocabulary {
    Vocabulary {
        agent,
        name: "hook_event_name",
        keys: &[("agent", "")],
        tools,
        server_tool,
        rows: || ROWS,
    }
}

/// What differs between the modules.
pub(crate) struct Plugin {
    pub(crate) id: DialectId,
    pub(crate) rows: fn() -> &'static [EventRow],
    pub(crate) decode_event: fn(&Map<String, Value>, &Roots) -> Result<Event, EventFault>,
    pub(crate) encode_event: fn(&Event) -> Envelope,
    pub(crate) replies: &'static Replies,
}

impl Plugin {
    /// Returns a dialect that only translates events and replies.
    pub(crate) const fn into_dialect(self) -> Dialect {
        let core = Core {
            id: self.id,
            rows: self.rows,
            unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, TIMEOUT),
            recognizes: |_, _| Fit::No,
            places: |_| Vec::new(),
            read_config: |_| ReadConfig::default(),
            decode_event: self.decode_event,
            encode_event: self.encode_event,
            read_answer: |_, _, _| Answer::default(),
        };
        Dialect {
            calls: Calls { replies: Some(self.replies), ..Calls::DEFAULT },
            ..Dialect::new(core)
        }
    }
}

/// Returns the event with neutral keys in each of the `edits` that a call makes at once.
pub(crate) fn with_neutral_edits(
    edit: &ToolWords,
    json: &Map<String, Value>,
) -> Map<String, Value> {
    let mut event = json.clone();
    if let Some(input) = event.get_mut("tool_input") {
        convert_edits(input, |value| edit.to_neutral_input(value));
    }
    event
}

/// Returns the input of a call with the agent's keys in each of its `edits`.
pub(crate) fn to_agent_edits(edit: &ToolWords, mut input: Value) -> Value {
    convert_edits(&mut input, |value| edit.to_agent_input(value));
    input
}

/// Replaces the `path` of a call of one of these tools by the one that the agent opens for it.
pub(crate) fn set_opened_path(
    event: &mut Map<String, Value>,
    tools: &[&str],
    opened: impl Fn(&str) -> String,
) {
    if !event.get("tool_name").and_then(Value::as_str).is_some_and(|name| tools.contains(&name)) {
        return;
    }
    let path = event.get_mut("tool_input").and_then(|input| input.get_mut("path"));
    if let Some(Value::String(path)) = path {
        *path = opened(path);
    }
}

fn convert_edits(input: &mut Value, convert: impl Fn(&Value) -> Value) {
    let edits = input.get_mut("edits").and_then(Value::as_array_mut);
    edits.into_iter().flatten().for_each(|edit| *edit = convert(edit));
}
