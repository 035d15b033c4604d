//! Does a model say its script on every wire, and know how far a conversation has come?

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::Model;
use crate::script::{Call, MAIN, Script, Step};

fn asks(model: &Model, path: &str, body: &Value) -> String {
    let address = model.base_url().replace("http://", "");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).expect("it reads");
    stream.shutdown(std::net::Shutdown::Write).expect("one request is all");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it replies");
    reply
}

fn model() -> Model {
    let call = Call { name: "shell".to_owned(), input: json!({ "command": "ls" }) };
    let script =
        Script { main: vec![Step::Calls(vec![call])], sub: vec![Step::Say("SUB".to_owned())] };
    Model::start(script, "shell").expect("a port is free")
}

#[test]
fn a_script_is_said_on_every_wire() {
    let tools = json!([{ "name": "shell", "function": { "name": "shell" }, "functionDeclarations": [{ "name": "shell" }] }]);
    let user = json!({ "role": "user", "content": MAIN });
    let done = |role: &str| json!({ "role": role, "content": "called" });
    let rows = [
        ("/v1/messages", "messages", done("assistant")),
        ("/v1/chat/completions", "messages", done("assistant")),
        ("/v1/responses", "input", json!({ "type": "function_call", "call_id": "call_1_0_0" })),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", "contents", done("model")),
    ];
    for (path, list, answer) in rows {
        for streamed in [true, false] {
            let model = model();
            let first = json!({ "stream": streamed, "tools": tools, list: [user] });
            let second = json!({ "stream": streamed, "tools": tools, list: [user, answer] });
            let reply = asks(&model, path, &first);
            assert!(reply.contains("shell") && reply.contains("ls"), "{path}: {reply}");
            let reply = asks(&model, path, &second);
            assert!(reply.contains(Script::OVER) && !reply.contains("shell"), "{path}: {reply}");
            let steps: Vec<usize> = model.requested_turns().iter().map(|a| a.step).collect();
            assert_eq!(steps, [0, 1], "{path}");
        }
    }
}

#[test]
fn a_request_without_the_tool_is_no_turn_and_one_without_the_prompt_is_a_sub_agents() {
    let model = model();
    let title = json!({ "messages": [{ "role": "user", "content": MAIN }] });
    assert!(asks(&model, "/v1/chat/completions", &title).contains(Script::OVER));
    assert!(model.requested_turns().is_empty());
    let sub = json!({ "tools": [{ "function": { "name": "shell" } }], "messages": [{ "role": "user", "content": "other" }] });
    assert!(asks(&model, "/v1/chat/completions", &sub).contains("SUB"));
    assert!(!model.requested_turns()[0].main);
    assert!(asks(&model, "/v1/models", &json!({})).contains("m1"));
}
