//! The contents of Gemini.

use serde_json::{Map, Value, json};

use super::wire::{Wire, list_at, reply_with_stop_reason, text_at, token_usage};
use crate::executor::model::{Form, Message, Question, Reply, Tool, ToolCall, ToolResult};

pub(super) static GEMINI: Wire = Wire {
    path: |model| format!("models/{model}:generateContent"),
    key: Some(("x-goog-api-key", "")),
    fixed: &[],
    write: request_body,
    read: parse_reply,
};

/// The prefix of ids for calls that the service sent without an id.
const UNNAMED: &str = "call-";

fn request_body(_: &str, question: &Question) -> Value {
    let contents: Vec<_> = question.messages.iter().map(message_json).collect();
    let mut body = Map::new();
    body.insert("contents".to_owned(), json!(contents));
    if !question.system.is_empty() {
        let parts = json!([{"text": question.system}]);
        body.insert("systemInstruction".to_owned(), json!({"parts": parts}));
    }
    if !question.tools.is_empty() {
        let tools: Vec<_> = question.tools.iter().map(tool_json).collect();
        body.insert("tools".to_owned(), json!([{"functionDeclarations": tools}]));
    }
    let mut config = Map::new();
    if let Some(tokens) = question.max_tokens {
        config.insert("maxOutputTokens".to_owned(), json!(tokens));
    }
    if question.form == Form::Json {
        config.insert("responseMimeType".to_owned(), json!("application/json"));
    }
    if !config.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(config));
    }
    Value::Object(body)
}

fn message_json(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "parts": [{"text": text}]}),
        Message::Model(reply) => {
            let words = Some(&reply.text).filter(|text| !text.is_empty());
            let words = words.map(|word| json!({"text": word}));
            let parts: Vec<_> =
                words.into_iter().chain(reply.calls.iter().map(tool_call_json)).collect();
            json!({"role": "model", "parts": parts})
        }
        Message::Results(results) => {
            let parts: Vec<_> = results.iter().map(tool_result_json).collect();
            json!({"role": "user", "parts": parts})
        }
    }
}

/// Returns the id if the service itself gave it and needs it back.
fn service_given_id(id: &str) -> Option<Value> {
    (!id.is_empty() && !id.starts_with(UNNAMED)).then(|| json!(id))
}

fn tool_call_json(call: &ToolCall) -> Value {
    let mut function = json!({"name": call.name, "args": call.input});
    if let (Some(id), Some(function)) = (service_given_id(&call.id), function.as_object_mut()) {
        function.insert("id".to_owned(), id);
    }
    match call.signatures.first() {
        Some(signature) => json!({"functionCall": function, "thoughtSignature": signature}),
        None => json!({"functionCall": function}),
    }
}

fn tool_result_json(result: &ToolResult) -> Value {
    let said = json!({"name": result.name, "content": result.text});
    let mut function = json!({"name": result.name, "response": said});
    if let (Some(id), Some(function)) = (service_given_id(&result.id), function.as_object_mut()) {
        function.insert("id".to_owned(), id);
    }
    json!({"functionResponse": function})
}

fn tool_json(tool: &Tool) -> Value {
    let Tool { name, about, input } = tool;
    json!({"name": name, "description": about, "parametersJsonSchema": input})
}

fn parse_reply(body: &Value) -> Option<Reply> {
    let parts = list_at(body, "/candidates/0/content/parts");
    let words = |thoughts: bool| -> String {
        let is_thought = |part: &&Value| part.get("thought") == Some(&Value::Bool(true));
        let of = parts.iter().filter(|part| is_thought(part) == thoughts);
        of.filter_map(|value| text_at(value, "/text")).collect()
    };
    let calls = parts.iter().enumerate().filter_map(|(at, part)| parse_tool_call(at, part));
    let said = Reply {
        text: words(false),
        calls: calls.collect(),
        thoughts: Some(words(true)).filter(|word| !word.is_empty()),
        usage: token_usage(
            body,
            "/usageMetadata/promptTokenCount",
            "/usageMetadata/candidatesTokenCount",
        ),
        ..Reply::default()
    };
    // Its stop reason is `STOP` for calls, too; for a question that it rejects there is no
    // candidate.
    let calls = (!said.calls.is_empty()).then_some("tool_calls");
    let blocked = || text_at(body, "/promptFeedback/blockReason").map(|_| "safety");
    reply_with_stop_reason(
        said,
        calls.or_else(|| text_at(body, "/candidates/0/finishReason")).or_else(blocked),
    )
}

fn parse_tool_call(at: usize, part: &Value) -> Option<ToolCall> {
    let function = part.get("functionCall")?;
    let signature = text_at(part, "/thoughtSignature").map(str::to_owned);
    Some(ToolCall {
        id: text_at(function, "/id").map_or_else(|| format!("{UNNAMED}{at}"), str::to_owned),
        name: text_at(function, "/name")?.to_owned(),
        input: function.get("args").cloned().unwrap_or_else(|| json!({})),
        signatures: signature.into_iter().collect(),
    })
}
