//! Compares the dialect with the observed behaviour of Kimi Code CLI 2.1.0.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::KIMI;
use crate::dialect::{Cap, DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Run};
use crate::source::{Plugin, ReadConfig, Source};

fn read_file_as(compat: Compat, text: &str) -> ReadConfig {
    let name = "/h/.kimi-code/config.toml";
    let source = Source::from_text(name, DialectId::KIMI, text, "/h/.kimi-code");
    KIMI.read_config(&Source { compat, ..source })
}

fn read_file(text: &str) -> ReadConfig {
    read_file_as(Compat::Guarded, text)
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    KIMI.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p",
        "client_type": "kimi_code_cli", "tool_name": tool, "tool_input": input, "tool_call_id": "c"})
}

/// KM-20, KM-30: an observed payload is neutral here and comes out as it was.
#[test]
fn observed_payloads_round_trip_unchanged() {
    let about = |event: &str, fields: Value| {
        let mut payload = json!({"hook_event_name": event, "session_id": "s", "cwd": "/p", "client_type": "kimi_code_cli"});
        payload
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().cloned().expect("an object"));
        payload
    };
    let image = json!([{"type": "text", "text": "look"}, {"type": "image_url", "url": "x"}]);
    for (given, tool) in [
        (call("Bash", &json!({"command": "ls", "timeout": 20})), Some("Bash")),
        (call("Read", &json!({"path": "/p/a", "n_lines": 3})), Some("Read")),
        (call("FetchURL", &json!({"url": "https://a"})), Some("WebFetch")),
        (call("mcp__db__query", &json!({"sql": "x"})), Some("mcp__db__query")),
        (
            about(
                "UserPromptSubmit",
                json!({"prompt": [{"type": "text", "text": "go"}], "is_steer": false}),
            ),
            None,
        ),
        (about("UserPromptSubmit", json!({"prompt": image})), None),
        (about("Stop", json!({"stop_hook_active": false})), None),
        (about("SubagentStop", json!({"agent_name": "coder", "response": "done"})), None),
        (
            about(
                "PostToolUseFailure",
                json!({"tool_name": "Bash", "tool_input": {"command": "false"},
                "tool_call_id": "c", "error": {"code": "internal", "message": "x", "retryable": false}}),
            ),
            Some("Bash"),
        ),
    ] {
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), tool);
        let written: Value = serde_json::from_slice(&KIMI.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given);
    }
}

/// KM-20: fields that hold a text elsewhere are texts.
#[test]
fn prompt_and_error_are_texts() {
    let prompt = decode_event(&json!({"hook_event_name": "UserPromptSubmit", "client_type": "x",
        "prompt": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]}));
    assert_eq!(prompt.text("prompt"), Some("a b"));
    let failure =
        decode_event(&json!({"hook_event_name": "PostToolUseFailure", "client_type": "x",
        "tool_name": "Bash", "tool_input": {}, "tool_call_id": "c", "error": {"message": "m"}}));
    assert_eq!((failure.text("error"), failure.text("tool_use_id")), (Some("m"), Some("c")));
}

