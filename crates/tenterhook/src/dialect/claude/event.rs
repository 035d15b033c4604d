//! Events on the wire: the JSON that Claude Code hands to a hook, read into an event and written from one. Knows no hook
//! and no answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::events::{self, About};
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, EventName, Surroundings};

/// The fields that any event may have beside the four that all have, in the order in which the agent writes them.
const COMMON: &[&str] =
    &["prompt_id", "permission_mode", "agent_id", "agent_type", "effort", "scratchpad_dir"];

pub(super) fn decode(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut fields = json.clone();
    let name = match fields.shift_remove("hook_event_name") {
        Some(Value::String(name)) if !name.is_empty() => name,
        Some(other) => return Err(not_text("hook_event_name", &other)),
        None => return Err(nameless(json)),
    };
    let session_id = text(&mut fields, "session_id")?.unwrap_or_default();
    let cwd = text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let transcript = text(&mut fields, "transcript_path")?.filter(|path| !path.is_empty());
    let spec = events::spec(&name);
    if spec.is_some_and(|it| it.about == About::Field("tool_name"))
        && !fields.get("tool_name").is_some_and(Value::is_string)
    {
        let message = format!("`{name}` needs the text field `tool_name`; found {}", listed(json));
        return Err(EventFault { message });
    }
    // Where the agent is what the event is about, its fields are the event's own: matchers are tested on the payload.
    let own_agent = spec.is_some_and(|it| it.about == About::Field("agent_type"));
    let (mut facts, mut payload) = (Map::new(), Map::new());
    for (key, value) in fields {
        let common = COMMON.contains(&key.as_str());
        if common && !(own_agent && key.starts_with("agent_")) {
            facts.insert(key, value);
        } else {
            payload.insert(key, value);
        }
    }
    let project = if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
    let within = Surroundings {
        session_id,
        cwd,
        project,
        home: roots.home.clone(),
        transcript: transcript.map(PathBuf::from),
        facts,
    };
    Ok(Event { name: EventName::new(name), within, payload })
}

/// Takes a text field; `null` counts as absent.
fn text(fields: &mut Map<String, Value>, key: &str) -> Result<Option<String>, EventFault> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(not_text(key, &other)),
    }
}

fn not_text(key: &str, found: &Value) -> EventFault {
    let found = super::fields::kind(found);
    EventFault { message: format!("`{key}` must be a text, not {found}") }
}

fn nameless(json: &Map<String, Value>) -> EventFault {
    let message = format!(
        "not an event of Claude Code: expected an object with the text field `hook_event_name`, such as `PreToolUse`; \
         found {}",
        listed(json)
    );
    EventFault { message }
}

fn listed(json: &Map<String, Value>) -> String {
    if json.is_empty() {
        return "no fields".to_owned();
    }
    let shown: Vec<_> = json.keys().take(12).map(|key| format!("`{key}`")).collect();
    let more = if json.len() > shown.len() { ", ..." } else { "" };
    format!("the fields {}{more}", shown.join(", "))
}

pub(super) fn encode(event: &Event) -> Envelope {
    let within = &event.within;
    let path = |path: &PathBuf| Value::from(path.to_string_lossy());
    let mut fields = Map::new();
    // Written even when the host does not know them: scripts take it for granted that they are there.
    fields.insert("session_id".to_owned(), within.session_id.as_str().into());
    let transcript = within.transcript.as_ref().map_or_else(|| Value::from(""), path);
    fields.insert("transcript_path".to_owned(), transcript);
    fields.insert("cwd".to_owned(), path(&within.cwd));
    for key in COMMON {
        if let Some(value) = within.facts.get(*key).or_else(|| event.payload.get(*key)) {
            fields.insert((*key).to_owned(), value.clone());
        }
    }
    fields.insert("hook_event_name".to_owned(), event.name.as_str().into());
    for (key, value) in event.payload.iter().chain(&within.facts) {
        if !fields.contains_key(key) {
            fields.insert(key.clone(), value.clone());
        }
    }
    let mut body = Value::Object(fields).to_string().into_bytes();
    // Scripts that read one line wait for its end.
    body.push(b'\n');
    Envelope {
        body,
        env: variables(within),
        env_file: events::spec(event.name.as_str())
            .is_some_and(|spec| spec.env_file)
            .then_some("CLAUDE_ENV_FILE"),
    }
}

fn variables(within: &Surroundings) -> Vec<(String, String)> {
    let project = within.project.to_string_lossy();
    let effort = within.facts.get("effort").and_then(|effort| effort.get("level"));
    [
        ("CLAUDE_PROJECT_DIR", project.as_ref()),
        ("CLAUDE_CODE_SESSION_ID", within.session_id.as_str()),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "1"),
        ("CLAUDE_EFFORT", effort.and_then(Value::as_str).unwrap_or_default()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .collect()
}
