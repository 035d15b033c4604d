//! Compares the dialects with the payloads and files of Kiro's documents, of its public source and of
//! what others recorded. No test here stands in for a running Kiro.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{DEFINITION, Dialect, KIRO};
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Run};
use crate::matcher::MatcherSpec;
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Format};
use crate::verdict::{JudgeContext, judge_answer};

fn read(dialect: &Dialect, name: &str, text: &str) -> ReadConfig {
    dialect.read_config(&Source::from_text(name, dialect.id(), text, "/p"))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn armed(read: &ReadConfig) -> Vec<bool> {
    read.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect()
}

fn decode_event(fields: &Value) -> Event {
    KIRO.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn encode_event(dialect: &Dialect, event: &Event) -> Value {
    serde_json::from_slice(&dialect.encode_event(event).body).expect("JSON")
}

/// KR-20, KR-21: the recorded payloads of the agent engine are neutral here and come out as they
/// were.
#[test]
fn payloads_of_the_engine_round_trip() {
    for (event, tool, input, neutral, neutral_input) in [
        (
            "PreToolUse",
            "execute_bash",
            json!({"command": "ls", "cwd": "/p", "run_in_background": false, "timeout": 9}),
            "Bash",
            json!({"command": "ls", "cwd": "/p", "run_in_background": false, "timeout": 9}),
        ),
        (
            "PreToolUse",
            "fs_write",
            json!({"path": "/p/a", "text": "b"}),
            "Write",
            json!({"file_path": "/p/a", "content": "b"}),
        ),
        (
            "PostToolUse",
            "str_replace",
            json!({"path": "/p/a", "oldStr": "a", "newStr": "b", "replace_all": true}),
            "Edit",
            json!({"file_path": "/p/a", "old_string": "a", "new_string": "b", "replace_all": true}),
        ),
        ("PreToolUse", "mcp_db_drop", json!({"t": 1}), "mcp__db__drop", json!({"t": 1})),
        (
            "PreToolUse",
            "execute_pwsh",
            json!({"command": "dir"}),
            "PowerShell",
            json!({"command": "dir"}),
        ),
    ] {
        let given = json!({"session_id": "sess_1", "hook_event_name": event, "cwd": "/p",
            "tool_name": tool, "tool_input": input});
        let decoded = decode_event(&given);
        assert_eq!(decoded.text("tool_name"), Some(neutral), "{given}");
        assert_eq!(decoded.payload["tool_input"], neutral_input, "{given}");
        assert_eq!(decoded.within.session_id, "sess_1");
        assert_eq!(encode_event(&KIRO, &decoded), given);
    }
    let prompt = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": "hi"});
    assert_eq!(encode_event(&KIRO, &decode_event(&prompt)), prompt);
}

/// KR-21: a command that runs beside the session is a command.
#[test]
fn background_process_is_the_shell_where_it_starts_a_command() {
    for (input, expected) in [
        (json!({"action": "start", "command": "ls"}), "Bash"),
        (json!({"action": "stop", "processId": 1}), "control_bash_process"),
    ] {
        let event = decode_event(&json!({"hook_event_name": "PreToolUse",
            "tool_name": "control_bash_process", "tool_input": input}));
        assert_eq!(event.text("tool_name"), Some(expected));
    }
}

/// KR-22: the payloads of the command line 2.x.
#[test]
fn payloads_of_2_x_round_trip() {
    for (tool, input, neutral, neutral_input) in [
        ("execute_bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
        (
            "fs_read",
            json!({"operations": [{"mode": "Line", "path": "/p/a"}]}),
            "Read",
            json!({"mode": "Line", "file_path": "/p/a"}),
        ),
        (
            "fs_read",
            json!({"operations": [{"mode": "Line", "path": "/a"}, {"mode": "Line", "path": "/b"}]}),
            "Read",
            json!({"operations": [{"mode": "Line", "path": "/a"}, {"mode": "Line", "path": "/b"}]}),
        ),
        (
            "fs_write",
            json!({"command": "create", "path": "/p/a", "file_text": "b"}),
            "Write",
            json!({"file_path": "/p/a", "content": "b"}),
        ),
        (
            "fs_write",
            json!({"command": "str_replace", "path": "/p/a", "old_str": "a", "new_str": "b"}),
            "Edit",
            json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"}),
        ),
        ("@db/drop", json!({"t": 1}), "mcp__db__drop", json!({"t": 1})),
    ] {
        let given = json!({"hook_event_name": "preToolUse", "session_id": "s", "cwd": "/p",
            "tool_name": tool, "tool_input": input});
        let decoded = decode_event(&given);
        assert_eq!(decoded.name.as_str(), "PreToolUse");
        assert_eq!(decoded.text("tool_name"), Some(neutral), "{given}");
        assert_eq!(decoded.payload["tool_input"], neutral_input, "{given}");
        assert_eq!(encode_event(&DEFINITION, &decoded), given);
    }
    let stop = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "stop", "assistant_response": "done"});
    let decoded = decode_event(&stop);
    assert_eq!(decoded.text("last_assistant_message"), Some("done"));
    assert_eq!(encode_event(&DEFINITION, &decoded), stop);
}

/// KR-20: what a gate cannot judge is no event.
#[test]
fn call_without_its_tool_is_no_event() {
    for fields in [json!({"hook_event_name": "PreToolUse"}), json!({"tool_name": "execute_bash"})] {
        let fields = fields.as_object().expect("an object");
        assert!(KIRO.decode_event(fields, &Roots::default()).is_err(), "{fields:?}");
    }
}

/// KR-3, KR-4.
#[test]
fn hooks_of_a_file_are_read() {
    let text = r#"{"version": "v1", "hooks": [
        {"name": "a", "trigger": "PreToolUse", "matcher": "fs_write|str_replace", "timeout": 30,
         "action": {"type": "command", "command": "a"}},
        {"name": "b", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "test it"}},
        {"name": "c", "trigger": "Stop", "enabled": false, "action": {"type": "command", "command": "c"}},
        {"name": "d", "trigger": "preToolUse", "action": {"type": "command", "command": "d"}},
        {"trigger": "Stop", "command": "e"},
        {"name": "f", "trigger": "PostFileSave", "matcher": "\\.ts$", "action": {"type": "command", "command": "f"}}]}"#;
    let read = read(&KIRO, "/p/.kiro/hooks/a.json", text);
    let expected = [
        "handler-type-not-accepted",
        "wrong-case-event",
        "unknown-entry-field",
        "handler-missing-field",
        "handler-missing-field",
    ];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    assert_eq!(armed(&read), [true, false, false, false, false, true]);
    let first = &read.hooks[0];
    assert_eq!(*first.matcher.spec(), MatcherSpec::Regex("fs_write|str_replace".to_owned()));
    assert_eq!(first.timeout, Some(Duration::from_secs(30)));
}

