//! Why an agent rejects an answer whole. Reads no answer.

use crate::diagnostic::nearest_word;
use crate::dialect::typed::TypeMismatch;

/// Why an agent rejects an answer whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidAnswer {
    /// A field has a value of another type.
    #[error(transparent)]
    Type(#[from] TypeMismatch),
    /// `hookSpecificOutput` names no event.
    #[error("`hookSpecificOutput.hookEventName` is missing; on this event it must be `{event}`")]
    NoEventName {
        /// The agent's name for the event.
        event: String,
    },
    /// `hookSpecificOutput` names another event.
    #[error("`hookSpecificOutput.hookEventName` is `{named}`; on this event it must be `{event}`")]
    OtherEvent {
        /// The name in the answer.
        named: String,
        /// The agent's name for the event.
        event: String,
    },
    /// A decision about a permission has no `behavior`.
    #[error("`hookSpecificOutput.decision` needs `behavior`")]
    NoBehavior,
    /// A key that the event's answer does not have, for an agent that rejects these.
    #[error("`{path}{key}` is not a key of this event's answer")]
    UnknownKey {
        /// The path of the object, with its last dot.
        path: String,
        /// The key.
        key: String,
    },
    /// A field has a value that is not in its list.
    #[error("`{key}` is `{value}`, but must be one of {}{}", .allowed.join(", "), near_value_help(.value, .allowed))]
    UnknownValue {
        /// The field.
        key: String,
        /// Its value.
        value: String,
        /// The values that the agent knows.
        allowed: &'static [&'static str],
    },
    /// A value counts only beside another field.
    #[error("`{key}` is `{value}`, and there is no `{missing}`")]
    Incomplete {
        /// The field.
        key: &'static str,
        /// Its value.
        value: &'static str,
        /// The field that is absent or blank.
        missing: &'static str,
    },
    /// A common field that this event does not take.
    #[error("`{event}` takes no `{key}`")]
    NotTaken {
        /// The agent's name for the event.
        event: &'static str,
        /// The field.
        key: &'static str,
    },
    /// A new input without the decision that it needs.
    #[error("`updatedInput` counts beside `permissionDecision: \"allow\"` only")]
    InputWithoutAllow,
}

/// Names the allowed value that `value` was probably meant to be.
fn near_value_help(value: &str, allowed: &[&str]) -> String {
    nearest_word(value, allowed.iter().copied())
        .map(|text| format!("; did you mean `{text}`?"))
        .unwrap_or_default()
}
