//! The messages of Anthropic.

use serde_json::{Map, Value, json};

use super::wire::{Wire, list_at, reply_with_stop_reason, text_at, token_usage};
use crate::executor::model::{Message, Question, Reply, Tool, ToolCall, ToolResult};

pub(super) static ANTHROPIC: Wire = Wire {
    path: |_| "messages".to_owned(),
    key: Some(("x-api-key", "")),
    fixed: &[("anthropic-version", "2023-06-01")],
    write: request_body,
    read: parse_reply,
};

/// The maximum number of tokens in a reply if the question sets none: the service requires one, and
/// every model accepts this many.
const TOKENS: u32 = 4096;

/// Builds the body of a request. The service does not guarantee the form of a reply, so a wish for
/// JSON is only part of the question's text.
fn request_body(model: &str, question: &Question) -> Value {
    let messages: Vec<_> = question.messages.iter().map(message_json).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(question.max_tokens.unwrap_or(TOKENS)));
    if !question.system.is_empty() {
        body.insert("system".to_owned(), json!(question.system));
    }
    body.insert("messages".to_owned(), json!(messages));
    if !question.tools.is_empty() {
        let tools: Vec<_> = question.tools.iter().map(tool_json).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    Value::Object(body)
}

fn message_json(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Model(reply) => {
            let words = Some(&reply.text).filter(|text| !text.is_empty());
            let words = words.map(|word| json!({"type": "text", "text": word}));
            let content: Vec<_> =
                words.into_iter().chain(reply.calls.iter().map(tool_call_json)).collect();
            json!({"role": "assistant", "content": content})
        }
        Message::Results(results) => {
            let content: Vec<_> = results.iter().map(tool_result_json).collect();
            json!({"role": "user", "content": content})
        }
    }
}

fn tool_call_json(call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
}

fn tool_result_json(result: &ToolResult) -> Value {
    json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text})
}

fn tool_json(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.about, "input_schema": tool.input})
}

fn parse_reply(body: &Value) -> Option<Reply> {
    let parts = || list_at(body, "/content").iter();
    let of = |kind: &'static str| parts().filter(move |part| text_at(part, "/type") == Some(kind));
    let thoughts: String = of("thinking").filter_map(|part| text_at(part, "/thinking")).collect();
    let said = Reply {
        text: of("text").filter_map(|part| text_at(part, "/text")).collect(),
        calls: of("tool_use").filter_map(parse_tool_call).collect(),
        thoughts: Some(thoughts).filter(|text| !text.is_empty()),
        usage: token_usage(body, "/usage/input_tokens", "/usage/output_tokens"),
        ..Reply::default()
    };
    reply_with_stop_reason(said, text_at(body, "/stop_reason"))
}

fn parse_tool_call(part: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        id: text_at(part, "/id").unwrap_or_default().to_owned(),
        name: text_at(part, "/name")?.to_owned(),
        input: part.get("input").cloned().unwrap_or_default(),
        signatures: Vec::new(),
    })
}
