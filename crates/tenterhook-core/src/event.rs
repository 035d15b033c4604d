//! What happened in a host: the event, in neutral words. Pure data; knows no dialect's spelling but its own.
//!
//! The neutral spelling of names and fields is Claude Code's where that agent has the event, so that the most widely
//! written hooks need no translation. Unknown names are legal: they are custom events.

mod common;
#[expect(
    unreachable_pub,
    reason = "a module declares what other modules may use in the same way everywhere"
)]
pub(crate) mod meter;
pub mod parts;
pub mod tool;

use std::borrow::Borrow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use common::PRE_TOOL_USE;
use tool::ToolCall;

/// The neutral name of an event, such as `PreToolUse` or the custom `deploy.before` (E-1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventName(Arc<str>);

impl EventName {
    /// Creates a name in its neutral spelling.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for EventName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EventName {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The session in which an event happens, as the host tells it. Every field but `cwd` may be empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The host's name for the session; empty when it gave none.
    pub session_id: String,
    /// Where the agent works now; hooks start here.
    pub cwd: PathBuf,
    /// The directory that the session was started in: what `$CLAUDE_PROJECT_DIR` says.
    pub project: PathBuf,
    /// The user's home, for `~` in rules.
    pub home: PathBuf,
    /// The session's transcript, if there is one.
    pub transcript: Option<PathBuf>,
    /// Everything else that the host says of the session (`permission_mode`, `agent_id`, `model`, `effort`, ...), under
    /// its neutral key.
    pub facts: Map<String, Value>,
}

/// One thing that happened in a host: a name, the session it happened in, and a payload (E-2).
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What happened.
    pub name: EventName,
    /// The session it happened in.
    pub within: Surroundings,
    /// The event's own fields under their neutral keys (`tool_name`, `tool_input`, `prompt`, `source`, ...).
    pub payload: Map<String, Value>,
}

impl Event {
    /// Creates an event without a payload.
    #[must_use]
    pub fn new(name: impl Into<EventName>, within: Surroundings) -> Self {
        Self { name: name.into(), within, payload: Map::new() }
    }

    /// Adds one field of the payload.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.payload.insert(key.to_owned(), value.into());
        self
    }

    /// Returns a text field of the payload.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        payload_field(&self.payload, key).and_then(Value::as_str)
    }

    /// Returns the tool call that this event is about, if there is one.
    #[must_use]
    pub fn tool(&self) -> Option<ToolCall<'_>> {
        let name = self.text("tool_name")?;
        Some(ToolCall {
            name,
            input: payload_field(&self.payload, "tool_input").unwrap_or(&Value::Null),
        })
    }
}

/// Events before a shell line that an agent runs outside of a tool call, each with the event of the call that it would be.
const CALLS: &[(&str, &str)] = &[("PreSkillShellCommand", PRE_TOOL_USE)];

impl Event {
    /// Returns the tool call that this event stands for, for the hooks that judge tool calls
    /// (BR-90); `None` if it is a tool call itself, or stands for none.
    #[must_use]
    pub fn as_tool_call(&self) -> Option<Self> {
        let (_, call) = CALLS.iter().find(|(event, _)| *event == self.name.as_str())?;
        Some(Self { name: EventName::new(*call), ..self.clone() })
    }
}

/// Up to how many fields it is quicker to compare all names with the one that is looked for than to make its hash.
const FEW: usize = 16;

/// Returns a field of a payload. Every firing looks up some of them many times, and most payloads
/// have few.
pub(crate) fn payload_field<'a>(payload: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    if payload.len() > FEW {
        return payload.get(key);
    }
    payload.iter().find_map(|(name, value)| (name == key).then_some(value))
}