/// KM-1: other agents list hooks in the same form.
#[test]
fn files_are_recognized_by_their_path_alone() {
    for (path, fit) in [
        ("/h/.kimi-code/config.toml", Fit::Certain),
        ("/h/.codex/config.toml", Fit::No),
        ("/p/hooks.toml", Fit::No),
        ("/p/kimi.plugin.json", Fit::Certain),
        ("/p/.kimi-plugin/plugin.json", Fit::Certain),
        ("/p/plugin.json", Fit::No),
    ] {
        assert_eq!(KIMI.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}

/// KM-3, KM-8, KM-10: the keys of an entry.
#[test]
fn keys_of_entries_are_read() {
    let read = read_file(
        "default_model = \"m1\"\n[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Edit|Bas\"\ncommand = \"a\"\ntimeout = 5.0\n[[hooks]]\nevent = \"Stop\"\ncommand = \"b\"\n",
    );
    assert_eq!(codes(&read), [""; 0], "{:?}", read.diagnostics);
    let [first, second] = read.hooks.as_slice() else { panic!("two hooks: {:?}", read.hooks) };
    assert_eq!((first.timeout, second.timeout), (Some(Duration::from_secs(5)), None));
    let picks = |tool: &str| first.matcher.matches(Some(tool)) == Ok(true);
    assert!(picks("Bash") && !picks("bash") && !picks("Read"));
}

/// KM-4: one such value switches every hook off in Kimi Code CLI.
#[test]
fn one_wrong_value_stops_all_entries() {
    let good = "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"a\"\n";
    for bad in [
        "event = \"Nope\"\ncommand = \"b\"",
        "event = \"Stop\"",
        "event = \"Stop\"\ncommand = \"\"",
        "command = \"b\"",
        "event = \"Stop\"\ncommand = \"b\"\nname = \"x\"",
        "event = \"Stop\"\ncommand = \"b\"\nfail_mode = \"closed\"",
        "event = \"PreToolUse\"\ncommand = \"b\"\nmatcher = [\"a\"]",
        "event = \"Stop\"\ncommand = \"b\"\ntimeout = 0",
        "event = \"Stop\"\ncommand = \"b\"\ntimeout = 601",
        "event = \"Stop\"\ncommand = \"b\"\ntimeout = 1.5",
        "event = \"Stop\"\ncommand = \"b\"\ntimeout = \"5\"",
    ] {
        let text = format!("{good}[[hooks]]\n{bad}\n");
        let exact = read_file_as(Compat::Exact, &text);
        let is_armed = |read: &ReadConfig| read.hooks[0].arming == Arming::Armed;
        let refuses = |read: &ReadConfig| {
            read.diagnostics.iter().any(|found| found.message.contains("refuses the whole file"))
        };
        assert!(!is_armed(&exact) && refuses(&exact), "{bad}: {:?}", exact.diagnostics);
        let guarded = read_file(&text);
        assert!(is_armed(&guarded) && refuses(&guarded), "{bad}: {:?}", guarded.diagnostics);
    }
    let table = read_file_as(Compat::Exact, "[hooks]\nPreToolUse = [{ command = \"a\" }]\n");
    assert!(table.hooks.is_empty() && !table.diagnostics.is_empty(), "{:?}", table.diagnostics);
}

/// KM-5.
#[test]
fn wrong_entry_of_a_plugin_is_skipped_alone() {
    let manifest = |compat| {
        let text = r#"{"name": "p", "hooks": [
            {"event": "PreToolUse", "command": "a", "matcher": "^Bash$"},
            {"event": "Stop", "command": "b", "name": "x"},
            {"event": "Nope", "command": "c"},
            {"event": "Stop", "command": "d", "timeout": 3}]}"#;
        let source = Source::from_text("/p/kimi.plugin.json", DialectId::KIMI, text, "/p");
        let plugin = Plugin { name: "p".into(), root: "/p".into(), data: "/h/.kimi-code".into() };
        KIMI.read_config(&Source { compat, plugin: Some(plugin), ..source })
    };
    let armed = |compat| {
        let read = manifest(compat);
        read.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect::<Vec<_>>()
    };
    assert_eq!(armed(Compat::Exact), [true, false, false, true]);
    assert_eq!(armed(Compat::Guarded), [true, true, false, true]);
    let read = manifest(Compat::Guarded);
    assert!(!read.diagnostics.iter().any(|found| found.message.contains("whole file")));
    let Run::Command(command) = &read.hooks[0].run else { panic!("{:?}", read.hooks) };
    assert_eq!(command.cwd.as_deref(), Some(Path::new("/p")));
    let env = [("KIMI_CODE_HOME", "/h/.kimi-code"), ("KIMI_PLUGIN_ROOT", "/p")];
    assert_eq!(command.env, env.map(|(name, path)| (name.to_owned(), path.to_owned())));
}

/// KM-10, KM-11: what Kimi Code CLI never runs.
#[test]
fn matchers_that_match_nothing_are_reported() {
    for (event, matcher, code, runs) in [
        ("PreToolUse", "*", Some("invalid-matcher"), true),
        ("PreToolUse", "(?i)bash", Some("invalid-matcher"), true),
        ("PreToolUse", "bash", Some("dead-matcher"), true),
        ("Stop", "Bash", Some("dead-matcher"), false),
        ("Stop", ".*", None, true),
        ("UserPromptSubmit", "^go$", None, true),
    ] {
        let read = read_file(&format!(
            "[[hooks]]\nevent = \"{event}\"\nmatcher = '{matcher}'\ncommand = \"a\"\n"
        ));
        assert_eq!(codes(&read).first().copied(), code, "{matcher}: {:?}", read.diagnostics);
        assert_eq!(read.hooks[0].arming == Arming::Armed, runs, "{matcher}");
    }
}

/// KM-42.
#[test]
fn end_of_a_turn_bears_one_denial() {
    let stop = KIMI.event_rows().iter().find(|row| row.name == "Stop").expect("a row");
    assert_eq!(stop.cap, Some(Cap::continue_after(1)));
}
