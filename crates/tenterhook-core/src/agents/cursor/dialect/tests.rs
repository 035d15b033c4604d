//! Compares the dialect with the hook executor of npm `@cursor/sdk` 1.0.32.

use std::path::Path;

use serde_json::{Value, json};

use super::{ACTION, CURSOR};
use crate::answer::Restraint;
use crate::dialect::{Dialect, DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Compat, OnFailure};
use crate::matcher::{MatchContext, MatcherSpec, Picked};
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, parse_by_format};

fn read_file(text: &str, compat: Compat) -> ReadConfig {
    let source = Source::from_text("/h/.cursor/hooks.json", DialectId::CURSOR, text, "/h/.cursor");
    CURSOR.read_config(&Source { compat, ..source })
}

fn decode(dialect: &Dialect, fields: &Value) -> Event {
    let fields = fields.as_object().expect("an object");
    dialect.decode_event(fields, &Roots::default()).expect("an event")
}

fn encode(dialect: &Dialect, event: &Event) -> Value {
    serde_json::from_slice(&dialect.encode_event(event).body).expect("JSON")
}

/// The fields of each payload.
fn payload(event: &str, more: &Value) -> Value {
    let mut fields = json!({"conversation_id": "c", "generation_id": "g", "model": "m",
        "session_id": "c", "hook_event_name": event, "cursor_version": "2.4.7",
        "workspace_roots": ["/p"], "user_email": null, "transcript_path": null});
    let all = fields.as_object_mut().expect("an object");
    all.extend(more.as_object().expect("an object").clone());
    fields
}

/// CU-20, CU-21, CU-30: a call is neutral here, and goes back as it came.
#[test]
fn calls_are_neutral_and_go_back() {
    for (tool, input, neutral) in [
        ("Shell", json!({"command": "ls", "cwd": ""}), "Bash"),
        ("Grep", json!({"pattern": "x", "file_path": "/p"}), "Grep"),
        ("MCP:search", json!({"q": 1}), "mcp__unnamed__search"),
        ("Delete", json!({"file_path": "/p/a"}), "Delete"),
    ] {
        let call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"});
        let event = decode(&CURSOR, &payload("preToolUse", &call));
        assert_eq!((event.name.as_str(), event.text("tool_name")), ("PreToolUse", Some(neutral)));
        assert_eq!(event.within.cwd, Path::new("/p"));
        let written = encode(&CURSOR, &event);
        assert_eq!((&written["tool_name"], &written["tool_input"]), (&json!(tool), &input));
        assert_eq!(written["hook_event_name"], "preToolUse");
        assert_eq!(written["conversation_id"], "c");
        let env = CURSOR.encode_event(&event).env;
        let names: Vec<&str> = env.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]);
    }
}

/// CU-22: the events of actions are those of tools, in both directions.
#[test]
fn actions_are_calls_of_tools() {
    for (name, fields, tool, input) in [
        (
            "beforeShellExecution",
            json!({"command": "ls", "cwd": "/p", "sandbox": false}),
            "Bash",
            json!({"command": "ls"}),
        ),
        (
            "beforeReadFile",
            json!({"file_path": "/p/a", "content": "x"}),
            "Read",
            json!({"file_path": "/p/a"}),
        ),
        (
            "beforeMCPExecution",
            json!({"tool_name": "q", "tool_input": "{\"a\":1}", "mcp_server_name": "s"}),
            "mcp__s__q",
            json!({"a": 1}),
        ),
        (
            "afterShellExecution",
            json!({"command": "ls", "output": "a", "duration": 3}),
            "Bash",
            json!({"command": "ls"}),
        ),
        (
            "afterFileEdit",
            json!({"file_path": "/p/a", "edits": [{"old_string": "", "new_string": "b"}]}),
            "MultiEdit",
            json!({"file_path": "/p/a", "edits": [{"old_string": "", "new_string": "b"}]}),
        ),
    ] {
        let given = payload(name, &fields);
        for dialect in [&CURSOR, &ACTION] {
            let event = decode(dialect, &given);
            assert_eq!(event.text("tool_name"), Some(tool), "{name}");
            assert_eq!(event.payload.get("tool_input"), Some(&input), "{name}");
            let written = encode(&ACTION, &event);
            assert_eq!(written["hook_event_name"], name);
            for (key, value) in fields.as_object().expect("an object") {
                assert_eq!(&written[key], value, "{name}: {key}");
            }
        }
    }
}

/// CU-4, CU-11: a hook of an action runs on calls of its tools, and its matcher is tested on the command.
#[test]
fn hooks_of_actions_run_on_their_tools() {
    let read = read_file(
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "a", "matcher": "curl|rm"}],
            "afterFileEdit": [{"command": "b"}], "preToolUse": [{"command": "c", "failClosed": true}]}}"#,
        Compat::Guarded,
    );
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let [shell, edit, tool] = &read.hooks[..] else { panic!("{:?}", read.hooks) };
    assert_eq!((shell.dialect, tool.dialect), (DialectId::CURSOR_ACTION, DialectId::CURSOR));
    assert_eq!((shell.event.as_str(), edit.event.as_str()), ("PreToolUse", "PostToolUse"));
    assert_eq!(tool.on_failure, Some(OnFailure::Block));
    let picks = |command: &str| {
        let call = json!({"tool_name": "Shell", "tool_input": {"command": command}});
        let event = decode(&CURSOR, &payload("preToolUse", &call));
        let condition = shell.condition.as_ref().expect("a condition");
        condition.pick(&MatchContext::for_event(&event), Compat::Guarded) == Picked::Exactly
    };
    assert!(picks("curl x") && !picks("ls"));
    let words = |spec: &MatcherSpec| match spec {
        MatcherSpec::Words(words) => words.join(" "),
        other => panic!("{other:?}"),
    };
    assert_eq!(words(shell.matcher.spec()), "Shell");
    assert_eq!(words(edit.matcher.spec()), "Write Edit MultiEdit");
    assert!(edit.condition.is_none());
}

