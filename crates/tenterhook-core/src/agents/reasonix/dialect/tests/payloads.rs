//! Events in both directions: what hooks are handed, and what becomes of it in neutral words.

use serde_json::{Value, json};

use crate::dialect::Roots;
use crate::event::Event;

use super::super::REASONIX;

fn decode(json: Value) -> Event {
    let Value::Object(fields) = json else { panic!("an object") };
    REASONIX.decode_event(&fields, &Roots::default()).expect("an event")
}

fn encode(event: &Event) -> Value {
    let envelope = REASONIX.encode_event(event);
    let text = String::from_utf8(envelope.body).expect("text");
    assert!(text.ends_with('\n') && text.lines().count() == 1, "one line: {text:?}");
    assert!(envelope.env.is_empty());
    serde_json::from_str(&text).expect("JSON")
}

/// RX-6, RX-7, Ruling 31: every event there and back, field by field.
#[test]
fn payloads_go_there_and_back() {
    for payload in [
        json!({"event": "SessionStart", "cwd": "/p", "source": "startup"}),
        json!({"event": "TurnStart", "cwd": "/p", "prompt": "fix it", "turn": 2}),
        json!({"event": "PreToolUse", "cwd": "/p", "toolName": "bash", "toolArgs": {"command": "ls"}}),
        json!({"event": "PreToolUse", "cwd": "/p", "toolName": "run_command", "toolArgs": {"command": "ls"}}),
        json!({"event": "PreToolUse", "cwd": "/p", "toolName": "my_tool", "toolArgs": "raw"}),
        json!({"event": "PostToolUse", "cwd": "/p", "toolName": "edit_file",
            "toolArgs": {"path": "a", "search": "x", "replace": "y"}, "toolResult": "ok"}),
        json!({"event": "UserPromptSubmit", "cwd": "/p", "prompt": "fix it"}),
        json!({"event": "PreModelCall", "cwd": "/p", "prompt": "all of it", "turn": 2}),
        json!({"event": "PostModelCall", "cwd": "/p", "text": "done", "usage": {"total": 3}}),
        json!({"event": "TurnEnd", "cwd": "/p", "lastAssistantText": "done", "turn": 2}),
        json!({"event": "Stop", "cwd": "/p", "lastAssistantText": "done", "turn": 7}),
        json!({"event": "SessionEnd", "cwd": "/p", "reason": "exit", "turns": 7}),
        json!({"event": "Notification", "cwd": "/p", "sessionId": "s", "message": "m", "notificationType": "idle"}),
    ] {
        assert_eq!(encode(&decode(payload.clone())), payload);
    }
}

/// RX-1: the names that mean another event elsewhere.
#[test]
fn turn_end_is_stop_and_stop_is_the_end_of_a_turn() {
    let neutral = |name: &str| decode(json!({"event": name})).name.to_string();
    assert_eq!(neutral("TurnEnd"), "Stop");
    assert_eq!(neutral("Stop"), "TurnComplete");
    assert_eq!(neutral("SomethingElse"), "SomethingElse");
}

/// RX-8: what other dialects see of a call.
#[test]
fn tools_have_neutral_names_and_inputs() {
    let edit = decode(json!({"event": "PreToolUse", "toolName": "edit_file",
        "toolArgs": r#"{"path": "a", "search": "x", "replace": "y"}"#}));
    assert_eq!(edit.text("tool_name"), Some("Edit"));
    let input = json!({"file_path": "a", "old_string": "x", "new_string": "y"});
    assert_eq!(edit.payload["tool_input"], input);
    let bash = Event::new("PreToolUse", Default::default())
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "ls"}))
        .with("tool_use_id", "t1");
    let expected = json!({"event": "PreToolUse", "cwd": "", "toolName": "bash",
        "toolArgs": {"command": "ls"}, "toolCallId": "t1"});
    assert_eq!(encode(&bash), expected);
    let done = Event::new("PostToolUse", Default::default())
        .with("tool_name", "Bash")
        .with("tool_response", json!({"stdout": "a\n", "stderr": ""}));
    let payload = encode(&done);
    assert_eq!(payload["toolResult"], "a\n");
    assert_eq!(payload["toolResponse"], json!({"stdout": "a\n", "stderr": ""}));
    // Round trip: a payload without the structure is the text.
    assert_eq!(decode(payload).payload["tool_response"], done.payload["tool_response"]);
    let text = json!({"event": "PostToolUse", "toolName": "bash", "toolResult": "a\n"});
    assert_eq!(decode(text.clone()).payload["tool_response"], "a\n");
    assert_eq!(encode(&decode(text.clone()))["toolResult"], "a\n");
    assert_eq!(encode(&decode(text)).get("toolResponse"), None);
}

/// RX-6: only the name is needed, and of a tool call the tool.
#[test]
fn what_is_no_payload_says_what_is_missing() {
    for (payload, expected) in [
        (json!({}), "expected an object with the text field `event`"),
        (json!({"hook_event_name": "Stop"}), "found `hook_event_name`"),
        (json!({"event": 1}), "`event` must be a string"),
        (json!({"event": "PreToolUse"}), "needs the text field `toolName`"),
        (json!({"event": "PreToolUse", "toolName": []}), "`toolName` must be a string"),
    ] {
        let Value::Object(fields) = payload.clone() else { panic!("an object") };
        let fault = REASONIX.decode_event(&fields, &Roots::default()).expect_err("no event");
        assert!(fault.message.contains(expected), "{payload}: {}", fault.message);
    }
    assert_eq!(decode(json!({"event": "Stop", "turn": null, "prompt": null})).payload.len(), 0);
}
