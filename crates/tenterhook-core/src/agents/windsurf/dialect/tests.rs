//! Compares the dialect with the payloads and files of Windsurf's documents. No test here stands in
//! for a running Windsurf.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::WINDSURF;
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Run};
use crate::matcher::MatcherSpec;
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Format};
use crate::verdict::{JudgeContext, judge_answer};

fn read(text: &str) -> ReadConfig {
    let name = "/p/.windsurf/hooks.json";
    WINDSURF.read_config(&Source::from_text(name, DialectId::WINDSURF, text, "/p/.windsurf"))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    WINDSURF
        .decode_event(fields.as_object().expect("an object"), &Roots::default())
        .expect("an event")
}

fn action(name: &str, info: &Value) -> Value {
    json!({"agent_action_name": name, "trajectory_id": "s", "execution_id": "e",
        "timestamp": "2026-11-01T00:00:00Z", "tool_info": info})
}

/// WS-20: the payloads of the documents are neutral here and come out as they were.
#[test]
fn documented_payloads_round_trip() {
    let edits = json!([{"old_string": "a", "new_string": "b"}]);
    for (name, info, event, tool) in [
        ("pre_run_command", json!({"command_line": "ls", "cwd": "/p"}), "PreToolUse", Some("Bash")),
        ("pre_read_code", json!({"file_path": "/p/a"}), "PreToolUse", Some("Read")),
        (
            "post_write_code",
            json!({"file_path": "/p/a", "edits": edits}),
            "PostToolUse",
            Some("MultiEdit"),
        ),
        (
            "post_mcp_tool_use",
            json!({"mcp_server_name": "db", "mcp_tool_name": "drop", "mcp_tool_arguments": {"t": 1}, "mcp_result": "x"}),
            "PostToolUse",
            Some("mcp__db__drop"),
        ),
        ("pre_user_prompt", json!({"user_prompt": "hello"}), "UserPromptSubmit", None),
        ("post_cascade_response", json!({"response": "done"}), "Stop", None),
        (
            "post_setup_worktree",
            json!({"worktree_path": "/w", "root_workspace_path": "/p"}),
            "post_setup_worktree",
            None,
        ),
    ] {
        let given = action(name, &info);
        let decoded = decode_event(&given);
        assert_eq!((decoded.name.as_str(), decoded.text("tool_name")), (event, tool), "{name}");
        assert_eq!(decoded.within.session_id, "s");
        let written: Value =
            serde_json::from_slice(&WINDSURF.encode_event(&decoded).body).expect("JSON");
        assert_eq!(written["agent_action_name"], given["agent_action_name"], "{written}");
        if tool.is_some() {
            assert_eq!(written["tool_info"], given["tool_info"], "{written}");
        }
    }
}

/// WS-20: a call of another agent becomes an action of Windsurf.
#[test]
fn a_call_of_another_agent_becomes_an_action() {
    let event = Event::new("PreToolUse", crate::event::Surroundings::default())
        .with("tool_name", "Write")
        .with("tool_input", json!({"file_path": "/p/a", "content": "b"}));
    let written: Value = serde_json::from_slice(&WINDSURF.encode_event(&event).body).expect("JSON");
    assert_eq!(written["agent_action_name"], "pre_write_code");
    let edits = json!([{"old_string": "", "new_string": "b"}]);
    assert_eq!(written["tool_info"], json!({"file_path": "/p/a", "edits": edits}));
}

/// WS-20: what a gate cannot judge is denied.
#[test]
fn action_without_its_fields_is_no_event() {
    for fields in [
        json!({"agent_action_name": "pre_run_command"}),
        json!({"agent_action_name": "pre_run_command", "tool_info": "ls"}),
        json!({"tool_info": {"command_line": "ls"}}),
    ] {
        let fields = fields.as_object().expect("an object");
        assert!(WINDSURF.decode_event(fields, &Roots::default()).is_err(), "{fields:?}");
    }
}

/// WS-3, WS-4, WS-10.
#[test]
fn entries_are_read_with_the_tools_of_their_event() {
    let text = r#"{"hooks": {
        "pre_run_command": [{"command": "a", "show_output": true, "working_directory": "sub"}],
        "pre_write_code": [{"command": "b", "matcher": "x"}, {"show_output": true}],
        "pre_user_prompt": [{"command": "c"}],
        "PreToolUse": [{"command": "d"}]}}"#;
    let read = read(text);
    let expected = ["unknown-entry-field", "handler-missing-field", "unknown-event"];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    let armed: Vec<_> = read.hooks.iter().map(|hook| hook.arming == Arming::Armed).collect();
    assert_eq!(armed, [true, true, false, true, false]);
    let first = &read.hooks[0];
    assert_eq!(
        *first.matcher.spec(),
        MatcherSpec::Words(vec!["Bash".to_owned(), "PowerShell".to_owned()])
    );
    let Run::Command(command) = &first.run else { panic!("{first:?}") };
    assert!(command.cwd.as_ref().is_some_and(|cwd| cwd.ends_with("sub")), "{command:?}");
}

/// WS-40, WS-41: each documented exit code, and a denial in an object.
#[test]
fn only_exit_code_2_denies() {
    let event = decode_event(&action("pre_read_code", &json!({"file_path": "/p/a"})));
    let row = WINDSURF.event_row(&event.name).expect("a row");
    for (stdout, stderr, code, exact, guarded) in [
        ("", "R", 2, true, true),
        ("", "", 2, true, true),
        ("", "R", 1, false, false),
        ("", "", 0, false, false),
        (r#"{"decision":"block","reason":"R"}"#, "", 0, false, true),
        ("text", "", 0, false, false),
    ] {
        let said = StepOutput::Bytes {
            stdout: stdout.as_bytes().into(),
            stderr: stderr.as_bytes().into(),
        };
        let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
        for (compat, denies) in [(Compat::Exact, exact), (Compat::Guarded, guarded)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let id = DialectId::WINDSURF;
            let mut hook = Hook::new(HookId::new("h"), id, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = WINDSURF.read_answer(&event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint > Restraint::Allow, denies, "{stdout} {code} {compat:?}");
        }
    }
}

/// WS-1.
#[test]
fn files_are_recognized_by_their_path_or_an_event() {
    let own = r#"{"hooks": {"pre_run_command": [{"command": "x"}]}}"#;
    for (path, text, fit) in [
        ("/p/.windsurf/hooks.json", "{}", Fit::Certain),
        ("/h/.codeium/windsurf/hooks.json", "{}", Fit::Certain),
        ("/p/x.json", own, Fit::Certain),
        ("/p/x.json", r#"{"hooks": {"PreToolUse": []}}"#, Fit::No),
    ] {
        let root = syntax::parse_by_format(text, Format::Json).root;
        let found = WINDSURF.recognize_config_file(Path::new(path), root.as_ref());
        assert_eq!(found, fit, "{path} {text}");
    }
}
