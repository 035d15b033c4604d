//! What tells one service's protocol from another's: a row of data and two functions. Sends nothing.

use serde_json::Value;

use crate::executor::model::{Question, Reply, Stop, Usage};

/// One protocol.
pub(super) struct Wire {
    /// Where a question to this model goes, behind the address of the service.
    pub(super) path: fn(&str) -> String,
    /// The header that holds the key, and what stands before the key in it.
    pub(super) key: Option<(&'static str, &'static str)>,
    /// What every request says besides.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    /// The body of a request to this model.
    pub(super) write: fn(&str, &Question) -> Value,
    /// The reply that a body holds; nothing where it holds none: an answer that nobody gave may not be read as silence.
    pub(super) read: fn(&Value) -> Option<Reply>,
}

/// The words by which services say why a reply ended.
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

/// What the word means that a service says; some services shout it.
pub(super) fn stop(word: &str) -> Stop {
    let found = STOPS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map_or_else(|| Stop::Other(word.to_owned()), |(_, stop)| stop.clone())
}

/// The text at a path of keys.
pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str()
}

/// The list at a path of keys; an empty one where there is none.
pub(super) fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The tokens that two counts say.
pub(super) fn usage(value: &Value, input: &str, output: &str) -> Usage {
    let tokens = |pointer| value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    Usage { input: tokens(input), output: tokens(output) }
}

/// A reply that says something, or says why it does not.
pub(super) fn reply(reply: Reply, ended: Option<&str>) -> Option<Reply> {
    let says = !reply.text.is_empty() || !reply.calls.is_empty();
    (ended.is_some() || says).then(|| Reply { stop: ended.map_or(Stop::Done, stop), ..reply })
}
