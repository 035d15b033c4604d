//! Compares the dialect with payloads, files and answers in public documents. No test here stands in
//! for a running Antigravity.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::ANTIGRAVITY;
use crate::answer::Restraint;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::Event;
use crate::hook::{Arming, Compat, Hook, HookId, Run};
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, judge_answer};

fn read(text: &str, compat: Compat) -> ReadConfig {
    let source =
        Source::from_text("/p/.agents/hooks.json", DialectId::ANTIGRAVITY, text, "/p/.agents");
    ANTIGRAVITY.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn decode_event(fields: &Value) -> Event {
    ANTIGRAVITY
        .decode_event(fields.as_object().expect("an object"), &Roots::default())
        .expect("an event")
}

fn call(tool: &str, args: &Value) -> Value {
    json!({"conversationId": "s", "transcriptPath": "/t.jsonl", "stepIdx": 3, "modelName": "m",
        "artifactDirectoryPath": "/a", "workspacePaths": ["/p"], "toolCall": {"name": tool, "args": args}})
}

/// AY-20, AY-30: the payloads of safe-chains and skillsaw are neutral here and come out as they were.
#[test]
fn documented_payloads_round_trip() {
    let command = json!({"CommandLine": "ls", "Cwd": "/p", "WaitMsBeforeAsync": 500});
    let edit = json!({"TargetFile": "/p/a", "TargetContent": "a", "ReplacementContent": "b", "AllowMultiple": true});
    for (tool, args, neutral, key) in [
        ("run_command", command, "Bash", "command"),
        ("replace_file_content", edit, "Edit", "old_string"),
        ("mcp_db_drop_table", json!({"t": 1}), "mcp__db__drop_table", "t"),
    ] {
        let given = call(tool, &args);
        let event = decode_event(&given);
        assert_eq!((event.name.as_str(), event.text("tool_name")), ("PreToolUse", Some(neutral)));
        assert!(event.payload["tool_input"].get(key).is_some(), "{event:?}");
        assert_eq!((&*event.within.session_id, event.within.cwd.as_path()), ("s", Path::new("/p")));
        let written: Value =
            serde_json::from_slice(&ANTIGRAVITY.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given);
    }
}

/// AY-30: the browser fetches, too.
#[test]
fn address_that_the_browser_opens_is_a_fetch() {
    let event = decode_event(&call("open_browser_url", &json!({"Url": "https://x"})));
    assert_eq!(event.text("tool_name"), Some("WebFetch"));
    assert_eq!(event.payload["tool_input"], json!({"url": "https://x"}));
}

/// AY-20: the fields of a payload show its event; the event of the entry counts first.
#[test]
fn event_of_a_payload_is_shown_by_its_fields() {
    let mut after = call("run_command", &json!({"CommandLine": "ls"}));
    after["error"] = "".into();
    assert_eq!(decode_event(&after).name.as_str(), "PostToolUse");
    let stop = json!({"conversationId": "s", "terminationReason": "NO_TOOL_CALL", "error": ""});
    assert_eq!(decode_event(&stop).name.as_str(), "Stop");
    let model = json!({"conversationId": "s", "invocationNum": 1, "initialNumSteps": 4});
    let fields = model.as_object().expect("an object");
    assert!(ANTIGRAVITY.decode_event(fields, &Roots::default()).is_err());
    for name in ["PreInvocation", "PostInvocation"] {
        let mut named = model.clone();
        named["hook_event_name"] = name.into();
        assert_eq!(decode_event(&named).name.as_str(), name);
    }
    // After a tool, documents show payloads without the call.
    let bare = json!({"conversationId": "s", "stepIdx": 3, "hook_event_name": "PostToolUse"});
    assert_eq!(decode_event(&bare).text("tool_name"), Some(""));
    let gate = json!({"conversationId": "s", "stepIdx": 3, "hook_event_name": "PreToolUse"});
    let fields = gate.as_object().expect("an object");
    assert!(ANTIGRAVITY.decode_event(fields, &Roots::default()).is_err());
}

/// AY-41, AY-42: the answers that nodeterm measured with 1.2.3, and whether the call ran unasked.
#[test]
fn answers_before_a_tool_deny_unless_they_can_be_read() {
    let measured: &[(&str, i32, Restraint)] = &[
        ("", 0, Restraint::Silent),
        ("{}", 0, Restraint::Deny),
        (r#"{"decision":""}"#, 0, Restraint::Deny),
        (r#"{"decision":"ask"}"#, 0, Restraint::Silent),
        (r#"{"decision":"ask","reason":"R"}"#, 0, Restraint::Ask),
        (r#"{"decision":"force_ask","reason":"R"}"#, 0, Restraint::Ask),
        (r#"{"decision":"allow"}"#, 0, Restraint::Allow),
        (r#"{"decision":"deny","reason":"R"}"#, 0, Restraint::Deny),
        ("text", 0, Restraint::Deny),
        ("", 1, Restraint::Deny),
        ("", 2, Restraint::Deny),
    ];
    let event = decode_event(&call("run_command", &json!({"CommandLine": "ls"})));
    let row = ANTIGRAVITY.event_row(&event.name).expect("a row");
    for (stdout, code, expected) in measured {
        let said = StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: b""[..].into() };
        let report = Report { said, ..Report::without_output(End::Exited(*code), Duration::ZERO) };
        for compat in [Compat::Exact, Compat::Guarded] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let id = DialectId::ANTIGRAVITY;
            let mut hook = Hook::new(HookId::new("h"), id, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = ANTIGRAVITY.read_answer(&event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint, *expected, "{stdout} {code} {compat:?}");
        }
    }
}

/// AY-40: steps of an answer are context.
#[test]
fn injected_steps_are_context() {
    let text = r#"{"injectSteps":[{"ephemeralMessage":"one"},{"userMessage":"two"},{"ephemeralMessage":"three"}]}"#;
    let row = ANTIGRAVITY.event_row(&"PreInvocation".into()).expect("a row");
    let said = StepOutput::Bytes { stdout: text.as_bytes().into(), stderr: b""[..].into() };
    let report = Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) };
    let event = Event::new("PreInvocation", crate::event::Surroundings::default());
    assert_eq!(ANTIGRAVITY.read_answer(&event, row, &report).effects.context, ["one", "three"]);
}

/// AY-4, AY-10: named hooks, groups and handlers, with keys in any case.
#[test]
fn named_hooks_are_read() {
    let text = r#"{
        "audit": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"Command": "a", "timeout": 5}]}],
            "stop": [{"type": "command", "command": "b"}]},
        "off": {"enabled": false, "Stop": [{"command": "c"}]},
        "say": {"PreInvocation": [{"type": "prompt", "prompt": "x"}]},
        "hooks": {"SessionEnd": [{"command": "d"}]}, "none": null}"#;
    let read = read(text, Compat::Guarded);
    assert_eq!(codes(&read), ["hooks-disabled", "unknown-handler-type", "unknown-event"]);
    let outcomes: Vec<_> = read
        .hooks
        .iter()
        .map(|hook| (hook.event.as_str(), hook.arming == Arming::Armed, hook.timeout))
        .collect();
    let five = Some(Duration::from_secs(5));
    assert_eq!(
        outcomes,
        [
            ("PreToolUse", true, five),
            ("Stop", true, None),
            ("Stop", false, None),
            ("PreInvocation", false, None),
            ("SessionEnd", false, None),
        ]
    );
}

