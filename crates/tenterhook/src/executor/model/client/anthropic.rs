//! The messages of Anthropic.

use serde_json::{Map, Value, json};

use super::wire::{Wire, list, reply, text, usage};
use crate::executor::model::{Message, Question, Reply, Tool, ToolCall, ToolResult};

pub(super) static ANTHROPIC: Wire = Wire {
    path: |_| "messages".to_owned(),
    key: Some(("x-api-key", "")),
    fixed: &[("anthropic-version", "2023-06-01")],
    write,
    read,
};

/// The maximum number of tokens in a reply if the question sets none: the service requires one, and
/// every model accepts this many.
const TOKENS: u32 = 4096;

/// The service guarantees no form of a reply, so a wish for JSON is only part of the question's
/// text.
fn write(model: &str, question: &Question) -> Value {
    let messages: Vec<_> = question.messages.iter().map(message).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(question.max_tokens.unwrap_or(TOKENS)));
    if !question.system.is_empty() {
        body.insert("system".to_owned(), json!(question.system));
    }
    body.insert("messages".to_owned(), json!(messages));
    if !question.tools.is_empty() {
        let tools: Vec<_> = question.tools.iter().map(tool).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    Value::Object(body)
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Model(reply) => {
            let words = Some(&reply.text).filter(|text| !text.is_empty());
            let words = words.map(|word| json!({"type": "text", "text": word}));
            let content: Vec<_> = words.into_iter().chain(reply.calls.iter().map(call)).collect();
            json!({"role": "assistant", "content": content})
        }
        Message::Results(results) => {
            let content: Vec<_> = results.iter().map(result).collect();
            json!({"role": "user", "content": content})
        }
    }
}

fn call(call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
}

fn result(result: &ToolResult) -> Value {
    json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text})
}

fn tool(tool: &Tool) -> Value {
    json!({"name": tool.name, "description": tool.about, "input_schema": tool.input})
}

fn read(body: &Value) -> Option<Reply> {
    let parts = || list(body, "/content").iter();
    let of = |kind: &'static str| parts().filter(move |part| text(part, "/type") == Some(kind));
    let thoughts: String = of("thinking").filter_map(|part| text(part, "/thinking")).collect();
    let said = Reply {
        text: of("text").filter_map(|part| text(part, "/text")).collect(),
        calls: of("tool_use").filter_map(called).collect(),
        thoughts: Some(thoughts).filter(|text| !text.is_empty()),
        usage: usage(body, "/usage/input_tokens", "/usage/output_tokens"),
        ..Reply::default()
    };
    reply(said, text(body, "/stop_reason"))
}

fn called(part: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        id: text(part, "/id").unwrap_or_default().to_owned(),
        name: text(part, "/name")?.to_owned(),
        input: part.get("input").cloned().unwrap_or_default(),
        signatures: Vec::new(),
    })
}
