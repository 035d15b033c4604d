//! The vocabulary of an agent: its names of events, fields and tools. One table is read in both
//! directions: it decodes the agent's calls and encodes the events for its hooks. Knows no hook and
//! no answer.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::event::{describe_fields, parse_arguments, take_text};
use crate::answer::Power;
use crate::dialect::servers;
use crate::dialect::tools::{ToolWords, find_tool_by_neutral_name, find_tool_by_own_name};
use crate::dialect::{Cap, Envelope, EventFault, EventRow, Roots, Subject};
use crate::event::{Event, EventName, Surroundings};

/// What these agents give a hook whose entry says nothing, where theirs is not known.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// Creates the row of an event: the agent's name for it, the neutral one, and when it fires.
pub(crate) const fn event_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, powers, TIMEOUT, when)
}

/// Creates the row of an event at the end of a turn, which gives way after 8 denials in a row.
pub(crate) const fn end_of_turn_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    when: &'static str,
) -> EventRow {
    event_row(name, event, subject, &[Power::Deny], when).with_cap(Cap::continue_after(8))
}

/// Pairs of an agent's key and the neutral key; a key without a neutral one is dropped. If several
/// keys have the same neutral key, hooks get the first.
pub(crate) type Keys = &'static [(&'static str, &'static str)];

/// How most agents call a tool of an MCP server.
pub(crate) const NEUTRAL_SERVER_TOOL: &str = servers::NEUTRAL;

/// The names that one agent uses.
pub(crate) struct Vocabulary {
    /// The agent, in words.
    pub(crate) agent: &'static str,
    /// The key that holds the name of the event; empty if there is no such key.
    pub(crate) name: &'static str,
    pub(crate) keys: Keys,
    pub(crate) tools: &'static [ToolWords],
    /// How it calls a tool of an MCP server, with `SERVER` and `TOOL` in it. Where the name does not
    /// show where the server's ends, its first word counts.
    pub(crate) server_tool: &'static str,
    pub(crate) rows: fn() -> &'static [EventRow],
}

/// The keys that say of the session what is no part of an event.
const FACTS: &[&str] =
    &["permission_mode", "agent_id", "agent_type", "model", "effort", "prompt_id"];

