//! Compares the dialect with the documents of Crush. No test here stands in for a running Crush.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::CRUSH;
use crate::answer::{Answer, Restraint};
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Run};
use crate::matcher::MatcherSpec;
use crate::outcome::Outcome;
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, judge_answer};

fn read(text: &str) -> ReadConfig {
    CRUSH.read_config(&Source::from_text("/p/crush.json", DialectId::CRUSH, text, "/p"))
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    CRUSH.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"event": "PreToolUse", "session_id": "313909e", "cwd": "/p", "tool_name": tool, "tool_input": input})
}

fn answer(event: &Event, stdout: &str, stderr: &str, code: i32) -> Answer {
    let row = CRUSH.event_row(&event.name).expect("a row");
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: stderr.as_bytes().into() };
    let report = Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) };
    CRUSH.read_answer(event, row, &report)
}

/// CR-20, CR-21: the documented payload is neutral here and comes out as it was.
#[test]
fn documented_payloads_round_trip() {
    for (tool, input, neutral) in [
        ("bash", json!({"command": "rm -rf /"}), "Bash"),
        ("mcp_github_create_pull_request", json!({}), "mcp__github__create_pull_request"),
    ] {
        let given = call(tool, &input);
        let event = decode_event(&given);
        assert_eq!(event.text("tool_name"), Some(neutral));
        let envelope = CRUSH.encode_event(&event);
        let written: Value = serde_json::from_slice(&envelope.body).expect("JSON");
        assert_eq!(written, given);
        assert!(envelope.env.contains(&("CRUSH_TOOL_NAME".to_owned(), tool.to_owned())));
    }
}

/// CR-40, CR-41: each documented exit code and decision.
#[test]
fn documented_answers_are_read() {
    let event = decode_event(&call("bash", &json!({"command": "ls"})));
    let row = CRUSH.event_row(&event.name).expect("a row");
    let nested =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    for (stdout, code, exact, guarded) in [
        (r#"{"version":1,"decision":"deny","reason":"R"}"#, 0, true, true),
        (nested, 0, true, true),
        ("", 2, true, true),
        ("", 1, false, false),
        ("", 0, false, false),
        (r#"{"decision":null,"context":"x"}"#, 0, false, false),
        (r#"{"decision":"block"}"#, 0, false, true),
        (r#"{"decision":"deny"}"#, 1, false, true),
    ] {
        for (compat, denies) in [(Compat::Exact, exact), (Compat::Guarded, guarded)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let id = DialectId::CRUSH;
            let mut hook = Hook::new(HookId::new("h"), id, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = answer(&event, stdout, "R", code);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint > Restraint::Allow, denies, "{stdout} {code} {compat:?}");
        }
    }
    for (stdout, code) in [(r#"{"halt":true,"reason":"R"}"#, 0), ("", 49)] {
        let stop = answer(&event, stdout, "R", code).effects.stop.expect("a stop");
        assert_eq!(stop.reason.as_deref(), Some("R"), "{stdout}");
    }
    let texts = answer(&event, r#"{"context":["one","two"]}"#, "", 0).effects.context;
    assert_eq!(texts, ["one", "two"]);
}

/// CR-42: a change is merged into the call, in both directions.
#[test]
fn change_is_merged_into_the_call() {
    let event = decode_event(&call("bash", &json!({"command": "npm test", "timeout": 60000})));
    let stdout = r#"{"updated_input":{"command":"bun test"}}"#;
    let changed = answer(&event, stdout, "", 0).effects.updated_input.expect("an input");
    assert_eq!(changed, json!({"command": "bun test", "timeout": 60000}));
    let mut outcome = Outcome::without_answer();
    outcome.effects.updated_input = Some(json!({"command": "ls"}));
    let reply = CRUSH.encode_outcome(&event, &outcome, None).expect("a reply");
    let written: Value = serde_json::from_str(&reply.stdout).expect("JSON");
    assert_eq!(written["updated_input"], json!({"command": "ls", "timeout": null}));
}

/// CR-1, CR-3, CR-10.
#[test]
fn entries_are_read_under_every_spelling_of_an_event() {
    let text = r#"{ // JSONC
        "hooks": {
            "PreToolUse": [{"name": "x", "matcher": "^bash$", "command": "a", "timeout": 10}],
            "pre_tool_use": [{"command": "b"}],
            "PRECOMPACT": [{"command": "c"}],
            "BeforeTool": [{"command": "d"}],
            "SessionStart": [{"matcher": "x"}]}}"#;
    let read = read(text);
    let expected = ["unknown-event", "matcher-ignored", "handler-missing-field"];
    assert_eq!(codes(&read), expected, "{:?}", read.diagnostics);
    let outcomes: Vec<_> =
        read.hooks.iter().map(|hook| (hook.event.as_str(), hook.arming == Arming::Armed)).collect();
    assert_eq!(
        outcomes,
        [
            ("PreToolUse", true),
            ("PreToolUse", true),
            ("PreCompact", true),
            ("BeforeTool", false),
            ("SessionStart", false),
        ]
    );
    assert_eq!(*read.hooks[0].matcher.spec(), MatcherSpec::Regex("^bash$".to_owned()));
    assert_eq!(read.hooks[0].timeout, Some(Duration::from_secs(10)));
    for (path, fit) in [
        ("/h/.config/crush/crush.json", Fit::Certain),
        ("/p/.crush.json", Fit::Certain),
        ("/p/xcrush.json", Fit::No),
    ] {
        assert_eq!(CRUSH.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}
