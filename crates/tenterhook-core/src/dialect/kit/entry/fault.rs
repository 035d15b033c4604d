//! Why an entry of a config file never runs. Reports nothing and reads no file.

/// Why an entry never runs, as a clause about the entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryFault {
    /// `type` has a value that is not a string.
    #[error("its `type` is not a string")]
    TypeNotString,
    /// The agent has no such type.
    #[error("no {noun} type is called `{name}`")]
    UnknownType {
        /// What the agent calls an entry: `handler` or `hook`.
        noun: &'static str,
        /// The value of `type`.
        name: String,
    },
    /// A required field is absent or blank.
    #[error("it has no `{key}`")]
    MissingField {
        /// The field.
        key: &'static str,
    },
    /// A field that decides what runs has a value of another type.
    #[error("its `{key}` is not {expected}")]
    WrongType {
        /// The field.
        key: &'static str,
        /// The type, with its article.
        expected: &'static str,
    },
    /// The agent reads entries of this type and skips them.
    #[error("{agent} skips handlers of the type `{name}`")]
    SkippedType {
        /// The agent's title.
        agent: &'static str,
        /// The value of `type`.
        name: String,
    },
    /// Entries of this type are functions of the agent's own program.
    #[error("a `{name}` lives in the agent's own process, and never runs here")]
    InAgentProcess {
        /// The value of `type`.
        name: &'static str,
    },
    /// Entries of this type are texts that the agent sends to itself.
    #[error("a `{name}` is sent to the agent as if the user had typed it; it never runs here")]
    SentToAgent {
        /// The value of `type`.
        name: &'static str,
    },
    /// `if` tests a tool call, and the event has none.
    #[error("`if` never holds on `{event}`")]
    ConditionNeverHolds {
        /// The neutral name of the event.
        event: String,
    },
}
