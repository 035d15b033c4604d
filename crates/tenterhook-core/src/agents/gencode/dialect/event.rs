//! Reads and writes the JSON that Gen passes to a hook (G-10 to G-12). Knows no hook and no answer.

use serde_json::{Map, Value};

use super::events::{self, Spelling};
use crate::dialect::kit::event::{self, Shape};
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::Event;

const SHAPE: Shape = Shape {
    agent: "Gen",
    order: &[
        "session_id",
        "transcript_path",
        "cwd",
        "permission_mode",
        "agent_id",
        "agent_type",
        "hook_event_name",
    ],
    rows: || events::ROWS,
    no_transcript: Some(""),
};

/// The permission mode in which edits are accepted: the agent's name and the neutral one.
const ACCEPTS_EDITS: (&str, &str) = ("auto", "acceptEdits");
/// The permission mode of a host that names none: the agent documents that the field is always set.
const DEFAULT_MODE: &str = "default";

pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = SHAPE.decode_event(json, roots)?;
    let (own, neutral) = ACCEPTS_EDITS;
    translate_text_in_place(event.within.facts.get_mut("permission_mode"), |text| {
        (text == own).then_some(neutral)
    });
    if let Some(Spelling { field, values, .. }) = events::event_spelling(event.name.as_str()) {
        translate_text_in_place(event.payload.get_mut(*field), |value| {
            translate_by_pairs(values, value, |(own, neutral)| (own, neutral))
        });
    }
    Ok(event)
}

pub(super) fn encode_event(event: &Event) -> Envelope {
    let mut fields = SHAPE.encode_event_fields(event);
    let (own, neutral) = ACCEPTS_EDITS;
    if !fields.contains_key("permission_mode") {
        // The agent writes this field before the name of the event.
        let at = fields.keys().position(|key| key == "hook_event_name").unwrap_or_default();
        fields.shift_insert(at, "permission_mode".to_owned(), DEFAULT_MODE.into());
    }
    translate_text_in_place(fields.get_mut("permission_mode"), |text| {
        (text == neutral).then_some(own)
    });
    if let Some(Spelling { field, values, .. }) = events::event_spelling(event.name.as_str()) {
        translate_text_in_place(fields.get_mut(*field), |value| {
            translate_by_pairs(values, value, |(own, neutral)| (neutral, own))
        });
    }
    // No line break at the end: the agent writes none.
    let body = Envelope::serialize_payload(&fields);
    Envelope { body, env: environment_variables(event), env_file: None }
}

/// Replaces the value by its translation, if it is a text that has one.
fn translate_text_in_place(value: Option<&mut Value>, new: impl Fn(&str) -> Option<&'static str>) {
    if let Some(value) = value
        && let Some(new) = value.as_str().and_then(new)
    {
        *value = new.into();
    }
}

type Pair = (&'static str, &'static str);

/// Returns the translation of `value`; `orient` decides which text of each pair is translated to
/// the other.
fn translate_by_pairs(
    values: &[Pair],
    value: &str,
    orient: fn(Pair) -> Pair,
) -> Option<&'static str> {
    values.iter().map(|pair| orient(*pair)).find(|(from, _)| *from == value).map(|pair| pair.1)
}

/// The variables of hooks, under the agent's names and those that scripts for Claude Code expect.
fn environment_variables(event: &Event) -> Vec<(String, String)> {
    let cwd = event.within.cwd.to_string_lossy();
    let session = event.within.session_id.as_str();
    let tool = event.text("tool_name").unwrap_or_default();
    event::non_empty_variables([
        ("GEN_PROJECT_DIR", &*cwd),
        ("CLAUDE_PROJECT_DIR", &*cwd),
        ("GEN_SESSION_ID", session),
        ("CLAUDE_SESSION_ID", session),
        ("GEN_EVENT_TYPE", event.name.as_str()),
        ("CLAUDE_EVENT_TYPE", event.name.as_str()),
        ("GEN_TOOL_NAME", tool),
        ("CLAUDE_TOOL_NAME", tool),
    ])
}
