//! Payloads of events, read and written.

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

/// RX-6, RX-7, Ruling 31: every field of every event.
#[test]
fn payloads_round_trip_unchanged() {
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

/// RX-1: event names that other agents use for a different event.
#[test]
fn turn_end_is_neutral_stop_and_stop_is_neutral_turn_complete() {
    let neutral = |name: &str| decode(json!({"event": name})).name.to_string();
    assert_eq!(neutral("TurnEnd"), "Stop");
    assert_eq!(neutral("Stop"), "TurnComplete");
    assert_eq!(neutral("SomethingElse"), "SomethingElse");
}

/// RX-8: the neutral form of a tool call.
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
    // A payload without `toolResponse` reads as the text.
    assert_eq!(decode(payload).payload["tool_response"], done.payload["tool_response"]);
    let text = json!({"event": "PostToolUse", "toolName": "bash", "toolResult": "a\n"});
    assert_eq!(decode(text.clone()).payload["tool_response"], "a\n");
    assert_eq!(encode(&decode(text.clone()))["toolResult"], "a\n");
    assert_eq!(encode(&decode(text)).get("toolResponse"), None);
}

/// RX-6: an event needs its name, and a tool event its tool.
#[test]
fn invalid_payload_is_refused_with_the_missing_field() {
    for (payload, expected) in [
        (json!({}), "expected an object with the text field `event`"),
        (json!({"hook_event_name": "Stop"}), "found `hook_event_name`"),
        (json!({"event": 1}), "`event` must be a string"),
        (json!({"event": "PreToolUse"}), "needs the text field `toolName`"),
        (json!({"event": "PreToolUse", "toolName": []}), "`toolName` must be a string"),
    ] {
        let Value::Object(fields) = payload.clone() else { panic!("an object") };
        let fault = REASONIX.decode_event(&fields, &Roots::default()).expect_err("no event");
        assert!(fault.to_string().contains(expected), "{payload}: {fault}");
    }
    assert_eq!(decode(json!({"event": "Stop", "turn": null, "prompt": null})).payload.len(), 0);
}
