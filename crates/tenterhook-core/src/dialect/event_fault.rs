//! Why an object is not an event of a dialect. Reads no object.

use serde_json::Value;

use super::typed::{TypeMismatch, value_kind};

/// Why an object is not an event of a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventFault {
    /// The object has no field with the name of the event.
    #[error(
        "not an event of {agent}: expected an object with the text field `{key}`, such as `{example}`; found {found}"
    )]
    NotAnEvent {
        /// The agent's title.
        agent: &'static str,
        /// The field with the name of the event.
        key: &'static str,
        /// An event of the agent.
        example: &'static str,
        /// The fields of the object, as text.
        found: String,
    },
    /// The field with the name of the event is absent or empty.
    #[error("not an event of {agent}: it has no `{key}`; found {found}")]
    NoNameField {
        /// The agent's title.
        agent: &'static str,
        /// The field with the name of the event.
        key: String,
        /// The fields of the object, as text.
        found: String,
    },
    /// The field `event` is absent or not a string.
    #[error("the event has no `event`: the name of what happened, {expected}")]
    NoEventField {
        /// The expected value.
        expected: &'static str,
    },
    /// No field says which event it is.
    #[error("the event has no name")]
    NoName,
    /// The agent has no such event.
    #[error("no event of {agent} is called `{name}`; {hint}")]
    UnknownName {
        /// The agent's title.
        agent: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant, or all names.
        hint: String,
    },
    /// The event lacks a field that it requires.
    #[error("`{event}` needs the text field `{key}`{}", found_value_suffix(.found.as_deref()))]
    MissingField {
        /// The name of the event.
        event: String,
        /// The field.
        key: &'static str,
        /// The fields of the object, as text.
        found: Option<String>,
    },
    /// The event lacks a field that its entry requires.
    #[error("it has no `{key}`")]
    NoField {
        /// The field.
        key: &'static str,
    },
    /// An event about a tool call has no tool.
    #[error("`{event}` names no tool")]
    NoTool {
        /// The name of the event.
        event: String,
    },
    /// A field has a value of another type.
    #[error("`{key}` must be {expected}{}", not_found_value_suffix(*.found))]
    WrongType {
        /// The field.
        key: String,
        /// The type, with its article.
        expected: &'static str,
        /// The type of the value, with its article, if it is shown.
        found: Option<&'static str>,
    },
    /// An object inside a text has the same key twice.
    #[error("`{key}` stands twice in `{within}`")]
    RepeatedKey {
        /// The key.
        key: String,
        /// The field with the text.
        within: String,
    },
    /// The event has another version of the native protocol.
    #[error("`v` is {found}; this build speaks version {supported}")]
    Version {
        /// The version of the event.
        found: String,
        /// The version of this build.
        supported: u64,
    },
    /// The object is an event of Claude Code.
    #[error(
        "this is the form of Claude Code's events (`hook_event_name`); name its dialect, `claude`"
    )]
    ClaudeForm,
    /// An object has a key that it may not have.
    #[error("{object} has an unknown key `{key}`: {hint}")]
    UnknownKey {
        /// The object, as text.
        object: &'static str,
        /// The key.
        key: String,
        /// The key that was probably meant, or where other fields belong.
        hint: String,
    },
    /// An unknown event lacks the fields of the event for which its entry is registered.
    #[error(
        "`{name}` is no event of {agent}, and cannot be judged as `{registered}`, for which this entry is registered: \
         {cause}; register an entry for an event that {agent} has"
    )]
    NotAsRegistered {
        /// The name of the event.
        name: String,
        /// The agent's title.
        agent: &'static str,
        /// The event for which the entry is registered.
        registered: String,
        /// Why the object is not an event of that name.
        cause: Box<EventFault>,
    },
}

impl EventFault {
    /// Creates the fault for a field that is not a string.
    pub(crate) fn field_not_text(key: &str, found: &Value) -> Self {
        Self::WrongType {
            key: key.to_owned(),
            expected: "a string",
            found: Some(value_kind(found)),
        }
    }

    /// Creates the fault for a field of another type, without the type of its value.
    pub(crate) fn field_of_wrong_type(key: impl Into<String>, expected: &'static str) -> Self {
        Self::WrongType { key: key.into(), expected, found: None }
    }
}

impl From<TypeMismatch> for EventFault {
    fn from(TypeMismatch { key, expected, found }: TypeMismatch) -> Self {
        Self::WrongType { key, expected, found: Some(found) }
    }
}

fn found_value_suffix(found: Option<&str>) -> String {
    found.map(|found| format!("; found {found}")).unwrap_or_default()
}

fn not_found_value_suffix(found: Option<&str>) -> String {
    found.map(|found| format!(", not {found}")).unwrap_or_default()
}
