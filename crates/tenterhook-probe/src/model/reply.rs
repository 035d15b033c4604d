//! How does an answer look on a wire? Writes the replies of four services, streamed and whole.

use serde_json::{Value, json};

use super::http::Reply;
use super::wire::Wire;
use crate::script::{Call, Step};

/// The name under which every model here is known.
const NAME: &str = "m1";

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Returns the reply to a request that is not part of a conversation: token counts, lists of
/// models, reports.
pub(super) fn side_request_reply(path: &str) -> Reply {
    let value = if path.contains("count_tokens") || path.contains(":countTokens") {
        json!({ "input_tokens": 1, "totalTokens": 1 })
    } else if path.contains("/models") {
        json!({ "object": "list", "data": [{ "id": NAME, "object": "model" }], "models": [] })
    } else {
        json!({})
    };
    Reply { kind: JSON, body: value.to_string() }
}

/// Returns the reply that plays `step`; `id` is unique among all replies of a run.
pub(super) fn step_reply(wire: Wire, step: &Step, id: &str, streamed: bool) -> Reply {
    let text = match step {
        Step::Say(text) => Some(text.as_str()),
        Step::Calls(_) => None,
    };
    let calls: Vec<(String, &Call)> = match step {
        Step::Calls(calls) => {
            calls.iter().enumerate().map(|(at, call)| (format!("call_{id}_{at}"), call)).collect()
        }
        Step::Say(_) => Vec::new(),
    };
    match wire {
        Wire::Messages => messages_api_reply(text, &calls, id, streamed),
        Wire::Responses => responses_api_reply(text, &calls, id, streamed),
        Wire::Chat => chat_api_reply(text, &calls, id, streamed),
        Wire::Gemini => gemini_api_reply(text, &calls, streamed),
    }
}

fn json_reply(value: &Value) -> Reply {
    Reply { kind: JSON, body: value.to_string() }
}

/// Returns a reply that streams the events, with their names if `named`.
fn event_stream_reply<'a>(list: impl IntoIterator<Item = &'a Value>, named: bool) -> Reply {
    let mut body = String::new();
    for event in list {
        if let Some(name) = event.get("type").and_then(Value::as_str).filter(|_| named) {
            body.push_str(&format!("event: {name}\n"));
        }
        body.push_str(&format!("data: {event}\n\n"));
    }
    Reply { kind: EVENTS, body }
}

fn messages_api_reply(
    text: Option<&str>,
    calls: &[(String, &Call)],
    id: &str,
    streamed: bool,
) -> Reply {
    let usage = json!({ "input_tokens": 10, "output_tokens": 5 });
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let answer_kind =
        text.map(|text| (json!({ "type": "text", "text": text }), ("text", text.to_owned())));
    let called = calls.iter().map(|(id, call)| {
        let block = json!({ "type": "tool_use", "id": id.replace("call_", "toolu_"), "name": call.name, "input": call.input });
        (block, ("partial_json", call.input.to_string()))
    });
    let blocks: Vec<(Value, (&str, String))> = answer_kind.into_iter().chain(called).collect();
    let mut message = json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": NAME,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if !streamed {
        let content: Vec<_> = blocks.into_iter().map(|(block, _)| block).collect();
        set_field(&mut message, "content", json!(content));
        set_field(&mut message, "stop_reason", json!(reason));
        return json_reply(&message);
    }
    let mut list = vec![json!({ "type": "message_start", "message": message })];
    for (index, (mut block, (key, text))) in blocks.into_iter().enumerate() {
        let kind = if key == "text" { "text_delta" } else { "input_json_delta" };
        let (field, empty) = if key == "text" { ("text", json!("")) } else { ("input", json!({})) };
        set_field(&mut block, field, empty);
        list.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        let mut delta = json!({ "type": kind });
        set_field(&mut delta, key, json!(text));
        list.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        list.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    list.push(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    list.push(json!({ "type": "message_stop" }));
    event_stream_reply(&list, true)
}

fn set_field(value: &mut Value, key: &str, to: Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.insert(key.to_owned(), to);
    }
}

fn responses_api_reply(
    text: Option<&str>,
    calls: &[(String, &Call)],
    id: &str,
    streamed: bool,
) -> Reply {
    let answer_kind = text.map(|text| {
        json!({ "type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
    });
    let called = calls.iter().map(|(id, call)| {
        // Tools may stand in a namespace.
        let (space, name) = call.name.rsplit_once('/').unwrap_or(("", &call.name));
        let mut item = json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
            "arguments": call.input.to_string(), "status": "completed" });
        if !space.is_empty() {
            set_field(&mut item, "namespace", json!(space));
        }
        item
    });
    let output: Vec<Value> = answer_kind.into_iter().chain(called).collect();
    let response = |status: &str, output: &[Value]| {
        json!({ "id": format!("resp_{id}"), "object": "response", "status": status, "model": NAME, "output": output,
            "usage": { "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
                "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15 } })
    };
    let done = response("completed", &output);
    if !streamed {
        return json_reply(&done);
    }
    let mut list =
        vec![json!({ "type": "response.created", "response": response("in_progress", &[]) })];
    for (index, item) in output.iter().enumerate() {
        list.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": item }),
        );
        list.push(
            json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        );
    }
    list.push(json!({ "type": "response.completed", "response": done }));
    event_stream_reply(&list, true)
}

fn chat_api_reply(
    text: Option<&str>,
    calls: &[(String, &Call)],
    id: &str,
    streamed: bool,
) -> Reply {
    let called: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (id, call))| {
            json!({ "index": index, "id": id, "type": "function",
                "function": { "name": call.name, "arguments": call.input.to_string() } })
        })
        .collect();
    let mut json = json!({ "role": "assistant", "content": text });
    if !called.is_empty() {
        set_field(&mut json, "tool_calls", json!(called));
    }
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    let frame = |kind: &str, choice: Value| json!({ "id": format!("chat_{id}"), "object": kind, "created": 1, "model": NAME, "choices": [choice], "usage": usage });
    if !streamed {
        let choice = json!({ "index": 0, "message": json, "finish_reason": reason });
        return json_reply(&frame("chat.completion", choice));
    }
    let kind = "chat.completion.chunk";
    let list = [
        frame(kind, json!({ "index": 0, "delta": json, "finish_reason": null })),
        frame(kind, json!({ "index": 0, "delta": {}, "finish_reason": reason })),
    ];
    let mut reply = event_stream_reply(&list, false);
    reply.body.push_str("data: [DONE]\n\n");
    reply
}

fn gemini_api_reply(text: Option<&str>, calls: &[(String, &Call)], streamed: bool) -> Reply {
    let answer_kind = text.map(|text| json!({ "text": text }));
    let called = calls
        .iter()
        .map(|(_, call)| json!({ "functionCall": { "name": call.name, "args": call.input } }));
    let parts: Vec<Value> = answer_kind.into_iter().chain(called).collect();
    let answer = json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 },
        "modelVersion": NAME,
    });
    if !streamed {
        return json_reply(&answer);
    }
    Reply { kind: EVENTS, body: format!("data: {answer}\r\n\r\n") }
}
