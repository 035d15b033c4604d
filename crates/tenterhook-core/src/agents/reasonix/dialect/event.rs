//! Reads and writes payloads: one line of JSON with keys in camelCase (RX-6 to RX-8). Knows no hook
//! and no answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::events::{self, Spec};
use super::vocabulary::{AGENT_TOOL, FIELDS, ORDER, RESULT, STRUCTURE, TOOLS};
use crate::dialect::kit::{event, tool_result};
use crate::dialect::tools::{by_neutral, by_own};
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, EventName, Surroundings};

/// Reads a payload. Only the name of the event is required (Ruling 31).
pub(super) fn decode(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    let name = match fields.shift_remove("event") {
        Some(Value::String(name)) if !name.is_empty() => name,
        Some(other) => return Err(EventFault::not_text("event", &other)),
        None => return Err(nameless(json)),
    };
    let cwd = text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let session_id = text(&mut fields, "sessionId")?.unwrap_or_default();
    let project = if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
    let within = Surroundings {
        session_id,
        cwd,
        project,
        home: roots.home.clone(),
        ..Surroundings::default()
    };
    let spec = events::by_name(&name);
    let neutral = spec.map_or(name.as_str(), |spec| spec.neutral());
    let mut event = Event::new(EventName::new(neutral), within);
    let tool = text(&mut fields, "toolName")?;
    if spec.is_some_and(Spec::is_about_tool) && tool.is_none() {
        return Err(EventFault::MissingField { event: name, key: "toolName", found: None });
    }
    if let Some(tool) = tool {
        decode_tool(&tool, fields.shift_remove("toolArgs"), &mut event)?;
    }
    let result = (fields.shift_remove(RESULT), fields.shift_remove(STRUCTURE));
    if let Some(result) = tool_result::joined(result.0.filter(|text| !text.is_null()), result.1) {
        event.payload.insert("tool_response".to_owned(), result);
    }
    for (key, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
        event.payload.insert(neutral_key(&key), value);
    }
    Ok(event)
}

fn decode_tool(tool: &str, args: Option<Value>, event: &mut Event) -> Result<(), EventFault> {
    // The agent passes the arguments as the model wrote them: an object, or a text with an object.
    let input = match args {
        Some(Value::String(text)) => event::arguments("toolArgs", text)?,
        Some(Value::Null) | None => Value::Object(Map::new()),
        Some(other) => other,
    };
    let (name, input) = match by_own(TOOLS, tool) {
        Some(known) => {
            if known.own.first() != Some(&tool) {
                event.within.facts.insert(AGENT_TOOL.to_owned(), tool.into());
            }
            (known.neutral, known.neutral_input(&input))
        }
        None => (tool, input),
    };
    event.payload.insert("tool_name".to_owned(), name.into());
    event.payload.insert("tool_input".to_owned(), input);
    Ok(())
}

/// Translates an input that a hook wrote for the tool of `event` to the neutral keys.
pub(super) fn neutral_input(event: &Event, input: &Value) -> Value {
    let tool = event.text("tool_name").and_then(|name| by_neutral(TOOLS, name));
    tool.map_or_else(|| input.clone(), |tool| tool.neutral_input(input))
}

/// Removes a text field from `fields`; `null` is treated as absent.
fn text(fields: &mut Map<String, Value>, key: &str) -> Result<Option<String>, EventFault> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(EventFault::not_text(key, &other)),
    }
}

fn nameless(json: &Map<String, Value>) -> EventFault {
    let found: Vec<String> = json.keys().take(12).map(|key| format!("`{key}`")).collect();
    let found = if found.is_empty() { "no fields".to_owned() } else { found.join(", ") };
    EventFault::NotAnEvent { agent: "Reasonix", key: "event", example: "PreToolUse", found }
}

/// Writes the payload as one line with a line feed.
pub(super) fn encode(event: &Event) -> Envelope {
    let name =
        events::by_neutral(event.name.as_str()).map_or(event.name.as_str(), |spec| spec.name);
    let mut fields = Map::new();
    fields.insert("event".to_owned(), name.into());
    fields.insert("cwd".to_owned(), event.within.cwd.to_string_lossy().into());
    let mut rest = Map::new();
    let tool = event.text("tool_name").and_then(|name| by_neutral(TOOLS, name));
    for (key, value) in event.payload.iter().chain(&event.within.facts) {
        let value = match (key.as_str(), tool) {
            (AGENT_TOOL, _) => continue,
            ("tool_name", Some(tool)) => tool_name(event, tool.own).into(),
            ("tool_input", Some(tool)) => tool.own_input(value),
            ("tool_response", _) if !value.is_null() => {
                if let Some(structure) = tool_result::structure(value) {
                    rest.insert(STRUCTURE.to_owned(), structure.clone());
                }
                tool_result::text(value).into()
            }
            _ => value.clone(),
        };
        if !value.is_null() {
            rest.entry(own_key(key)).or_insert(value);
        }
    }
    for key in ORDER {
        if let Some((key, value)) = rest.shift_remove_entry(*key) {
            fields.insert(key, value);
        }
    }
    if !event.within.session_id.is_empty() {
        fields.insert("sessionId".to_owned(), event.within.session_id.as_str().into());
    }
    for (key, value) in rest {
        fields.entry(key).or_insert(value);
    }
    let mut body = Envelope::written(&fields);
    body.push(b'\n');
    Envelope { body, ..Envelope::default() }
}

/// The name of the tool that the agent used in `event`, else the first of the names in `own`.
fn tool_name<'a>(event: &'a Event, own: &[&'a str]) -> &'a str {
    let name = event.within.facts.get(AGENT_TOOL).and_then(Value::as_str);
    name.filter(|name| own.contains(name)).or(own.first().copied()).unwrap_or_default()
}

/// Translates a key to the neutral one: from the table, else `notificationType` becomes
/// `notification_type`.
fn neutral_key(key: &str) -> String {
    if let Some((_, neutral)) = FIELDS.iter().find(|(own, _)| *own == key) {
        return (*neutral).to_owned();
    }
    let mut neutral = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            neutral.push('_');
        }
        neutral.push(c.to_ascii_lowercase());
    }
    neutral
}

fn own_key(key: &str) -> String {
    if let Some((own, _)) = FIELDS.iter().find(|(_, neutral)| *neutral == key) {
        return (*own).to_owned();
    }
    let mut own = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        match c {
            '_' if !own.is_empty() => upper = true,
            c if upper => {
                own.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => own.push(c),
        }
    }
    own
}
