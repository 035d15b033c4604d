//! Reads and writes the JSON that ignis passes to a hook (I-9 to I-12). Knows no hook or answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::events::{self, AFTER_FAILURE, TOOLS};
use crate::dialect::kit::event::{describe_fields, take_text};
use crate::dialect::kit::tool_result;
use crate::dialect::tools;
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, EventName, Surroundings};

/// The text field of an event, besides the three fields of all events: the neutral event, the
/// agent's field and the neutral field. No other text field is sent.
const TEXTS: &[(&str, &str, &str)] =
    &[("UserPromptSubmit", "prompt", "prompt"), ("MessageDisplay", "content", "delta")];

pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    let name = take_text(&mut fields, "hook_event_name")?
        .filter(|name| !name.is_empty())
        .ok_or_else(|| missing_name_fault(json))?;
    let session_id = take_text(&mut fields, "session_id")?.unwrap_or_default();
    let cwd = take_text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let project = if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
    let within = Surroundings {
        session_id,
        cwd,
        project,
        home: roots.home.clone(),
        transcript: None,
        facts: Map::new(),
    };
    let neutral = events::find_event_row(&name).map_or(name.as_str(), |row| &*row.event);
    let mut event = Event::new(neutral, within);
    if is_tool_event(neutral) {
        decode_tool_call(&mut event, &mut fields)?;
    }
    if let Some((_, own, key)) = TEXTS.iter().find(|(event, ..)| *event == neutral)
        && let Some(text) = take_text(&mut fields, own)?
    {
        event = event.with(key, text);
    }
    event.payload.extend(fields);
    Ok(event)
}

fn is_tool_event(event: &str) -> bool {
    matches!(event, "PreToolUse" | "PostToolUse" | AFTER_FAILURE)
}

fn decode_tool_call(event: &mut Event, fields: &mut Map<String, Value>) -> Result<(), EventFault> {
    let Some(own) = take_text(fields, "toolName")? else {
        let event = event.name.to_string();
        return Err(EventFault::MissingField { event, key: "toolName", found: None });
    };
    let input = fields.shift_remove("toolInput").unwrap_or_default();
    let known = tools::find_tool_by_own_name(TOOLS, &own);
    let put = |event: &mut Event, key: &str, value: Value| {
        event.payload.insert(key.to_owned(), value);
    };
    put(event, "tool_name", known.map_or(own.as_str(), |tool| tool.neutral).into());
    put(event, "tool_input", known.map_or(input.clone(), |tool| tool.to_neutral_input(&input)));
    let result = (fields.shift_remove("toolResult"), fields.shift_remove("toolResponse"));
    let failed = fields.shift_remove("isError") == Some(Value::Bool(true));
    if failed && event.name.as_str() == "PostToolUse" {
        event.name = EventName::from(AFTER_FAILURE);
    }
    if let Some(result) = tool_result::choose_structured_or_text(result.0, result.1) {
        let key = if event.name.as_str() == AFTER_FAILURE { "error" } else { "tool_response" };
        put(event, key, result);
    }
    Ok(())
}

pub(super) fn encode_event(event: &Event) -> Envelope {
    let row = events::ROWS.iter().find(|row| row.event == event.name.as_str());
    let name = row.map_or(event.name.as_str(), |row| &*row.name);
    let mut fields = Map::new();
    fields.insert("hook_event_name".to_owned(), name.into());
    fields.insert("session_id".to_owned(), event.within.session_id.as_str().into());
    fields.insert("cwd".to_owned(), event.within.cwd.to_string_lossy().into());
    let texts = TEXTS.iter().find(|(name, ..)| *name == event.name.as_str());
    if let Some((_, own, key)) = texts {
        fields.insert((*own).to_owned(), event.text(key).unwrap_or_default().into());
    } else if is_tool_event(event.name.as_str()) {
        encode_tool_call(event, &mut fields);
    } else {
        for (key, value) in &event.payload {
            fields.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    // Like the agent, this writes no line feed at the end and sets no variables.
    Envelope { body: Envelope::serialize_payload(&fields), ..Envelope::default() }
}

fn encode_tool_call(event: &Event, fields: &mut Map<String, Value>) {
    let name = event.text("tool_name").unwrap_or_default();
    let input = event.payload.get("tool_input").cloned().unwrap_or_default();
    let known = tools::find_tool_by_neutral_name(TOOLS, name);
    let own = known.and_then(|tool| tool.own.first()).map_or(name, |own| *own);
    fields.insert("toolName".to_owned(), own.into());
    fields.insert(
        "toolInput".to_owned(),
        known.map_or(input.clone(), |tool| tool.to_agent_input(&input)),
    );
    if event.name.as_str() == "PreToolUse" {
        return;
    }
    // A result that a hook rewrote takes precedence over the original error.
    let result = ["tool_response", "error"].iter().find_map(|key| event.payload.get(*key));
    let result = result.unwrap_or(&Value::Null);
    fields.insert("toolResult".to_owned(), tool_result::result_text(result).into());
    fields.insert("isError".to_owned(), (event.name.as_str() == AFTER_FAILURE).into());
    if let Some(structure) = tool_result::result_if_structured(result) {
        fields.insert("toolResponse".to_owned(), structure.clone());
    }
}

fn missing_name_fault(json: &Map<String, Value>) -> EventFault {
    EventFault::NotAnEvent {
        agent: "ignis",
        key: "hook_event_name",
        example: "UserPromptSubmit",
        found: describe_fields(json),
    }
}