/// KR-3: Kiro reads no hook of a file without its version; a guarded reading runs them.
#[test]
fn file_without_the_version_is_refused() {
    let hook = r#""hooks": [{"name": "a", "trigger": "Stop", "action": {"type": "command", "command": "a"}}]"#;
    for text in [format!("{{{hook}}}"), format!(r#"{{"version": "1.0.0", {hook}}}"#)] {
        let name = "/p/.kiro/hooks/a.json";
        let source = Source::from_text(name, DialectId::KIRO, &text, "/p");
        let guarded = KIRO.read_config(&source);
        assert_eq!((codes(&guarded), armed(&guarded)), (vec!["no-effect"], vec![true]), "{text}");
        let exact = KIRO.read_config(&Source { compat: Compat::Exact, ..source });
        assert_eq!(armed(&exact), [false], "{text}");
    }
    let old = r#"{"version": "1.0.0", "name": "a", "when": {"type": "preToolUse"}, "then": {"type": "runCommand", "command": "a"}}"#;
    let read = read(&KIRO, "/p/.kiro/hooks/a.json", old);
    assert_eq!((codes(&read), read.hooks.len()), (vec!["no-effect"], 0));
}

/// KR-5: a definition that Kiro migrated holds the list, with the triggers of 2.x.
#[test]
fn migrated_definition_is_read_with_its_old_triggers() {
    let text = r#"{"name": "x", "hooks": [{"name": "agentSpawn-0", "trigger": "agentSpawn", "timeout": 10,
        "action": {"type": "command", "command": "git status"}}]}"#;
    let read = read(&KIRO, "/p/.kiro/agents/x.json", text);
    assert_eq!((codes(&read), armed(&read)), (vec![], vec![true]));
    assert_eq!(read.hooks[0].event.as_str(), "SessionStart");
}

