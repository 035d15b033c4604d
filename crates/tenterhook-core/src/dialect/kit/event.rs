//! The JSON of an event as Claude Code shapes it, which other agents took over: `hook_event_name`,
//! the session in fields beside it, and the event's own fields. Knows no hook and no answer.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::dialect::{EventFault, EventRow, Roots, Subject};
use crate::event::{Event, EventName, Surroundings};
use crate::strict;

/// What differs between the agents that speak so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The agent, in words.
    pub(crate) agent: &'static str,
    /// The fields that any event may have, in the order in which the agent writes them: the
    /// session, the transcript, the directory and the name always, the others where they are known.
    pub(crate) order: &'static [&'static str],
    pub(crate) rows: fn() -> &'static [EventRow],
    /// The value of the transcript field if there is no transcript; `None` is `null`.
    pub(crate) no_transcript: Option<&'static str>,
}

impl Shape {
    /// Reads an event.
    pub(crate) fn decode_event(
        &self,
        json: &Map<String, Value>,
        roots: &Roots,
    ) -> Result<Event, EventFault> {
        let mut fields = json.clone();
        let name = match fields.shift_remove("hook_event_name") {
            Some(Value::String(name)) if !name.is_empty() => name,
            Some(other) => return Err(EventFault::field_not_text("hook_event_name", &other)),
            None => return Err(self.missing_name_fault(json)),
        };
        let row = (self.rows)().iter().find(|row| row.name == name);
        let session_id = take_text(&mut fields, "session_id")?.unwrap_or_default();
        let cwd = take_text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
        let transcript = take_text(&mut fields, "transcript_path")?.filter(|path| !path.is_empty());
        let subject = row.map(|row| &row.subject);
        if matches!(subject, Some(Subject::Field("tool_name") | Subject::Tool(_)))
            && !fields.get("tool_name").is_some_and(Value::is_string)
        {
            let found = Some(describe_fields(json));
            return Err(EventFault::MissingField { event: name, key: "tool_name", found });
        }
        // Where the agent is what the event is about, its fields are the event's own: matchers are
        // tested on the payload.
        let own_agent = subject == Some(&Subject::Field("agent_type"));
        let (mut facts, mut payload) = (Map::new(), Map::new());
        for (key, value) in fields {
            let common = self.order.contains(&key.as_str());
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
        let name = row.map_or(name, |row| row.event.to_string());
        Ok(Event { name: EventName::new(name), within, payload })
    }

    fn missing_name_fault(&self, json: &Map<String, Value>) -> EventFault {
        EventFault::NotAnEvent {
            agent: self.agent,
            key: "hook_event_name",
            example: "PreToolUse",
            found: describe_fields(json),
        }
    }

    /// The fields of an event, in the order in which the agent writes them.
    pub(crate) fn encode_event_fields(&self, event: &Event) -> Map<String, Value> {
        let within = &event.within;
        let path = |path: &PathBuf| Value::from(path.to_string_lossy());
        let mut fields = Map::new();
        let own = (self.rows)().iter().find(|row| row.event == event.name.as_str());
        for key in self.order {
            let value = match *key {
                // Written even when the host does not know them: scripts take it for granted that
                // they are there.
                "session_id" => Some(within.session_id.as_str().into()),
                "transcript_path" => {
                    Some(within.transcript.as_ref().map_or_else(|| self.no_transcript.into(), path))
                }
                "cwd" => Some(path(&within.cwd)),
                "hook_event_name" => Some(own.map_or(event.name.as_str(), |row| &row.name).into()),
                _ => within.facts.get(*key).or_else(|| event.payload.get(*key)).cloned(),
            };
            fields.extend(value.map(|value| ((*key).to_owned(), value)));
        }
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
/// If a key occurs twice: it is unknown which of the two values the tool gets (E-10).
pub(crate) fn parse_arguments(key: &str, text: String) -> Result<Value, EventFault> {
    match strict::read_whole_object(text.as_bytes()) {
        Ok(read) => match read.twice.first() {
            Some(twice) => {
                Err(EventFault::RepeatedKey { key: twice.clone(), within: key.to_owned() })
            }
            None => Ok(Value::Object(read.fields)),
        },
        Err(_) => Ok(Value::String(text)),
    }
}

/// Returns the variables of an envelope that are not empty.
pub(crate) fn non_empty_variables<const N: usize>(all: [(&str, &str); N]) -> Vec<(String, String)> {
    all.into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Removes a text field and returns it; `null` is the same as absent.
pub(crate) fn take_text(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<String>, EventFault> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(other) => Err(EventFault::field_not_text(key, &other)),
    }
}

/// Lists the fields of a payload, for messages.
pub(crate) fn describe_fields(json: &Map<String, Value>) -> String {
    if json.is_empty() {
        return "no fields".to_owned();
    }
    let shown: Vec<_> = json.keys().take(12).map(|key| format!("`{key}`")).collect();
    let more = if json.len() > shown.len() { ", ..." } else { "" };
    format!("the fields {}{more}", shown.join(", "))
}