/// CU-5, CU-6: what makes Cursor drop the whole file is an error, and disarms it under exact
/// reading.
#[test]
fn a_dropped_file_is_an_error() {
    for text in [
        r#"{"version": 1, "hooks": {"stop": [{"command": "curl https://x"}]}}"#,
        r#"{"hooks": {"stop": [{"command": "a"}]}}"#,
        r#"{"version": 1, "hooks": {"stop": [{"command": "a"}], "PreToolUse": [{"command": "b"}]}}"#,
        r#"{"version": 1, "hooks": {"stop": [{"command": "a"}, {"matcher": "x"}]}}"#,
        r#"{"version": 1, "hooks": {"stop": [{"command": "a", "timeout": 0}]}}"#,
        r#"{"version": 1, "hooks": {"preToolUse": [{"command": "a", "matcher": "("}]}}"#,
    ] {
        let read = read_file(text, Compat::Exact);
        assert!(!read.diagnostics.is_empty(), "{text}");
        assert!(read.unreadable, "{text}");
    }
    // So `install` leaves such a file alone.
    for matcher in ["(", "["] {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"stop": [{{"command": "a", "matcher": "{matcher}"}}]}}}}"#
        );
        let root = parse_by_format(&text, Format::Json).root.expect("JSON");
        let found = super::accepted::find_refused_value(&root).expect("a refused value");
        assert_eq!(found.path, "hooks.stop.0.matcher");
        assert!(found.fault.contains("takes a regular expression"), "{}", found.fault);
    }
    for text in [
        "{\"version\": 1, // mine\n \"hooks\": {\"stop\": [{\"command\": \"a\"}]}}",
        r#"{"version": 1, "hooks": {"stop": [{"command": "curl https:\/\/x", "loop_limit": null}]}}"#,
    ] {
        let read = read_file(text, Compat::Exact);
        assert!(read.diagnostics.is_empty() && !read.unreadable, "{text}: {:?}", read.diagnostics);
    }
}

fn answer(event: &str, (code, stdout, stderr): (i32, &str, &str)) -> (Restraint, Option<String>) {
    let row = CURSOR.event_rows().iter().find(|row| row.name == event).expect("a row");
    let event =
        Event::new(&*row.event, crate::event::Surroundings::default()).with("tool_name", "Bash");
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: stderr.as_bytes().into() };
    let report =
        Report { said, ..Report::without_output(End::Exited(code), std::time::Duration::ZERO) };
    let answer = CURSOR.read_answer(&event, row, &report);
    (answer.restraint, answer.reason)
}

/// CU-40 to CU-43.
#[test]
fn answers_are_read_as_by_the_executor() {
    let deny = Restraint::Deny;
    for (event, said, restraint, reason) in [
        ("preToolUse", (0, r#"{"permission":"deny","user_message":"R"}"#, ""), deny, Some("R")),
        (
            "preToolUse",
            (0, "log\n{\"permission\":\"deny\",\"user_message\":\"R\"}", ""),
            deny,
            Some("R"),
        ),
        ("preToolUse", (2, "", "R"), deny, Some("R")),
        ("preToolUse", (2, "R", "other"), deny, Some("R")),
        ("preToolUse", (0, "no JSON", ""), deny, None),
        ("preToolUse", (0, r#"{"permission":5}"#, ""), deny, None),
        ("preToolUse", (0, r#"{"permission":"allow"}"#, ""), Restraint::Allow, None),
        (
            "preToolUse",
            (0, r#"{"permission":"ask","user_message":"R"}"#, ""),
            Restraint::Ask,
            Some("R"),
        ),
        ("preToolUse", (0, "{}", ""), Restraint::Silent, None),
        ("preToolUse", (0, "", ""), Restraint::Silent, None),
        (
            "beforeSubmitPrompt",
            (0, r#"{"continue":false,"user_message":"R"}"#, ""),
            deny,
            Some("R"),
        ),
        ("stop", (0, r#"{"followup_message":"R"}"#, ""), deny, Some("R")),
        ("stop", (0, r#"{"decision":"block","reason":"R"}"#, ""), deny, Some("R")),
    ] {
        let (found, why) = answer(event, said);
        assert_eq!(found, restraint, "{event} {said:?}");
        if reason.is_some() {
            assert_eq!(why.as_deref(), reason, "{event} {said:?}");
        }
    }
}

/// CU-1.
#[test]
fn files_are_recognized_by_path_or_events() {
    let root = |text: &str| crate::syntax::parse_by_format(text, crate::syntax::Format::Json).root;
    for (path, text, fit) in [
        ("/h/.cursor/hooks.json", "{}", Fit::Certain),
        ("/etc/cursor/hooks.json", "{}", Fit::Certain),
        ("/p/x.json", r#"{"hooks": {"beforeShellExecution": []}}"#, Fit::Shape),
        ("/p/x.json", r#"{"hooks": {"preToolUse": []}}"#, Fit::No),
    ] {
        assert_eq!(CURSOR.recognize_config_file(Path::new(path), root(text).as_ref()), fit);
    }
}
