//! Compares the dialect with the code of Auggie 0.36.0. No test here stands in for a running Auggie.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::AUGMENT;
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Run};
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, judge_answer};

fn read(text: &str, compat: Compat) -> ReadConfig {
    let name = "/p/.augment/settings.json";
    let source = Source::from_text(name, DialectId::AUGMENT, text, "/p/.augment");
    AUGMENT.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    AUGMENT
        .decode_event(fields.as_object().expect("an object"), &Roots::default())
        .expect("an event")
}

fn call(tool: &str, input: &Value, is_mcp: bool) -> Value {
    json!({"hook_event_name": "PreToolUse", "conversation_id": "s", "workspace_roots": ["/p"],
        "tool_name": tool, "tool_input": input, "tool_error": null, "is_mcp_tool": is_mcp})
}

/// AU-20, AU-21: payloads of the shape in the code are neutral here and come out as they were.
#[test]
fn payloads_of_the_code_round_trip() {
    let edit = json!({"command": "str_replace", "path": "a", "old_str_1": "a", "new_str_1": "b"});
    for (tool, input, is_mcp, neutral) in [
        ("launch-process", json!({"command": "ls", "cwd": "/p"}), false, "Bash"),
        ("str-replace-editor", edit, false, "Edit"),
        ("create_issue_github-mcp", json!({"title": "x"}), true, "mcp__github-mcp__create_issue"),
    ] {
        let given = call(tool, &input, is_mcp);
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), Some(neutral));
        assert_eq!(event.within.cwd, Path::new("/p"));
        let envelope = AUGMENT.encode_event(&event);
        let written: Value = serde_json::from_slice(&envelope.body).expect("JSON");
        assert_eq!(written, given);
        assert!(envelope.env.contains(&("AUGMENT_TOOL_NAME".to_owned(), tool.to_owned())));
    }
}

/// AU-40, AU-41: what the code makes of each answer before a tool.
#[test]
fn answers_before_a_tool_are_read_as_in_the_code() {
    let nested = |word: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}"}}}}"#
        )
    };
    let unnamed = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
    let flat = r#"{"decision":"block","reason":"R"}"#;
    let table: &[(&str, i32, bool, bool)] = &[
        (&nested("deny"), 0, true, true),
        (r#"{"continue":false,"stopReason":"R"}"#, 0, true, true),
        ("", 2, true, true),
        (&nested("deny"), 1, false, true),
        (&nested("DENY"), 0, false, true),
        (unnamed, 0, false, true),
        (flat, 0, false, true),
        ("", 1, false, false),
        ("text", 0, false, false),
        (&nested("allow"), 0, false, false),
    ];
    let event = decode_event(&call("launch-process", &json!({"command": "ls"}), false));
    let row = AUGMENT.event_row(&event.name).expect("a row");
    for (stdout, code, exact, guarded) in table {
        let said = StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: b""[..].into() };
        let report = Report { said, ..Report::without_output(End::Exited(*code), Duration::ZERO) };
        for (compat, denies) in [(Compat::Exact, exact), (Compat::Guarded, guarded)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let id = DialectId::AUGMENT;
            let mut hook = Hook::new(HookId::new("h"), id, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = AUGMENT.read_answer(&event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint > Restraint::Allow, *denies, "{stdout} {code} {compat:?}");
        }
    }
}

/// AU-10: an expression without `mcp:` selects no tool of an MCP server.
#[test]
fn matcher_selects_tools_or_mcp_tools() {
    let matches = |matcher: &str, tool: &str| {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
        );
        let read = read(&text, Compat::Guarded);
        read.hooks[0].matcher.matches(Some(tool)).expect("an expression")
    };
    for (matcher, tool, expected) in [
        (".*", "mcp__github__delete", true),
        ("delete", "mcp__github__delete", false),
        ("mcp:*", "mcp__github__delete", true),
        ("mcp:*", "launch-process", false),
        ("launch", "launch-process", true),
        ("^process", "launch-process", false),
        ("save-file|view", "view", true),
    ] {
        assert_eq!(matches(matcher, tool), expected, "{matcher} {tool}");
    }
}

/// AU-6: one invalid value drops all hooks of the event in that file, and no other hook.
#[test]
fn invalid_value_drops_the_hooks_of_its_event() {
    let good = r#"{"hooks": [{"type": "command", "command": "a"}]}"#;
    for bad in [
        r#"{"matcher": "*", "hooks": []}"#,
        r#"{"hooks": [{"command": "a"}]}"#,
        r#"{"hooks": [{"type": "command", "command": "a", "timeout": 0}]}"#,
        r#"{"hooks": [{"type": "command", "command": "a", "timeout": "5"}]}"#,
        r#"{"matcher": "x"}"#,
    ] {
        let text = format!(r#"{{"hooks": {{"PreToolUse": [{good}, {bad}], "Stop": [{good}]}}}}"#);
        let exact = read(&text, Compat::Exact);
        let says = exact
            .diagnostics
            .iter()
            .any(|found| found.message.contains("runs no hook of `PreToolUse`, in this file"));
        assert!(says, "{bad}: {:?}", exact.diagnostics);
        let armed = exact.hooks.iter().filter(|hook| hook.arming == Arming::Armed);
        assert!(armed.clone().all(|hook| hook.event.as_str() == "Stop"), "{bad}");
        assert_eq!(armed.count(), 1, "{bad}");
    }
}

/// AU-1, AU-3, AU-7, AU-8.
#[test]
fn settings_are_read_with_timeouts_in_milliseconds() {
    let text = r#"{"model": "x", /* JSON5 */ "hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "a", "timeout": 5000}], "metadata": {}}],
        "PromptSubmit": [{"hooks": [{"type": "command", "command": "b", "args": ["c"]}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "d"}]}]}}"#;
    let read = read(text, Compat::Guarded);
    assert_eq!(codes(&read), ["unknown-event"], "{:?}", read.diagnostics);
    assert_eq!(read.hooks[0].timeout, Some(Duration::from_secs(5)));
    assert_eq!(read.hooks[1].event.as_str(), "UserPromptSubmit");
    for (path, fit) in [
        ("/h/.augment/settings.json", Fit::Certain),
        ("/p/.augment/settings.local.json", Fit::Certain),
        ("/p/settings.json", Fit::No),
    ] {
        assert_eq!(AUGMENT.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}
