//! Reads and writes payloads: one line of JSON with keys in camelCase (RX-6 to RX-8). Knows no hook
//! and no answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::events::{self, Spec};
use super::vocabulary::{AGENT_TOOL, FIELDS, ORDER, RESULT, STRUCTURE, TOOLS};
use crate::dialect::kit::{event, tool_result};
use crate::dialect::tools::{find_tool_by_neutral_name, find_tool_by_own_name};
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, EventName, Surroundings};

/// Reads a payload. Only the name of the event is required (Ruling 31).
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    let name = match fields.shift_remove("event") {
        Some(Value::String(name)) if !name.is_empty() => name,
        Some(other) => return Err(EventFault::field_not_text("event", &other)),
        None => return Err(missing_name_fault(json)),
    };
    let cwd = take_text_field(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let session_id = take_text_field(&mut fields, "sessionId")?.unwrap_or_default();
    let project = if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
    let within = Surroundings {
        session_id,
        cwd,
        project,
        home: roots.home.clone(),
        ..Surroundings::default()
    };
    let spec = events::find_by_name(&name);
    let neutral = spec.map_or(name.as_str(), |spec| spec.neutral_name());
    let mut event = Event::new(EventName::new(neutral), within);
    let tool = take_text_field(&mut fields, "toolName")?;
    if spec.is_some_and(Spec::is_tool_event) && tool.is_none() {
        return Err(EventFault::MissingField { event: name, key: "toolName", found: None });
    }
    if let Some(tool) = tool {
        decode_tool_call(&tool, fields.shift_remove("toolArgs"), &mut event)?;
    }
    let result = (fields.shift_remove(RESULT), fields.shift_remove(STRUCTURE));
    if let Some(result) =
        tool_result::choose_structured_or_text(result.0.filter(|text| !text.is_null()), result.1)
    {
        event.payload.insert("tool_response".to_owned(), result);
    }
    for (key, value) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
        event.payload.insert(neutral_key(&key), value);
    }
    Ok(event)
}

fn decode_tool_call(tool: &str, args: Option<Value>, event: &mut Event) -> Result<(), EventFault> {
    // The agent passes the arguments as the model wrote them: an object, or a text with an object.
    let input = match args {
        Some(Value::String(text)) => event::parse_arguments("toolArgs", text)?,
        Some(Value::Null) | None => Value::Object(Map::new()),
        Some(other) => other,
    };
    let (name, input) = match find_tool_by_own_name(TOOLS, tool) {
        Some(known) => {
            if known.own.first() != Some(&tool) {
                event.within.facts.insert(AGENT_TOOL.to_owned(), tool.into());
            }
            (known.neutral, known.to_neutral_input(&input))
        }
        None => (tool, input),
    };
    event.payload.insert("tool_name".to_owned(), name.into());
    event.payload.insert("tool_input".to_owned(), input);
    Ok(())
}

/// Translates an input that a hook wrote for the tool of `event` to the neutral keys.
pub(super) fn to_neutral_input(event: &Event, input: &Value) -> Value {
    let tool = event.text("tool_name").and_then(|name| find_tool_by_neutral_name(TOOLS, name));
    tool.map_or_else(|| input.clone(), |tool| tool.to_neutral_input(input))
}

/// Removes a text field from `fields`; `null` is treated as absent.
fn take_text_field(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<String>, EventFault> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(EventFault::field_not_text(key, &other)),
    }
}

fn missing_name_fault(json: &Map<String, Value>) -> EventFault {
    let found: Vec<String> = json.keys().take(12).map(|key| format!("`{key}`")).collect();
    let found = if found.is_empty() { "no fields".to_owned() } else { found.join(", ") };
    EventFault::NotAnEvent { agent: "Reasonix", key: "event", example: "PreToolUse", found }
}

/// Writes the payload as one line with a line feed.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let name = events::find_by_neutral_name(event.name.as_str())
        .map_or(event.name.as_str(), |spec| spec.name);
    let mut fields = Map::new();
    fields.insert("event".to_owned(), name.into());
    fields.insert("cwd".to_owned(), event.within.cwd.to_string_lossy().into());
    let mut rest = Map::new();
    let tool = event.text("tool_name").and_then(|name| find_tool_by_neutral_name(TOOLS, name));
    for (key, value) in event.payload.iter().chain(&event.within.facts) {
        let value = match (key.as_str(), tool) {
            (AGENT_TOOL, _) => continue,
            ("tool_name", Some(tool)) => agent_tool_name(event, tool.own).into(),
            ("tool_input", Some(tool)) => tool.to_agent_input(value),
            ("tool_response", _) if !value.is_null() => {
                if let Some(structure) = tool_result::result_if_structured(value) {
                    rest.insert(STRUCTURE.to_owned(), structure.clone());
                }
                tool_result::result_text(value).into()
            }
            _ => value.clone(),
        };
        if !value.is_null() {
            rest.entry(agent_key(key)).or_insert(value);
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
    let mut body = Envelope::serialize_payload(&fields);
    body.push(b'\n');
    Envelope { body, ..Envelope::default() }
}

/// Returns the name of the tool that the agent used in `event`, or the first name in `own` if the
/// event names no tool.
fn agent_tool_name<'a>(event: &'a Event, own: &[&'a str]) -> &'a str {
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

fn agent_key(key: &str) -> String {
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
