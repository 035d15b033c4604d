//! Compares the dialect with the observed behaviour of Hermes 0.19.0.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::HERMES;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Invocation, OnFailure, Run};
use crate::source::{ReadConfig, Source};

fn read_file(text: &str) -> ReadConfig {
    let name = "/h/.hermes/config.yaml";
    HERMES.read_config(&Source::from_text(name, DialectId::HERMES, text, "/h/.hermes"))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    HERMES
        .decode_event(fields.as_object().expect("an object"), &Roots::default())
        .expect("an event")
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"hook_event_name": "pre_tool_call", "tool_name": tool, "tool_input": input,
        "session_id": "s", "cwd": "/p", "extra": {"task_id": "t", "tool_call_id": "c"}})
}

/// HE-20, HE-30: observed payloads.
#[test]
fn observed_payloads_round_trip_unchanged() {
    let edit = json!({"mode": "replace", "path": "/p/a", "old_string": "a", "new_string": "b"});
    let patch = json!({"mode": "patch", "patch": "*** Add File: a\n+b"});
    let prompt = json!({"hook_event_name": "pre_llm_call", "tool_name": null, "tool_input": null,
        "session_id": "s", "cwd": "/p", "extra": {"user_message": "P", "model": "m1", "sender_id": ""}});
    for (given, tool) in [
        (call("terminal", &json!({"command": "ls", "background": true})), Some("Bash")),
        (call("patch", &edit), Some("Edit")),
        (call("patch", &patch), Some("apply_patch")),
        (call("delegate_task", &json!({"goal": "g"})), Some("Agent")),
        (call("mcp__a__b", &json!({"x": 1})), Some("mcp__a__b")),
        (call("process", &json!({"action": "poll"})), Some("process_manage")),
        (call("todo", &json!({"todos": []})), Some("TodoWrite")),
        (prompt, None),
    ] {
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), tool);
        let written: Value =
            serde_json::from_slice(&HERMES.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given);
    }
}

/// HE-20: the event's own fields get their neutral names.
#[test]
fn fields_of_extra_have_neutral_names() {
    let event = decode_event(&json!({"hook_event_name": "post_tool_call", "tool_name": "terminal",
        "tool_input": {"command": "ls"}, "session_id": "s", "cwd": "/p",
        "extra": {"result": "{\"output\": \"x\"}", "tool_call_id": "c", "status": "ok"}}));
    assert_eq!(event.name.as_str(), "PostToolUse");
    assert_eq!(event.text("tool_use_id"), Some("c"));
    assert_eq!(event.text("tool_response"), Some("{\"output\": \"x\"}"));
    let prompt = decode_event(&json!({"hook_event_name": "pre_llm_call", "tool_name": null,
        "tool_input": null, "session_id": "s", "cwd": "/p", "extra": {"user_message": "P"}}));
    assert_eq!((prompt.name.as_str(), prompt.text("prompt")), ("UserPromptSubmit", Some("P")));
}

/// HE-31: what runs a command under another name is judged as the shell.
#[test]
fn code_and_typed_text_are_commands_of_the_shell() {
    let typed =
        |action: &str, data: Value| json!({"action": action, "session_id": "p", "data": data});
    for (tool, input, expected) in [
        ("execute_code", json!({"code": "print('x')"}), Some("python3 -c 'print('\\''x'\\'')'")),
        ("browser_exec", json!({"code": "1"}), Some("python3 -c 1")),
        ("process", typed("submit", "ls".into()), Some("ls")),
        ("process", typed("write", "ls".into()), Some("ls")),
        ("process_manage", typed("submit", "ls".into()), Some("ls")),
        ("process_manage", typed("write", 5.into()), Some("5")),
        ("process_manage", typed("poll", "x".into()), None),
        ("process", typed("submit", Value::Null), None),
        ("execute_code", json!({}), None),
    ] {
        let event = decode_event(&call(tool, &input));
        let is_shell = event.text("tool_name") == Some("Bash");
        assert_eq!(is_shell, expected.is_some(), "{tool} {input}");
        let command = event.payload["tool_input"].get("command").and_then(Value::as_str);
        assert_eq!(command, expected, "{tool} {input}");
        let written: Value =
            serde_json::from_slice(&HERMES.encode_event(&event).body).expect("JSON");
        assert_eq!(written["tool_name"], tool, "a hook of Hermes gets Hermes's name");
    }
}

/// HE-9.
#[test]
fn hook_that_fails_closed_blocks_before_a_tool_only() {
    for (event, field, blocks) in [
        ("pre_tool_call", "fail_closed: true", true),
        ("pre_tool_call", "failClosed: true", true),
        ("pre_tool_call", "fail_closed: false\n      failClosed: true", false),
        ("pre_tool_call", "timeout: 5", false),
        ("pre_verify", "fail_closed: true", false),
    ] {
        let read = read_file(&format!("hooks:\n  {event}:\n    - command: a\n      {field}\n"));
        assert_eq!(codes(&read), [""; 0], "{:?}", read.diagnostics);
        let [hook] = read.hooks.as_slice() else { panic!("one hook: {:?}", read.hooks) };
        assert_eq!(hook.on_failure == Some(OnFailure::Block), blocks, "{event} {field}");
    }
}

