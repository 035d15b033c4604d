//! The differences between the services' protocols: a row of data and two functions each. Sends
//! nothing.

use serde_json::Value;

use crate::executor::model::{Question, Reply, Stop, Usage};

/// One protocol.
pub(super) struct Wire {
    /// The path for questions to this model, after the address of the service.
    pub(super) path: fn(&str) -> String,
    /// The header that holds the key, and the prefix of its value.
    pub(super) key: Option<(&'static str, &'static str)>,
    /// The further headers of every request.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// The body of a request to this model.
    pub(super) write: fn(&str, &Question) -> Value,
    /// Parses the reply in a body; `None` if there is no reply, which must not be read as an empty
    /// one.
    pub(super) read: fn(&Value) -> Option<Reply>,
}

/// The stop reasons of services.
const STOPS: &[(&str, Stop)] = &[
    ("stop", Stop::Done),
    ("end_turn", Stop::Done),
    ("stop_sequence", Stop::Done),
    ("tool_calls", Stop::Calls),
    ("tool_use", Stop::Calls),
    ("function_call", Stop::Calls),
    ("length", Stop::Length),
    ("max_tokens", Stop::Length),
    ("model_context_window_exceeded", Stop::Length),
    ("content_filter", Stop::Refused),
    ("refusal", Stop::Refused),
    ("safety", Stop::Refused),
    ("recitation", Stop::Refused),
    ("blocklist", Stop::Refused),
    ("prohibited_content", Stop::Refused),
    ("spii", Stop::Refused),
    ("language", Stop::Refused),
];

/// Returns the meaning of a stop reason. Some services use capital letters.
pub(super) fn parse_stop_reason(word: &str) -> Stop {
    let found = STOPS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map_or_else(|| Stop::Other(word.to_owned()), |(_, stop)| stop.clone())
}

/// The text at a path of keys.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}

/// The list at a path of keys; empty if the path is missing.
pub(super) fn list_at<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Reads the numbers of tokens from two fields.
pub(super) fn token_usage(value: &Value, input: &str, output: &str) -> Usage {
    let tokens = |pointer| value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    Usage { input: tokens(input), output: tokens(output) }
}

/// Sets the stop reason of a reply. `None` if the reply is empty without a reason.
pub(super) fn reply_with_stop_reason(reply: Reply, ended: Option<&str>) -> Option<Reply> {
    let says = !reply.text.is_empty() || !reply.calls.is_empty();
    (ended.is_some() || says)
        .then(|| Reply { stop: ended.map_or(Stop::Done, parse_stop_reason), ..reply })
}