/// KR-6, KR-11.
#[test]
fn hooks_of_a_definition_are_read() {
    let text = r#"{"name": "x", "hooks": {
        "preToolUse": [{"matcher": "shell", "command": "a", "timeout_ms": 5000},
                       {"matcher": "@git/status", "command": "b"}, {"matcher": "fs_*", "command": "c"},
                       {"matcher": "@builtin", "command": "d"}, {"tool_name": "t", "args": {}}],
        "stop": [{"command": "e", "timeout": 3}]}}"#;
    let read = read(&DEFINITION, "/p/.kiro/agents/x.json", text);
    let expected = [
        "unknown-entry-field",
        "unknown-entry-field",
        "handler-missing-field",
        "unknown-entry-field",
    ];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    assert_eq!(armed(&read), [true, true, true, true, false, true]);
    assert_eq!(read.hooks[0].timeout, Some(Duration::from_secs(5)));
    for (at, subject, matches) in [
        (0, "execute_bash", true),
        (0, "fs_read", false),
        (1, "mcp__git__status", true),
        (1, "mcp__git__push", false),
        (2, "fs_write", true),
        (2, "execute_bash", false),
        (3, "fs_write", true),
        (3, "mcp__git__status", false),
    ] {
        let matcher = &read.hooks[at].matcher;
        assert_eq!(matcher.matches(Some(subject)), Ok(matches), "{at} {subject}");
    }
}

/// KR-40 to KR-42: each recorded end of a hook.
#[test]
fn only_exit_code_2_denies() {
    let call = |event: &str| {
        decode_event(&json!({"hook_event_name": event, "tool_name": "execute_bash",
            "tool_input": {"command": "ls"}, "prompt": "hi"}))
    };
    let json = r#"{"decision":"block","reason":"R"}"#;
    for (dialect, event, stdout, stderr, code, exact, guarded) in [
        (&KIRO, "PreToolUse", "", "R", 2, true, true),
        // A reason on standard output alone denies nothing.
        (&KIRO, "PreToolUse", "R", "", 2, false, true),
        (&KIRO, "PreToolUse", "", "R", 1, false, false),
        (&KIRO, "PreToolUse", json, "", 0, false, true),
        (&KIRO, "UserPromptSubmit", "", "R", 2, true, true),
        (&KIRO, "PostToolUse", "", "R", 2, false, false),
        (&DEFINITION, "preToolUse", "", "", 2, true, true),
        (&DEFINITION, "preToolUse", "", "R", 2, true, true),
        (&DEFINITION, "preToolUse", "", "R", 1, false, false),
    ] {
        let event = call(event);
        let row = dialect.event_row(&event.name).expect("a row");
        let said = StepOutput::Bytes {
            stdout: stdout.as_bytes().into(),
            stderr: stderr.as_bytes().into(),
        };
        let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
        for (compat, denies) in [(Compat::Exact, exact), (Compat::Guarded, guarded)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let mut hook = Hook::new(HookId::new("h"), dialect.id(), event.name.clone(), run);
            hook.compat = compat;
            let answer = dialect.read_answer(&event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            let found = verdict.restraint > Restraint::Allow;
            assert_eq!(found, denies, "{} {stdout} {code} {compat:?}", row.name);
        }
    }
}

/// KR-43: text is context with a prompt and at the start, and nothing elsewhere.
#[test]
fn text_is_context_on_two_events() {
    for (dialect, event, context) in [
        (&KIRO, "SessionStart", true),
        (&KIRO, "UserPromptSubmit", true),
        (&KIRO, "Stop", false),
        (&DEFINITION, "agentSpawn", true),
        (&DEFINITION, "stop", false),
    ] {
        let event = decode_event(&json!({"hook_event_name": event, "prompt": "hi"}));
        let row = dialect.event_row(&event.name).expect("a row");
        let said = StepOutput::Bytes {
            stdout: b"use tabs\n".as_slice().into(),
            stderr: b"".as_slice().into(),
        };
        let report = Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) };
        let answer = dialect.read_answer(&event, row, &report);
        let expected: &[&str] = if context { &["use tabs"] } else { &[] };
        assert_eq!(answer.effects.context, expected, "{}", row.name);
    }
}

/// KR-1, KR-2, KR-5.
#[test]
fn files_are_recognized_by_their_folder_or_a_key() {
    let list = r#"{"hooks": [{"trigger": "Stop"}]}"#;
    let (sure, no) = (Fit::Certain, Fit::No);
    for (path, text, hook_file, definition) in [
        ("/p/.kiro/hooks/a.json", "{}", sure, no),
        ("/h/.kiro/hooks/a.kiro.hook", "{}", no, no),
        ("/p/.kiro/agents/a.json", r#"{"hooks": {}}"#, no, sure),
        ("/p/.kiro/agents/a.json", list, sure, sure),
        ("/p/x.json", list, sure, no),
        ("/p/x.json", r#"{"hooks": {"agentSpawn": []}}"#, no, sure),
        ("/p/x.json", r#"{"hooks": {"preToolUse": []}}"#, no, no),
    ] {
        let root = syntax::parse_by_format(text, Format::Json).root;
        let found = [&KIRO, &DEFINITION]
            .map(|dialect| dialect.recognize_config_file(Path::new(path), root.as_ref()));
        assert_eq!(found, [hook_file, definition], "{path} {text}");
    }
}
