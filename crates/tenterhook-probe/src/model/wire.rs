//! How far has a conversation come, and is it one? Reads requests of four services; writes nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::script::MAIN;

/// The protocol of a service of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's Messages.
    Messages,
    /// `OpenAI`'s Responses.
    Responses,
    /// Chat Completions, as everybody speaks it.
    Chat,
    /// Google's `generateContent`.
    Gemini,
}

impl Wire {
    /// Returns the protocol that is spoken on a path, or `None` if the path is not that of a
    /// conversation.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path.rsplit('/').next().unwrap_or_default() {
            "messages" => Some(Self::Messages),
            "responses" => Some(Self::Responses),
            "completions" => Some(Self::Chat),
            last if last.ends_with("enerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    pub(super) fn is_stream_requested(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Gemini => path.contains(":streamGenerateContent"),
            _ => body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// Returns how many answers of the model the conversation holds.
    pub(super) fn count_answers(self, body: &Value) -> usize {
        match self {
            Self::Messages | Self::Chat => count_role_turns(body, "messages", "assistant"),
            Self::Gemini => count_role_turns(body, "contents", "model"),
            Self::Responses => count_answers_in_responses_api(body),
        }
    }
}

/// Counts the turns of one role. An agent may split an answer or separate its calls, so calls with
/// an id of ours are counted by the number in it.
fn count_role_turns(body: &Value, list: &str, role: &str) -> usize {
    let (mut runs, mut called, mut before) = (0, BTreeSet::new(), false);
    for message in array_field(body, list) {
        let now = message.get("role").and_then(Value::as_str) == Some(role);
        let ids = array_field(message, "tool_calls")
            .iter()
            .filter_map(|call| answer_number_in_call_id(string_field(call, "id")));
        let ids: Vec<&str> = ids.collect();
        runs += usize::from(now && ids.is_empty() && !before);
        called.extend(ids.iter().map(|id| (*id).to_owned()));
        before = now;
    }
    runs + called.len()
}

/// Counts the answers of a conversation in the Responses protocol, where calls and their results
/// are items of one list in any order.
fn count_answers_in_responses_api(body: &Value) -> usize {
    let (mut answer_kind, mut called) = (0, BTreeSet::new());
    for item in array_field(body, "input") {
        match (string_field(item, "type"), string_field(item, "role")) {
            ("function_call" | "custom_tool_call", _) => {
                called.extend(
                    answer_number_in_call_id(string_field(item, "call_id")).map(str::to_owned),
                );
            }
            ("message", "assistant") => answer_kind += 1,
            _ => {}
        }
    }
    answer_kind + called.len()
}

/// Returns the number of the answer that contained one of our calls: the second part of
/// `call_REQUEST_ANSWER_PLACE`.
fn answer_number_in_call_id(id: &str) -> Option<&str> {
    id.strip_prefix("call_")?.split('_').nth(1)
}

fn string_field<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn array_field<'a>(body: &'a Value, list: &str) -> &'a [Value] {
    body.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns whether a request offers a tool of this name, in any of the protocols' forms.
pub(super) fn offers_tool(body: &Value, name: &str) -> bool {
    body.get("tools").is_some_and(|tools| contains_tool_name(tools, name))
}

fn contains_tool_name(value: &Value, name: &str) -> bool {
    match value {
        Value::Array(list) => list.iter().any(|value| contains_tool_name(value, name)),
        Value::Object(fields) => fields.iter().any(|(key, value)| match key.as_str() {
            "name" => value.as_str() == Some(name),
            "function" | "functionDeclarations" | "function_declarations" => {
                contains_tool_name(value, name)
            }
            _ => false,
        }),
        _ => false,
    }
}

/// Returns whether the request belongs to the conversation that the user began.
pub(super) fn is_main_conversation(body: &Value) -> bool {
    body.to_string().contains(MAIN)
}
