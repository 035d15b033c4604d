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
    /// The one that is spoken on a path; none where the path asks for something beside a conversation.
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

    pub(super) fn is_streamed(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Gemini => path.contains(":streamGenerateContent"),
            _ => body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// How many answers of the model the conversation holds.
    pub(super) fn answers(self, body: &Value) -> usize {
        match self {
            Self::Messages | Self::Chat => spoken_by(body, "messages", "assistant"),
            Self::Gemini => spoken_by(body, "contents", "model"),
            Self::Responses => responses(body),
        }
    }
}

/// Runs of items of one role. An agent may divide an answer, or tear its calls apart: those whose ids are ours say their number.
fn spoken_by(body: &Value, list: &str, role: &str) -> usize {
    let (mut runs, mut called, mut before) = (0, BTreeSet::new(), false);
    for message in items(body, list) {
        let now = message.get("role").and_then(Value::as_str) == Some(role);
        let ids = items(message, "tool_calls").iter().filter_map(|call| number(text(call, "id")));
        let ids: Vec<&str> = ids.collect();
        runs += usize::from(now && ids.is_empty() && !before);
        called.extend(ids.iter().map(|id| (*id).to_owned()));
        before = now;
    }
    runs + called.len()
}

/// Here calls and their results are items of one list, in no order to rely on.
fn responses(body: &Value) -> usize {
    let (mut answer_kind, mut called) = (0, BTreeSet::new());
    for item in items(body, "input") {
        match (text(item, "type"), text(item, "role")) {
            ("function_call" | "custom_tool_call", _) => {
                called.extend(number(text(item, "call_id")).map(str::to_owned));
            }
            ("message", "assistant") => answer_kind += 1,
            _ => {}
        }
    }
    answer_kind + called.len()
}

/// The number of the answer that a call of ours was in: `call_REQUEST_ANSWER_PLACE`.
fn number(id: &str) -> Option<&str> {
    id.strip_prefix("call_")?.split('_').nth(1)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(body: &'a Value, list: &str) -> &'a [Value] {
    body.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Whether a request offers a tool of this name, in whatever form.
pub(super) fn offers(body: &Value, name: &str) -> bool {
    body.get("tools").is_some_and(|tools| names(tools, name))
}

fn names(value: &Value, name: &str) -> bool {
    match value {
        Value::Array(list) => list.iter().any(|value| names(value, name)),
        Value::Object(fields) => fields.iter().any(|(key, value)| match key.as_str() {
            "name" => value.as_str() == Some(name),
            "function" | "functionDeclarations" | "function_declarations" => names(value, name),
            _ => false,
        }),
        _ => false,
    }
}

/// Whether it belongs to the conversation that the person began.
pub(super) fn is_main(body: &Value) -> bool {
    body.to_string().contains(MAIN)
}
