//! Agents that call and whose files are not read here: what they hand to a hook, and what they are told. One file an agent.
//!
//! Implements `docs/spec/bridge.md` (BR-22 to BR-27). When the files of one are read, it becomes a dialect like the others.

mod cline;
mod copilot;
mod gemini;
mod goose;
mod opencode;
mod qwen;

use serde_json::{Map, Value};

use super::kit::event::arguments;
use super::kit::reply::Replies;
use super::parts::{Core, Dialect};
use super::tools::{ToolWords, by_neutral, by_own};
use super::{Cap, DialectId, Envelope, EventFault, EventRow, Fit, Roots, Subject};
use crate::answer::{Answer, Power, Powers};
use crate::event::{Event, EventName, Surroundings};
use crate::source::ReadConfig;

use std::path::PathBuf;
use std::time::Duration;

/// Every one of them.
pub(super) static CALLERS: &[&Dialect] = &[
    &copilot::CAMEL,
    &copilot::PASCAL,
    &gemini::GEMINI,
    &qwen::QWEN,
    &goose::GOOSE,
    &cline::CLINE,
    &opencode::OPENCODE,
];

/// What one of them says for itself.
struct Caller {
    id: DialectId,
    rows: fn() -> &'static [EventRow],
    decode: fn(&Map<String, Value>, &Roots) -> Result<Event, EventFault>,
    replies: &'static Replies,
}

/// An agent of which only the calls are known.
const fn caller(it: Caller) -> Dialect {
    Dialect {
        replies: Some(it.replies),
        ..Dialect::of(Core {
            id: it.id,
            rows: it.rows,
            unknown_row: |event| EventRow::unknown(event, Powers::NONE, TIMEOUT),
            recognizes: |_, _| Fit::No,
            places: |_| Vec::new(),
            read_config: |_| ReadConfig::default(),
            decode_event: it.decode,
            encode_event: |_| Envelope::default(),
            read_answer: |_, _, _| Answer::default(),
        })
    }
}

/// What these agents give a hook where its entry says nothing, at least.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An event: the agent's name for it and the neutral one.
const fn row(name: &'static str, event: &'static str, powers: &[Power]) -> EventRow {
    EventRow::of((name, event), Subject::None, powers, TIMEOUT, "")
}

/// The end of a turn, which a hook that never relents must not hold for ever.
const fn end(name: &'static str, event: &'static str) -> EventRow {
    row(name, event, &[Power::Deny]).capped(Cap::give_way(8))
}

/// Which key of an agent's object is which neutral one.
type Keys = &'static [(&'static str, &'static str)];

/// The keys that say of the session what is no part of an event.
const FACTS: &[&str] =
    &["permission_mode", "agent_id", "agent_type", "model", "effort", "prompt_id"];

/// Reads the fields of an event that is called `name`.
fn decode(
    name: &str,
    json: &Map<String, Value>,
    keys: Keys,
    tools: &'static [ToolWords],
    rows: &[EventRow],
    roots: &Roots,
) -> Result<Event, EventFault> {
    let mut fields = Map::new();
    for (key, value) in json {
        let known = keys.iter().find(|(own, _)| own == key).map(|(_, neutral)| *neutral);
        let name = known.filter(|it| !json.contains_key(*it)).unwrap_or(key);
        if !name.is_empty() {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    let mut text = |key: &str| match fields.shift_remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(EventFault { message: format!("`{key}` must be a string") }),
    };
    let session_id = text("session_id")?.unwrap_or_default();
    let cwd = text("cwd")?.map_or_else(|| roots.cwd.clone(), PathBuf::from);
    let transcript = text("transcript_path")?.filter(|it| !it.is_empty()).map(PathBuf::from);
    text("hook_event_name")?;
    let row = rows.iter().find(|row| row.name == name || row.event == name);
    let name = row.map_or(name, |row| &row.event);
    let mut event = Event::new(EventName::new(name), Surroundings::default());
    for (key, value) in fields {
        let of = if FACTS.contains(&key.as_str()) {
            &mut event.within.facts
        } else {
            &mut event.payload
        };
        of.insert(key, value);
    }
    if TOOL_EVENTS.contains(&name) {
        neutral_tool(&mut event, tools)?;
    }
    event.within.session_id = session_id;
    event.within.project =
        if roots.cwd.as_os_str().is_empty() { cwd.clone() } else { roots.cwd.clone() };
    event.within.cwd = cwd;
    event.within.home = roots.home.clone();
    event.within.transcript = transcript;
    Ok(event)
}

/// The events that are about one call.
const TOOL_EVENTS: &[&str] =
    &["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];

/// The tool and its input in neutral words.
fn neutral_tool(event: &mut Event, tools: &'static [ToolWords]) -> Result<(), EventFault> {
    let Some(name) = event.text("tool_name").map(str::to_owned) else {
        return Err(EventFault { message: format!("`{}` names no tool", event.name) });
    };
    if let Some(Value::String(text)) = event.payload.get("tool_input") {
        let input = arguments("tool_input", text.clone())?;
        event.payload.insert("tool_input".to_owned(), input);
    }
    if let Some(tool) = by_own(tools, &name) {
        event.payload.insert("tool_name".to_owned(), tool.neutral.into());
        if let Some(input) = event.payload.get_mut("tool_input") {
            *input = tool.neutral_input(input);
        }
    }
    Ok(())
}

/// An input of a neutral tool as the agent calls its keys.
fn own_input(tools: &'static [ToolWords], event: &Event, input: &Value) -> Value {
    let tool = event.text("tool_name").and_then(|name| by_neutral(tools, name));
    tool.map_or_else(|| input.clone(), |tool| tool.own_input(input))
}

/// The name of the event that an agent writes under this key.
fn named<'a>(json: &'a Map<String, Value>, key: &str, agent: &str) -> Result<&'a str, EventFault> {
    json.get(key).and_then(Value::as_str).filter(|it| !it.is_empty()).ok_or_else(|| EventFault {
        message: format!("not an event of {agent}: it has no `{key}`"),
    })
}

/// Whose call this is by its form alone, where that is certain (BR-13). Claude Code and Codex speak alike: between them what
/// was claimed counts, unless a field is only one's.
pub(super) fn whose(json: &Map<String, Value>, claimed: DialectId) -> Option<DialectId> {
    let has = |key: &str| json.contains_key(key);
    if has("clineVersion") {
        return Some(DialectId::CLINE);
    }
    if has("event") && has("working_dir") {
        return Some(DialectId::GOOSE);
    }
    if json.get("agent").is_some_and(|it| it == "opencode") {
        return Some(DialectId::OPENCODE);
    }
    if !has("hook_event_name") {
        return has("sessionId").then_some(DialectId::COPILOT);
    }
    if has("timestamp") {
        return Some(match (has("transcript_path"), has("permission_mode")) {
            (_, true) => DialectId::QWEN,
            (true, false) if !has("stop_reason") => DialectId::GEMINI,
            _ => DialectId::COPILOT_PASCAL,
        });
    }
    if has("turn_id") && has("model") {
        return Some(DialectId::CODEX);
    }
    let alike = [DialectId::CLAUDE, DialectId::CODEX].contains(&claimed);
    (has("prompt_id") || (has("transcript_path") && !alike)).then_some(DialectId::CLAUDE)
}