/// The events that are about one call.
const TOOL_EVENTS: &[&str] =
    &["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];

impl Vocabulary {
    /// Reads an event whose name stands in this agent's name field.
    pub(crate) fn decode_event(
        &self,
        json: &Map<String, Value>,
        roots: &Roots,
    ) -> Result<Event, EventFault> {
        self.decode_event_as(self.event_name_at_key(json, self.name)?, json, roots)
    }

    /// Returns the name of the event from this key.
    pub(crate) fn event_name_at_key<'a>(
        &self,
        json: &'a Map<String, Value>,
        key: &str,
    ) -> Result<&'a str, EventFault> {
        let name = json.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        name.ok_or_else(|| EventFault::NoNameField {
            agent: self.agent,
            key: key.to_owned(),
            found: describe_fields(json),
        })
    }

    /// Reads the fields of an event that is called `name`.
    pub(crate) fn decode_event_as(
        &self,
        name: &str,
        json: &Map<String, Value>,
        roots: &Roots,
    ) -> Result<Event, EventFault> {
        let mut fields = self.to_neutral_fields(json);
        let session_id = take_text(&mut fields, "session_id")?.unwrap_or_default();
        let cwd = take_text(&mut fields, "cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
        let transcript = take_text(&mut fields, "transcript_path")?.filter(|text| !text.is_empty());
        take_text(&mut fields, "hook_event_name")?;
        let row = (self.rows)().iter().find(|row| row.name == name || row.event == name);
        let (own, name) = row.map_or((name, name), |row| (&*row.name, &*row.event));
        let own_agent = row.is_some_and(|row| row.subject == Subject::Field("agent_type"));
        let mut event = Event::new(EventName::new(name), Surroundings::default());
        for (key, value) in fields {
            let fact = FACTS.contains(&key.as_str()) && !(own_agent && key.starts_with("agent_"));
            let of = if fact { &mut event.within.facts } else { &mut event.payload };
            of.insert(key, value);
        }
        if TOOL_EVENTS.contains(&name) {
            self.make_tool_neutral(&mut event, own)?;
        }
        event.within.session_id = session_id;
        event.within.project =
            if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
        event.within.cwd = cwd;
        event.within.home = roots.home.clone();
        event.within.transcript = transcript.map(PathBuf::from);
        Ok(event)
    }

    /// Renames the agent's keys to neutral keys and drops keys without a neutral one.
    fn to_neutral_fields(&self, json: &Map<String, Value>) -> Map<String, Value> {
        let mut fields = Map::new();
        for (key, value) in json {
            let known = self.keys.iter().find(|(own, _)| own == key).map(|(_, neutral)| *neutral);
            let name = known.filter(|text| !json.contains_key(*text)).unwrap_or(key);
            if !name.is_empty() {
                fields.insert(name.to_owned(), value.clone());
            }
        }
        fields
    }

    /// Replaces the tool's name and input keys by the neutral ones. `own` is the agent's name of
    /// the event.
    fn make_tool_neutral(&self, event: &mut Event, own: &str) -> Result<(), EventFault> {
        let Some(name) = event.text("tool_name").map(str::to_owned) else {
            return Err(EventFault::NoTool { event: own.to_owned() });
        };
        if let Some(Value::String(text)) = event.payload.get("tool_input") {
            let input = parse_arguments("tool_input", text.clone())?;
            event.payload.insert("tool_input".to_owned(), input);
        }
        if let Some(tool) = find_tool_by_own_name(self.tools, &name) {
            event.payload.insert("tool_name".to_owned(), tool.neutral.into());
            if let Some(input) = event.payload.get_mut("tool_input") {
                *input = tool.to_neutral_input(input);
            }
        } else if let Some(neutral) = servers::neutral_name(self.server_tool, &name) {
            event.payload.insert("tool_name".to_owned(), neutral.into());
        }
        Ok(())
    }

    /// Returns the fields of an event under the agent's keys: the session, the working directory,
    /// the event name if it has a key, then the rest.
    pub(crate) fn to_agent_fields(&self, event: &Event) -> Map<String, Value> {
        let within = &event.within;
        let row = (self.rows)().iter().find(|row| row.event == event.name.as_str());
        let tool =
            event.text("tool_name").and_then(|name| find_tool_by_neutral_name(self.tools, name));
        let mut fields = Map::new();
        let mut put = |key: &str, value: Value| {
            let own = self.keys.iter().find(|(_, neutral)| *neutral == key);
            fields.entry(own.map_or(key, |(own, _)| own)).or_insert(value);
        };
        put("session_id", within.session_id.as_str().into());
        if let Some(path) = &within.transcript {
            put("transcript_path", path.to_string_lossy().into());
        }
        put("cwd", within.cwd.to_string_lossy().into());
        if !self.name.is_empty() {
            put(self.name, row.map_or(event.name.as_str(), |row| &row.name).into());
        }
        for (key, value) in event.payload.iter().chain(&within.facts) {
            let value = match (key.as_str(), tool) {
                ("tool_name", _) => {
                    self.own_tool_name(event).map_or_else(|| value.clone(), Value::from)
                }
                ("tool_input", Some(words)) => words.to_agent_input(value),
                _ => value.clone(),
            };
            put(key, value);
        }
        fields
    }

    /// Returns the agent's name of the tool of an event, if it is about one.
    pub(crate) fn own_tool_name(&self, event: &Event) -> Option<String> {
        let name = event.text("tool_name")?;
        let words = find_tool_by_neutral_name(self.tools, name).and_then(|words| words.own.first());
        let of_server = || servers::own_name(self.server_tool, name);
        words.map(|own| (*own).to_owned()).or_else(of_server).or_else(|| Some(name.to_owned()))
    }

    /// Writes the input of a hook.
    pub(crate) fn encode_event(&self, event: &Event) -> Envelope {
        Envelope {
            body: Envelope::serialize_payload(&self.to_agent_fields(event)),
            ..Envelope::default()
        }
    }

    /// Returns the input of a neutral tool with the agent's keys.
    pub(crate) fn to_agent_input(&self, event: &Event, input: &Value) -> Value {
        let tool =
            event.text("tool_name").and_then(|name| find_tool_by_neutral_name(self.tools, name));
        tool.map_or_else(|| input.clone(), |tool| tool.to_agent_input(input))
    }

    /// Returns an input that a hook of this agent wrote, with the neutral keys.
    pub(crate) fn to_neutral_input(&self, event: &Event, input: &Value) -> Value {
        let tool =
            event.text("tool_name").and_then(|name| find_tool_by_neutral_name(self.tools, name));
        tool.map_or_else(|| input.clone(), |tool| tool.to_neutral_input(input))
    }
}
