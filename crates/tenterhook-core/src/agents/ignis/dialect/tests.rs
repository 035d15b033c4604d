//! Compares what the dialect of ignis reads and writes with the documentation of the agent.

mod answers;
mod configs;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::*;
use crate::dialect::{Fit, Roots};
use crate::event::{Event, Surroundings};
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("an object") };
    fields
}

fn decode(fields: Value) -> Event {
    let roots = Roots { cwd: "/p".into(), home: "/home/u".into(), ..Roots::default() };
    IGNIS.decode_event(&object(fields), &roots).expect("readable")
}

fn sent(event: &Event) -> Value {
    serde_json::from_slice(&IGNIS.encode_event(event).body).expect("json")
}

/// IG-S1, I-9 to I-12: each event has its neutral name, and is written with the agent's names and
/// order.
#[test]
fn every_event_round_trips_unchanged() {
    for (neutral, form) in [
        (
            "UserPromptSubmit",
            json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/w", "prompt": "hi"}),
        ),
        (
            "MessageDisplay",
            json!({"hook_event_name": "AssistantMessageRender", "session_id": "s", "cwd": "/w", "content": "done"}),
        ),
        (
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "toolName": "bash", "toolInput": {"command": "ls"}}),
        ),
        (
            "PreToolUse",
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "toolName": "mcp__a__b", "toolInput": null}),
        ),
        (
            "PostToolUse",
            json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "toolName": "edit_file", "toolInput": {"path": "a", "old_text": "b", "new_text": "c"}, "toolResult": "ok", "isError": false}),
        ),
        (
            "PostToolUseFailure",
            json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "toolName": "read_file", "toolInput": {"path": "a"}, "toolResult": "no", "isError": true}),
        ),
        (
            "SessionStart",
            json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/w"}),
        ),
        (
            "PreCompact",
            json!({"hook_event_name": "PreCompact", "session_id": "s", "cwd": "/w", "trigger": "auto"}),
        ),
        (
            "OfTomorrow",
            json!({"hook_event_name": "OfTomorrow", "session_id": "s", "cwd": "/w", "x": 1}),
        ),
    ] {
        let event = decode(form.clone());
        assert_eq!(event.name.as_str(), neutral);
        // Compares texts, because maps compare without their order.
        assert_eq!(sent(&event).to_string(), form.to_string());
        let envelope = IGNIS.encode_event(&event);
        assert_eq!(envelope.body.last(), Some(&b'}'), "no line feed");
        assert!(envelope.env.is_empty() && envelope.env_file.is_none());
    }
}

/// I-8, I-11.
#[test]
fn tools_have_neutral_names_and_keys() {
    let event = decode(json!({"hook_event_name": "PreToolUse", "toolName": "edit_file",
        "toolInput": {"path": "a", "old_text": "b", "new_text": "c", "more": 1}}));
    assert_eq!(event.text("tool_name"), Some("Edit"));
    let input = json!({"file_path": "a", "old_string": "b", "new_string": "c", "more": 1});
    assert_eq!(event.payload["tool_input"], input);
    let unknown = decode(
        json!({"hook_event_name": "PreToolUse", "toolName": "list_dir", "toolInput": {"path": "a"}}),
    );
    assert_eq!(unknown.text("tool_name"), Some("list_dir"));
    assert_eq!(unknown.payload["tool_input"], json!({"path": "a"}));
}

/// I-10: an event of another host is written with the agent's names, its result as text and as an
/// object.
#[test]
fn events_of_other_hosts_are_written_with_the_names_of_ignis() {
    let within =
        Surroundings { session_id: "s".into(), cwd: "/w".into(), ..Surroundings::default() };
    let event = Event::new("PostToolUse", within.clone())
        .with("tool_name", "Write")
        .with("tool_input", json!({"file_path": "a", "content": "b"}))
        .with("tool_use_id", "t-1")
        .with("tool_response", json!({"ok": true}));
    assert_eq!(
        sent(&event),
        json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/w", "toolName": "create_file",
            "toolInput": {"path": "a", "content": "b"}, "toolResult": "{\"ok\":true}", "isError": false,
            "toolResponse": {"ok": true}})
    );
    let printed = json!({"stdout": "fine\n", "stderr": "", "interrupted": false});
    let bash = Event::new("PostToolUse", within.clone())
        .with("tool_name", "Bash")
        .with("tool_input", json!({}))
        .with("tool_response", printed.clone());
    assert_eq!(
        (&sent(&bash)["toolResult"], &sent(&bash)["toolResponse"]),
        (&"fine\n".into(), &printed)
    );
    assert_eq!(decode(sent(&bash)).payload["tool_response"], printed);
    let text =
        json!({"hook_event_name": "PostToolUse", "toolName": "bash", "toolResult": "fine\n"});
    assert_eq!(decode(text).payload["tool_response"], "fine\n");
    let failed = Event::new("PostToolUseFailure", within)
        .with("tool_name", "Bash")
        .with("tool_input", json!({}))
        .with("error", "first");
    let rewritten = failed.clone().with("tool_response", "second");
    assert_eq!(sent(&failed)["toolResult"], "first");
    assert_eq!(sent(&rewritten)["toolResult"], "second");
}

/// I-12.
#[test]
fn invalid_event_is_refused_with_the_expected_field() {
    for (form, expected) in [
        (json!({}), "hook_event_name"),
        (json!({"hook_event_name": 1}), "must be a string"),
        (json!({"hook_event_name": "PreToolUse"}), "toolName"),
        (json!({"hook_event_name": "UserPromptSubmit", "prompt": 1}), "`prompt`"),
    ] {
        let fault = IGNIS.decode_event(&object(form), &Roots::default()).expect_err("unreadable");
        assert!(fault.to_string().contains(expected), "{fault}");
    }
}

/// I-1.
#[test]
fn file_is_recognized_by_its_path_or_by_a_key_that_only_ignis_has() {
    let fit = |path: &str, text: &str| {
        let parsed = crate::syntax::parse_by_format(text, crate::syntax::Format::Json);
        IGNIS.recognize_config_file(Path::new(path), parsed.root.as_ref())
    };
    for (path, text, expected) in [
        ("/home/u/.ignis/hooks.json", "{", Fit::Certain),
        ("/a/h.json", r#"{"hooks": {"AssistantMessageRender": [{"command": "x"}]}}"#, Fit::Certain),
        ("/a/h.json", r#"{"hooks": {"PreToolUse": [{"argv": ["x"]}]}}"#, Fit::Certain),
        ("/a/h.json", r#"{"hooks": {"PreToolUse": [{"command": "x"}]}}"#, Fit::Shape),
        ("/a/h.json", r#"{"hooks": {"PreToolUse": [{"hooks": []}]}}"#, Fit::No),
        ("/a/h.json", r#"{"hooks": {"Stop": [{"command": "x"}]}}"#, Fit::No),
        ("/a/h.json", r#"{"name": "x"}"#, Fit::No),
    ] {
        assert_eq!(fit(path, text), expected, "{path} {text}");
    }
    let roots = Roots { home: "/home/u".into(), ..Roots::default() };
    let candidates = IGNIS.candidate_files(&roots);
    assert_eq!(candidates.len(), 1, "no project file");
    assert_eq!(candidates[0].path, Path::new("/home/u/.ignis/hooks.json"));
}