/// HE-7, HE-10, C-144: no findings of what is in order, or below a name that no event has.
#[test]
fn variables_mcp_patterns_and_entries_of_no_event_are_not_reported() {
    for (hooks, expected) in [
        ("pre_tool_call:\n    - command: a ${X} sh", &[][..]),
        ("pre_tool_call:\n    - command: sh -c 'echo $X' $X", &[]),
        ("pre_tool_call:\n    - command: a\n      matcher: .*publish.*", &[]),
        ("pre_tool_call:\n    - command: a\n      matcher: .*Update|.*(e|mail).*", &[]),
        ("pre_tool_call:\n    - command: a\n      matcher: .*\\.py", &["dead-matcher"]),
        ("xyzzy:\n    - url: a\n      b: c", &["unknown-event"]),
        ("pre_tool_cal:\n    - x: a\n      command: b", &["unknown-event", "unknown-entry-field"]),
    ] {
        let read = read_file(&format!("hooks:\n  {hooks}\n"));
        assert_eq!(codes(&read), expected, "{hooks}: {:?}", read.diagnostics);
    }
    let read = read_file("hooks:\n  pre_tool_call:\n    - command: a\n      matcher: '.*\\.py'\n");
    let help = read.diagnostics.first().and_then(|found| found.help.as_deref()).unwrap_or_default();
    assert!(help.contains("`patch|write_file`"), "{help}");
}

/// HE-2, HE-3: what later releases know is no finding.
#[test]
fn events_of_later_releases_are_known() {
    let read = read_file(
        "hooks:\n  outbound:\n    - url: https://x\n      events: [on_session_end]\n  on_stream_end:\n    - command: a\n  on_kanban_dispatch_tick:\n    - command: a\n",
    );
    assert_eq!(codes(&read), [""; 0], "{:?}", read.diagnostics);
    assert_eq!(read.hooks.len(), 2);
}

/// HE-1.
#[test]
fn files_are_recognized_by_path_or_event() {
    let hooks = "hooks:\n  pre_tool_call: []\n";
    for (path, text, fit) in [
        ("/h/.hermes/config.yaml", "a: 1", Fit::Certain),
        ("/etc/hermes/config.yaml", "a: 1", Fit::Certain),
        ("/h/x.yaml", hooks, Fit::Shape),
        ("/h/x.json", hooks, Fit::No),
        ("/h/config.yaml", "hooks:\n  PreToolUse: []\n", Fit::No),
    ] {
        let root = crate::syntax::parse_by_format(text, crate::syntax::Format::Yaml).root;
        assert_eq!(HERMES.recognize_config_file(Path::new(path), root.as_ref()), fit, "{path}");
    }
}

/// HE-2, HE-7, HE-8, HE-10: the fields of an entry.
#[test]
fn fields_of_entries_are_read() {
    let read = read_file(
        "# mine\nmodel: {default: m1}\nhooks:\n  output_spill: {max_bytes: 10}\n  pre_tool_call:\n    - matcher: termin.*\n      command: ~/h.py \"a b\"\n      timeout: 900\n    - command: b\n      matcher: '['\n  post_tool_call:\n",
    );
    assert_eq!(codes(&read), ["invalid-matcher"], "{:?}", read.diagnostics);
    let [first, second] = read.hooks.as_slice() else { panic!("two hooks: {:?}", read.hooks) };
    assert_eq!(first.timeout, Some(Duration::from_mins(5)));
    let Run::Command(command) = &first.run else { panic!("a command") };
    let Invocation::Argv { args, .. } = &command.invocation else { panic!("no shell") };
    assert_eq!(args, &["a b"]);
    let picks = |hook: &crate::hook::Hook, tool: &str| hook.matcher.matches(Some(tool)) == Ok(true);
    assert!(picks(first, "terminal") && !picks(first, "read_file"));
    assert!(!picks(second, "terminal"), "an invalid expression is a name");
}

/// HE-3, HE-7: what Hermes skips, and what no shell reads.
#[test]
fn entries_that_never_run_are_reported() {
    for (hooks, code, runs) in [
        ("pre_tool_use:\n    - command: a", "unknown-event", false),
        ("pre_tool_call:\n    command: a", "event-value-is-object-not-array", false),
        ("pre_tool_call:\n    - matcher: x", "handler-missing-field", false),
        ("pre_tool_call:\n    - command: a 'b", "command-without-shell", false),
        ("pre_tool_call:\n    - command: a || exit 2", "command-without-shell", true),
        ("pre_tool_call:\n    - command: a --goal $TOOL", "command-without-shell", true),
        ("pre_llm_call:\n    - command: a\n      matcher: terminal", "matcher-ignored", true),
        ("pre_tool_call:\n    - command: a\n      type: command", "unknown-entry-field", true),
    ] {
        let read = read_file(&format!("hooks:\n  {hooks}\n"));
        assert_eq!(codes(&read).first().copied(), Some(code), "{hooks}: {:?}", read.diagnostics);
        let armed = read.hooks.iter().any(|hook| hook.arming == Arming::Armed);
        assert_eq!(armed, runs, "{hooks}");
    }
}
