//! The chat completions of OpenAI, which most services support; DeepSeek's variant needs its
//! reasoning back.

use serde_json::{Map, Value, json};

use super::wire::{Wire, list_at, reply_with_stop_reason, text_at, token_usage};
use crate::executor::model::{Form, Message, Question, Reply, Tool, ToolCall, ToolResult};

pub(super) static OPENAI: Wire = Wire {
    path: |_| "chat/completions".to_owned(),
    key: Some(("authorization", "Bearer ")),
    fixed: &[],
    write: |model, question| request_body(model, question, false),
    read: parse_reply,
};

pub(super) static DEEPSEEK: Wire =
    Wire { write: |model, question| request_body(model, question, true), ..OPENAI };

/// Prefixes of models that use the newer name of the token limit, and reject the older one.
const NEWER_LIMIT: &[&str] = &["gpt-5", "gpt-6", "o1", "o3", "o4"];

fn request_body(model: &str, question: &Question, thoughts_back: bool) -> Value {
    let system = Some(&question.system).filter(|system| !system.is_empty());
    let system = system.map(|text| json!({"role": "system", "content": text}));
    let rest = question.messages.iter().flat_map(|m| message_json(m, thoughts_back));
    let messages: Vec<_> = system.into_iter().chain(rest).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), json!(messages));
    if !question.tools.is_empty() {
        let tools: Vec<_> = question.tools.iter().map(tool_json).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    if let Some(tokens) = question.max_tokens {
        let newer = NEWER_LIMIT.iter().any(|prefix| model.starts_with(prefix));
        let name = if newer { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.to_owned(), json!(tokens));
    }
    if question.form == Form::Json {
        body.insert("response_format".to_owned(), json!({"type": "json_object"}));
    }
    Value::Object(body)
}

fn message_json(message: &Message, thoughts_back: bool) -> Vec<Value> {
    match message {
        Message::User(text) => vec![json!({"role": "user", "content": text})],
        Message::Model(reply) => vec![assistant_message(reply, thoughts_back)],
        Message::Results(results) => results.iter().map(tool_result_json).collect(),
    }
}

fn assistant_message(reply: &Reply, thoughts_back: bool) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    message.insert("content".to_owned(), json!(reply.text));
    if !reply.calls.is_empty() {
        let calls: Vec<_> = reply.calls.iter().map(tool_call_json).collect();
        message.insert("tool_calls".to_owned(), json!(calls));
    }
    if let Some(thoughts) = reply.thoughts.as_ref().filter(|_| thoughts_back) {
        message.insert("reasoning_content".to_owned(), json!(thoughts));
    }
    Value::Object(message)
}

fn tool_call_json(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.input.to_string()});
    json!({"type": "function", "id": call.id, "function": function})
}

fn tool_result_json(result: &ToolResult) -> Value {
    json!({"role": "tool", "content": result.text, "tool_call_id": result.id})
}

fn tool_json(tool: &Tool) -> Value {
    let Tool { name, about, input } = tool;
    let function = json!({"name": name, "description": about, "parameters": input});
    json!({"type": "function", "function": function})
}

fn parse_reply(body: &Value) -> Option<Reply> {
    let choice = body.pointer("/choices/0")?;
    let words = match choice.pointer("/message/content") {
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| text_at(part, "/text")).collect()
        }
        other => other.and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    let thoughts = ["/message/reasoning_content", "/message/reasoning"];
    let said = Reply {
        text: words,
        calls: list_at(choice, "/message/tool_calls").iter().filter_map(parse_tool_call).collect(),
        thoughts: thoughts.iter().find_map(|t| text_at(choice, t)).map(str::to_owned),
        usage: token_usage(body, "/usage/prompt_tokens", "/usage/completion_tokens"),
        ..Reply::default()
    };
    reply_with_stop_reason(said, text_at(choice, "/finish_reason"))
}

fn parse_tool_call(call: &Value) -> Option<ToolCall> {
    let input = match call.pointer("/function/arguments")? {
        // Text that is not JSON is passed on unchanged: the tool reports what is wrong with it.
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        other => other.clone(),
    };
    Some(ToolCall {
        id: text_at(call, "/id").unwrap_or_default().to_owned(),
        name: text_at(call, "/function/name")?.to_owned(),
        input,
        signatures: Vec::new(),
    })
}