/// AY-7: a hook starts beside its file, wherever the project is.
#[test]
fn a_hook_starts_in_the_directory_of_its_file() {
    let text = r#"{"a": {"Stop": [{"command": "../lint.sh", "timeout": 30000}]}}"#;
    let given =
        Source::from_text("/p/.agents/hooks.json", DialectId::ANTIGRAVITY, text, "/p/.agents");
    let read = ANTIGRAVITY.read_config(&Source { project: "/p".into(), ..given });
    assert_eq!(codes(&read), ["timeout-looks-like-ms"]);
    let Run::Command(command) = &read.hooks[0].run else { panic!("{read:?}") };
    assert_eq!(command.cwd.as_deref(), Some(Path::new("/p/.agents")));
    let script = read.hooks[0].script_file(Path::new("/p"), Path::new("/h"));
    assert_eq!(script.expect("a script").path, Path::new("/p/.agents/../lint.sh"));
}

/// AY-6: the values for which Antigravity drops the file, by the page of skillsaw's rule, and values
/// beside which it loads.
#[test]
fn values_for_which_antigravity_drops_the_file_are_refused() {
    let refused = |text: &str| {
        let guarded = read(text, Compat::Guarded);
        let exact = read(text, Compat::Exact);
        let says = |read: &ReadConfig| {
            read.diagnostics.iter().any(|found| found.message.contains("refuses the whole file"))
        };
        assert_eq!(says(&guarded), says(&exact), "{text}");
        assert!(!says(&exact) || exact.hooks.iter().all(|hook| hook.arming != Arming::Armed));
        says(&guarded)
    };
    for handler in [
        r#"{"command": "a", "timeout": 5.0}"#,
        r#"{"command": "a", "timeout": "5"}"#,
        r#"{"command": "a", "timeout": 2147483648}"#,
        r#"{"type": "COMMAND", "command": "a"}"#,
        r#"{"type": "http", "command": "a"}"#,
        r#"{"command": "a", "prompt": "x"}"#,
        r#"{"type": "prompt", "prompt": "x", "command": "a"}"#,
        "7",
    ] {
        assert!(refused(&format!(r#"{{"a": {{"Stop": [{handler}]}}}}"#)), "{handler}");
        let group = format!(r#"{{"a": {{"PreToolUse": [{{"hooks": [{handler}]}}]}}}}"#);
        assert!(refused(&group), "{group}");
    }
    for text in [
        r#"{"version": 1, "a": {"Stop": [{"command": "a"}]}}"#,
        r#"{"enabled": true}"#,
        r#"{"a": {"enabled": "no"}}"#,
        r#"{"a": {"Stop": {}}}"#,
        r#"{"a": {"PreToolUse": [{"matcher": ["x"], "hooks": []}]}}"#,
        r#"{"PreToolUse": [{"hooks": [{"command": "a"}]}]}"#,
    ] {
        assert!(refused(text), "{text}");
    }
    for text in [
        r#"{"a": {"Stop": [{"command": "a", "timeout": -1, "env": {}}]}}"#,
        r#"{"a": {"Stop": null, "Other": 1}, "b": null}"#,
        r#"{"a": {"PreToolUse": [{"matcher": "[", "hooks": [{"command": "a"}]}]}}"#,
    ] {
        assert!(!refused(text), "{text}");
    }
}

/// AY-1.
#[test]
fn files_are_recognized_by_their_path_alone() {
    for (path, fit) in [
        ("/h/.gemini/config/hooks.json", Fit::Certain),
        ("/p/.agents/hooks.json", Fit::Certain),
        ("/p/_agent/hooks.json", Fit::Certain),
        ("/h/.gemini/hooks.json", Fit::No),
        ("/p/.agents/plugins/x/hooks/hooks.json", Fit::No),
    ] {
        assert_eq!(ANTIGRAVITY.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}
