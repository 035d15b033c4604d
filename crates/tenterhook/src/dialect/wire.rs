//! The JSON of an event as Claude Code shapes it, which other agents took over: `hook_event_name`, the session in fields
//! beside it, and the event's own fields. Knows no hook and no answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::typed::kind;
use super::{EventFault, EventRow, Roots, Subject};
use crate::event::{Event, EventName, Surroundings};
use crate::strict;

/// What differs between the agents that speak so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The agent, in words.
    pub(super) agent: &'static str,
    /// The fields that any event may have beside the four that all have, in the order in which the agent writes them.
    pub(super) common: &'static [&'static str],
    /// The row of an event.
    pub(super) row: fn(&EventName) -> Option<&'static EventRow>,
}

impl Shape {
    /// Reads an event.
    pub(super) fn decode(
        &self,
        json: &Map<String, Value>,
        roots: &Roots,
    ) -> Result<Event, EventFault> {
        let mut fields = json.clone();
        let name = match fields.shift_remove("hook_event_name") {
            Some(Value::String(name)) if !name.is_empty() => EventName::new(name),
            Some(other) => return Err(not_text("hook_event_name", &other)),
            None => return Err(self.nameless(json)),
        };
        let session_id = text(&mut fields, "session_id")?.unwrap_or_default();
        let cwd = text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
        let transcript = text(&mut fields, "transcript_path")?.filter(|path| !path.is_empty());
        let subject = (self.row)(&name).map(|row| &row.subject);
        if subject == Some(&Subject::Field("tool_name"))
            && !fields.get("tool_name").is_some_and(Value::is_string)
        {
            let message =
                format!("`{name}` needs the text field `tool_name`; found {}", listed(json));
            return Err(EventFault { message });
        }
        // Where the agent is what the event is about, its fields are the event's own: matchers are tested on the payload.
        let own_agent = subject == Some(&Subject::Field("agent_type"));
        let (mut facts, mut payload) = (Map::new(), Map::new());
        for (key, value) in fields {
            let common = self.common.contains(&key.as_str());
            if common && !(own_agent && key.starts_with("agent_")) {
                facts.insert(key, value);
            } else {
                payload.insert(key, value);
            }
        }
        let project =
            if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
        let within = Surroundings {
            session_id,
            cwd,
            project,
            home: roots.home.clone(),
            transcript: transcript.map(PathBuf::from),
            facts,
        };
        Ok(Event { name, within, payload })
    }

    fn nameless(&self, json: &Map<String, Value>) -> EventFault {
        let message = format!(
            "not an event of {}: expected an object with the text field `hook_event_name`, such as `PreToolUse`; found {}",
            self.agent,
            listed(json)
        );
        EventFault { message }
    }

    /// The fields of an event, in the order in which the agent writes them.
    pub(super) fn encode(&self, event: &Event) -> Map<String, Value> {
        let within = &event.within;
        let path = |path: &PathBuf| Value::from(path.to_string_lossy());
        let mut fields = Map::new();
        // Written even when the host does not know them: scripts take it for granted that they are there.
        fields.insert("session_id".to_owned(), within.session_id.as_str().into());
        let transcript = within.transcript.as_ref().map_or_else(|| Value::from(""), path);
        fields.insert("transcript_path".to_owned(), transcript);
        fields.insert("cwd".to_owned(), path(&within.cwd));
        for key in self.common {
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
        fields
    }
}

/// Arguments that came as a text: the object in it, or else the text.
///
/// # Errors
///
/// Where a key stands twice in it: nobody knows which of the two the tool is called with (E-10).
pub(super) fn arguments(key: &str, text: String) -> Result<Value, EventFault> {
    match strict::whole(text.as_bytes()) {
        Ok(read) => match read.twice.first() {
            Some(twice) => {
                Err(EventFault { message: format!("`{twice}` stands twice in `{key}`") })
            }
            None => Ok(Value::Object(read.fields)),
        },
        Err(_) => Ok(Value::String(text)),
    }
}

/// Variables of an envelope, without those that say nothing.
pub(super) fn variables<const N: usize>(all: [(&str, &str); N]) -> Vec<(String, String)> {
    all.into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Takes a text field; `null` counts as absent.
pub(super) fn text(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<String>, EventFault> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(not_text(key, &other)),
    }
}

fn not_text(key: &str, found: &Value) -> EventFault {
    EventFault { message: format!("`{key}` must be a text, not {}", kind(found)) }
}

pub(super) fn listed(json: &Map<String, Value>) -> String {
    if json.is_empty() {
        return "no fields".to_owned();
    }
    let shown: Vec<_> = json.keys().take(12).map(|key| format!("`{key}`")).collect();
    let more = if json.len() > shown.len() { ", ..." } else { "" };
    format!("the fields {}{more}", shown.join(", "))
}
