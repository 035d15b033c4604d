//! The event form: what a hook finds on standard input, and what a host sends (V-2 to V-9). Both
//! directions of one shape.

use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{VERSION, table};
use crate::answer::Power;
use crate::diagnostic::nearest_word;
use crate::dialect::{Envelope, EventFault, Roots};
use crate::event::{Event, Surroundings, payload_field};

/// The keys of the form.
pub(super) const KEYS: &[&str] = &["v", "event", "session", "tool", "prompt", "data"];
/// The keys of `tool` and the payload fields that they carry; `kind` is written, never read.
const TOOL: &[(&str, &str)] = &[
    ("name", "tool_name"),
    ("input", "tool_input"),
    ("id", "tool_use_id"),
    ("output", "tool_response"),
];
/// The file into which a hook may write `KEY=VALUE` lines, on events that take variables (V-9).
const ENV_FILE: &str = "TENTERHOOK_ENV_FILE";

/// The form as it is written: it borrows the event, because an event may hold a file and is written
/// for every dialect.
#[derive(Serialize)]
struct Form<'e> {
    v: u64,
    event: &'e str,
    session: Session<'e>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Tool<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'e Value>,
    data: Rest<'e>,
}

/// Writes an event as the input of a native hook, with its environment variables.
pub(super) fn encode_event(event: &Event) -> Envelope {
    let within = &event.within;
    let tool =
        event.tool().map(|call| Tool { kind: call.tool().as_str(), payload: &event.payload });
    let mut body = Envelope::serialize_payload(&Form {
        v: VERSION,
        event: event.name.as_str(),
        session: Session(within),
        prompt: payload_field(&event.payload, "prompt"),
        data: Rest { payload: &event.payload, beside_tool: tool.is_some() },
        tool,
    });
    // Programs that read a line must find its end.
    body.push(b'\n');
    let takes_env =
        table::built_in_row(event.name.as_str()).is_some_and(|row| row.powers.has(Power::Env));
    Envelope {
        body,
        env: vec![
            ("TENTERHOOK_EVENT".into(), event.name.to_string()),
            ("TENTERHOOK_SESSION_ID".into(), within.session_id.clone()),
            ("TENTERHOOK_PROJECT_DIR".into(), within.project.to_string_lossy().into_owned()),
        ],
        env_file: takes_env.then_some(ENV_FILE),
    }
}

/// The surroundings of an event; a fact of the host never replaces one of these fields.
struct Session<'e>(&'e Surroundings);

impl Serialize for Session<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let within = self.0;
        let own = [
            ("id", Some(within.session_id.as_str().into())),
            ("cwd", Some(within.cwd.to_string_lossy())),
            ("project", Some(within.project.to_string_lossy())),
            (
                "transcript",
                within.transcript.as_ref().map(|transcript| transcript.to_string_lossy()),
            ),
        ];
        let facts = within.facts.iter().filter(|(key, _)| own.iter().all(|(text, _)| text != key));
        let mut map = serializer.serialize_map(None)?;
        own.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        facts.into_iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    }
}

/// The tool, and what it does.
struct Tool<'e> {
    kind: &'static str,
    payload: &'e Map<String, Value>,
}

impl Serialize for Tool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, name) in TOOL {
            if let Some(value) = payload_field(self.payload, name) {
                map.serialize_entry(key, value)?;
            }
            if *key == "name" {
                map.serialize_entry("kind", self.kind)?;
            }
        }
        map.end()
    }
}

/// The fields that go into `data`.
struct Rest<'e> {
    payload: &'e Map<String, Value>,
    /// Whether the fields of a tool stand in `tool`.
    beside_tool: bool,
}

impl Serialize for Rest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let elsewhere = |key: &str| {
            key == "prompt" || (self.beside_tool && TOOL.iter().any(|(_, field)| *field == key))
        };
        serializer.collect_map(self.payload.iter().filter(|(key, _)| !elsewhere(key)))
    }
}

