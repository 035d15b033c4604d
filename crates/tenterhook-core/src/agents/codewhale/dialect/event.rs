//! Reads an event from the object that hooks receive on standard input. For events that the agent
//! passes only in variables, the object has the fields of the variables (CW-54). Knows no hook.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{events, modes, vocabulary};
use crate::diagnostic::nearest_word;
use crate::dialect::kit::event;
use crate::dialect::{EventFault, Roots, tools};
use crate::event::{Event, Surroundings};

/// Fields that describe the object and not the event; they are dropped.
const FORMAT_FIELDS: &[&str] =
    &["text_bytes", "text_original_bytes", "text_truncated", "tool_success"];

/// The agent's fields and the neutral ones, if only the name differs.
const FIELDS: &[(&str, &str)] = &[
    ("text", "prompt"),
    ("message", "prompt"),
    ("prompt_preview", "prompt"),
    ("result_preview", "last_assistant_message"),
    ("tool_call_id", "tool_use_id"),
    ("tool_result", "tool_response"),
    ("tool_exit_code", "exit_code"),
];

/// Reads an event; `roots` provide what the object lacks.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let name = match json.get("event") {
        Some(Value::String(name)) => name.as_str(),
        _ => {
            return Err(EventFault::NoEventField { expected: "such as `tool_call_before`" });
        }
    };
    let Some(spec) = events::find_by_config_name(name) else {
        return Err(unknown_event_fault(name));
    };
    let mut fields = json.clone();
    fields.shift_remove("event");
    let mut event = Event::new(
        spec.covers.first().copied().unwrap_or_default(),
        read_surroundings(&mut fields, roots)?,
    );
    // Matchers of this event test the mode, so it must be in the payload.
    if name == "mode_change"
        && let Some(mode) = event.within.facts.get("mode").cloned()
    {
        event.payload.insert("mode".to_owned(), mode);
    }
    if let Some(tool) = fields.shift_remove("tool_name").filter(|value| !value.is_null()) {
        read_tool_call(&tool, &mut fields, &mut event)?;
        let failed = name == "on_error" || is_false_value(fields.get("tool_success"));
        if let Some(other) = spec.covers.get(1).filter(|_| failed) {
            event.name = (*other).into();
        }
    } else if spec.has_tool && name != "on_error" {
        let event = name.to_owned();
        return Err(EventFault::MissingField { event, key: "tool_name", found: None });
    }
    for (key, value) in fields {
        if !FORMAT_FIELDS.contains(&key.as_str()) {
            let renamed = FIELDS.iter().find(|(own, _)| *own == key).map(|(_, neutral)| *neutral);
            event.payload.insert(renamed.map_or(key, str::to_owned), value);
        }
    }
    if event.name.as_str() == events::FAILED_TOOL && !event.payload.contains_key("error") {
        // Hooks of other agents read the output of a failed tool here.
        let output = event.payload.get("tool_response").cloned().unwrap_or_default();
        event.payload.insert("error".to_owned(), output);
    }
    if name == "message_submit" && event.text("prompt").is_none() {
        let event = name.to_owned();
        return Err(EventFault::MissingField { event, key: "text", found: None });
    }
    Ok(event)
}

fn unknown_event_fault(name: &str) -> EventFault {
    let names = || events::EVENTS.iter().map(|event| event.name);
    let hint = nearest_word(name, names()).map_or_else(
        || format!("it has {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    EventFault::UnknownName { agent: "CodeWhale", name: name.to_owned(), hint }
}

fn read_surroundings(
    fields: &mut Map<String, Value>,
    roots: &Roots,
) -> Result<Surroundings, EventFault> {
    let mut text = |key: &str| match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(EventFault::field_of_wrong_type(key, "a string")),
    };
    let session_id = text("session_id")?.unwrap_or_default();
    let workspace = text("workspace")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let (mode, model) = (text("mode")?, text("model")?);
    let mut facts = Map::new();
    if let Some(mode) = mode {
        facts.insert("permission_mode".to_owned(), modes::to_foreign_permission_mode(&mode).into());
        facts.insert("mode".to_owned(), mode.into());
    }
    if let Some(model) = model {
        facts.insert("model".to_owned(), model.into());
    }
    for key in ["total_tokens", "session_cost"] {
        if let Some(value) = fields.shift_remove(key).filter(|value| !value.is_null()) {
            facts.insert(key.to_owned(), value);
        }
    }
    Ok(Surroundings {
        session_id,
        // The workspace is both, whatever the working directory of this process is (CW-59).
        cwd: workspace.clone(),
        project: workspace,
        home: roots.home.clone(),
        transcript: None,
        facts,
    })
}

/// Reads the tool's name and arguments into neutral ones. The agent's name is stored if the table
/// would give hooks a different one.
fn read_tool_call(
    name: &Value,
    fields: &mut Map<String, Value>,
    event: &mut Event,
) -> Result<(), EventFault> {
    let Value::String(own) = name else {
        return Err(EventFault::field_of_wrong_type("tool_name", "a string"));
    };
    let tool = tools::find_tool_by_own_name(vocabulary::TOOLS, own);
    event.payload.insert("tool_name".into(), tool.map_or(own.as_str(), |tool| tool.neutral).into());
    let default = tool.and_then(|tool| {
        tools::find_tool_by_neutral_name(vocabulary::TOOLS, tool.neutral)?.own.first()
    });
    if default.is_some_and(|name| name != own) {
        event.payload.insert(vocabulary::OWN_NAME.into(), own.as_str().into());
    }
    let args = match fields.shift_remove("tool_args") {
        // The variable contains the arguments as text.
        Some(Value::String(text)) => event::parse_arguments("tool_args", text)?,
        Some(Value::Null) | None => json!({}),
        Some(args) => args,
    };
    let args = tool.map_or_else(|| args.clone(), |tool| tool.to_neutral_input(&args));
    event.payload.entry("tool_input").or_insert(args);
    Ok(())
}

fn is_false_value(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(truth)) => !truth,
        Some(Value::String(text)) => text == "false",
        _ => false,
    }
}
