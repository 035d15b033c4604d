//! The chat of Ollama.

use serde_json::{Map, Value, json};

use super::wire::{Wire, list_at, reply_with_stop_reason, text_at, token_usage};
use crate::executor::model::{Form, Message, Question, Reply, Tool, ToolCall};

pub(super) static OLLAMA: Wire = Wire {
    path: |_| "api/chat".to_owned(),
    key: None,
    fixed: &[],
    write: request_body,
    read: parse_reply,
};

fn request_body(model: &str, question: &Question) -> Value {
    let system = Some(&question.system).filter(|system| !system.is_empty());
    let system = system.map(|text| json!({"role": "system", "content": text}));
    let rest = question.messages.iter().flat_map(message_json);
    let messages: Vec<_> = system.into_iter().chain(rest).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), json!(messages));
    body.insert("stream".to_owned(), json!(false));
    if !question.tools.is_empty() {
        let tools: Vec<_> = question.tools.iter().map(tool_json).collect();
        body.insert("tools".to_owned(), json!(tools));
    }
    if let Some(tokens) = question.max_tokens {
        body.insert("options".to_owned(), json!({"num_predict": tokens}));
    }
    if question.form == Form::Json {
        body.insert("format".to_owned(), json!("json"));
    }
    Value::Object(body)
}

fn message_json(message: &Message) -> Vec<Value> {
    match message {
        Message::User(text) => vec![json!({"role": "user", "content": text})],
        Message::Model(reply) => {
            let calls: Vec<_> = reply.calls.iter().map(tool_call_json).collect();
            vec![json!({"role": "assistant", "content": reply.text, "tool_calls": calls})]
        }
        Message::Results(results) => {
            let messages = results.iter();
            messages.map(
                |result| json!({"role": "tool", "content": result.text, "tool_name": result.name}),
            )
            .collect()
        }
    }
}

fn tool_call_json(call: &ToolCall) -> Value {
    json!({"function": {"name": call.name, "arguments": call.input}})
}

fn tool_json(tool: &Tool) -> Value {
    let Tool { name, about, input } = tool;
    let function = json!({"name": name, "description": about, "parameters": input});
    json!({"type": "function", "function": function})
}

fn parse_reply(body: &Value) -> Option<Reply> {
    let calls = list_at(body, "/message/tool_calls").iter().enumerate();
    let said = Reply {
        text: text_at(body, "/message/content").unwrap_or_default().to_owned(),
        calls: calls.filter_map(|(at, value)| parse_tool_call(at, value)).collect(),
        thoughts: text_at(body, "/message/thinking").map(str::to_owned),
        usage: token_usage(body, "/prompt_eval_count", "/eval_count"),
        ..Reply::default()
    };
    // Its stop reason is `stop` for calls, too.
    let calls = (!said.calls.is_empty()).then_some("tool_calls");
    reply_with_stop_reason(said, calls.or_else(|| text_at(body, "/done_reason")))
}

fn parse_tool_call(at: usize, call: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        // It distinguishes calls only by their order.
        id: format!("call-{at}"),
        name: text_at(call, "/function/name")?.to_owned(),
        input: call.pointer("/function/arguments").cloned().unwrap_or_else(|| json!({})),
        signatures: Vec::new(),
    })
}
