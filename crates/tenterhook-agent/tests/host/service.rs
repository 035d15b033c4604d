//! A model of a service that says what a case wants, and keeps every request as it came.

use serde_json::json;
use tenterhook_testkit::server::{self, Server};

use super::case::Reply;

/// The configuration that makes the agent use it.
pub(crate) const MODEL: &str = "openai::some-model";

/// Starts it.
pub(crate) fn start(replies: &[Reply]) -> Server {
    let done = Reply { text: "done".to_owned(), ..Reply::default() };
    let mut calls = 0;
    let then = replies.iter().chain([&done]).map(|reply| encode(reply, &mut calls)).collect();
    Server::start(server::Reply { then, ..server::Reply::default() }).unwrap()
}

/// The variables by which it is found.
pub(crate) fn env(server: &Server) -> [(String, String); 2] {
    [
        ("OPENAI_API_KEY".to_owned(), "key-of-the-service".to_owned()),
        ("OPENAI_BASE_URL".to_owned(), server.url()),
    ]
}

fn encode(reply: &Reply, calls: &mut usize) -> server::Reply {
    if let Some(status) = reply.status {
        let body = json!({"error": {"type": "error", "message": reply.text}}).to_string();
        return server::Reply { status, ..server::Reply::json(&body) }.header("retry-after", "0");
    }
    if reply.whole {
        let message = json!({"role": "assistant", "content": reply.text});
        let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
        return server::Reply::json(&json!({"choices": [choice]}).to_string());
    }
    let mut events = Vec::new();
    if !reply.text.is_empty() {
        events.push(json!({"choices": [{"index": 0, "delta": {"content": reply.text}}]}));
    }
    for (index, call) in reply.call.iter().enumerate() {
        *calls += 1;
        let function = json!({"name": call.tool, "arguments": call.input.to_string()});
        let id = format!("c-{calls}");
        let call = json!({"index": index, "id": id, "type": "function", "function": function});
        events.push(json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}));
    }
    let why = if reply.call.is_empty() { "stop" } else { "tool_calls" };
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": why}]}));
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}}));
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    let body = lines.chain(["data: [DONE]\n\n".to_owned()]).collect();
    server::Reply { body, ..server::Reply::default() }.header("content-type", "text/event-stream")
}