/// Reads an event in the native form; `roots` supply the directories that it leaves out.
pub(super) fn decode_event(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    reject_unknown_keys(json)?;
    if let Some(v) = json.get("v")
        && v.as_u64() != Some(VERSION)
    {
        return Err(EventFault::Version { found: v.to_string(), supported: VERSION });
    }
    let name = match json.get("event") {
        Some(Value::String(name)) if !name.is_empty() => name.as_str(),
        _ => return Err(EventFault::NoEventField { expected: "a string" }),
    };
    let mut event =
        Event::new(name, read_surroundings(optional_object_field(json, "session")?, roots)?);
    let data = optional_object_field(json, "data")?;
    event.payload.extend(data.into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
    if let Some(tool) = optional_object_field(json, "tool")? {
        decode_tool(tool, &mut event)?;
    }
    match json.get("prompt") {
        None | Some(Value::Null) => {}
        Some(Value::String(prompt)) => event = event.with("prompt", prompt.as_str()),
        Some(_) => return Err(EventFault::field_of_wrong_type("prompt", "a string")),
    }
    Ok(event)
}

fn reject_unknown_keys(json: &Map<String, Value>) -> Result<(), EventFault> {
    let Some(unknown) = json.keys().find(|key| !KEYS.contains(&key.as_str())) else {
        return Ok(());
    };
    if json.contains_key("hook_event_name") {
        return Err(EventFault::ClaudeForm);
    }
    let hint = nearest_word(unknown, KEYS.iter().copied()).map_or_else(
        || "all other fields go into `data`".into(),
        |text| format!("did you mean `{text}`?"),
    );
    Err(EventFault::UnknownKey { object: "the event", key: unknown.clone(), hint })
}

fn read_surroundings(
    session: Option<&Map<String, Value>>,
    roots: &Roots,
) -> Result<Surroundings, EventFault> {
    let mut facts = session.cloned().unwrap_or_default();
    let mut take = |key: &str| match facts.shift_remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(EventFault::field_of_wrong_type(format!("session.{key}"), "a string")),
    };
    let id = take("id")?.unwrap_or_default();
    let cwd = take("cwd")?.map(PathBuf::from);
    let project = take("project")?.map(PathBuf::from);
    let transcript = take("transcript")?.map(PathBuf::from);
    let given = cwd.clone();
    Ok(Surroundings {
        session_id: id,
        cwd: cwd.unwrap_or_else(|| roots.cwd.clone()),
        project: project
            .or(given)
            .or_else(|| roots.repository.clone())
            .unwrap_or_else(|| roots.cwd.clone()),
        home: roots.home.clone(),
        transcript,
        facts,
    })
}

fn decode_tool(tool: &Map<String, Value>, event: &mut Event) -> Result<(), EventFault> {
    if !tool.get("name").is_some_and(Value::is_string) {
        return Err(EventFault::field_of_wrong_type("tool.name", "a string"));
    }
    for (key, value) in tool {
        match TOOL.iter().find(|(known, _)| known == key) {
            Some((_, field)) => {
                event.payload.insert((*field).to_owned(), value.clone());
            }
            // The kind of a tool follows from its name, so that an event cannot pass a shell off as
            // a reader.
            None if key == "kind" => {}
            None => {
                let known = TOOL.iter().map(|(key, _)| *key);
                let hint = nearest_word(key, known).map_or_else(
                    || "it has `name`, `input`, `id` and `output`".to_owned(),
                    |text| format!("did you mean `{text}`?"),
                );
                return Err(EventFault::UnknownKey { object: "`tool`", key: key.clone(), hint });
            }
        }
    }
    event.payload.entry("tool_input").or_insert_with(|| json!({}));
    Ok(())
}

fn optional_object_field<'a>(
    json: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a Map<String, Value>>, EventFault> {
    match json.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(EventFault::field_of_wrong_type(key, "an object")),
    }
}
