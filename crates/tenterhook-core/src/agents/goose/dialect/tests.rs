//! Compares the dialect with the observed behaviour of Goose.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::GOOSE;
use crate::answer::{Answer, Effects, Power, Powers, Restraint};
use crate::diagnostic::Diagnostic;
use crate::dialect::kit::reply_form::Ended;
use crate::dialect::{DialectId, Fit, Roots};
use crate::event::{Event, Surroundings};
use crate::hook::{Arming, Compat, Hook, HookId, Invocation, Layer, OnFailure, Run, Shell};
use crate::matcher::MatcherSpec;
use crate::report::{End, Report, StepOutput};
use crate::source::{ReadConfig, Source};
use crate::verdict::{JudgeContext, judge_answer};

fn read(text: &str, compat: Compat) -> ReadConfig {
    let source = Source::from_text("/p/x/hooks/hooks.json", DialectId::GOOSE, text, "/p/x/hooks");
    GOOSE.read_config(&Source { compat, ..source })
}

fn codes(read: &ReadConfig) -> Vec<&str> {
    read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect()
}

fn event(fields: &Value) -> Event {
    GOOSE.decode_event(fields.as_object().expect("an object"), &Roots::default()).expect("an event")
}

fn call(tool: &str) -> Value {
    json!({"event": "PreToolUse", "session_id": "s", "matcher_context": tool, "tool_call_id": "c",
        "tool_name": tool, "tool_input": {"command": "ls"}, "working_dir": "/p"})
}

/// GO-30: the documented names of earlier versions, which the matchers of 1.52.0 do not know.
#[test]
fn matcher_with_a_former_name_of_a_tool_is_reported() {
    for (matcher, expected) in [
        ("developer__shell", Some("foreign-tool-name-in-matcher")),
        ("text_editor", Some("foreign-tool-name-in-matcher")),
        ("shell", None),
        ("apps__create_app", None),
        ("execute_typescript", None),
    ] {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "a"}}]}}]}}}}"#
        );
        let read = read(&text, Compat::Guarded);
        assert_eq!(codes(&read).first().copied(), expected, "{matcher}: {:?}", read.diagnostics);
    }
}

/// GO-20, GO-30: observed payloads.
#[test]
fn observed_payloads_round_trip_unchanged() {
    let prompt = json!({"event": "UserPromptSubmit", "session_id": "s", "matcher_context": "P",
        "message": "P", "working_dir": "/p"});
    for (given, tool) in
        [(call("shell"), Some("Bash")), (call("srv__ping"), Some("mcp__srv__ping")), (prompt, None)]
    {
        let event = event(&given);
        assert_eq!(event.text("tool_name"), tool);
        let written: Value =
            serde_json::from_slice(&GOOSE.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given);
    }
}

/// GO-31: events that only Goose has.
#[test]
fn events_that_only_goose_has_grant_no_powers() {
    for name in ["BeforeShellExecution", "AfterFileEdit", "PreToolUseResult"] {
        let row = GOOSE.event_row(&name.into()).expect("a row");
        assert_eq!(row.powers, crate::answer::Powers::NONE);
    }
}

/// GO-40 to GO-44: each observed answer, and whether Goose blocked the call.
#[test]
fn exact_reading_matches_observed_outcomes_and_guarded_reading_only_adds_denials() {
    let block = r#"{"decision":"block","reason":"R"}"#;
    let nested =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let observed: &[(&str, &str, i32, bool, bool)] = &[
        (block, "", 0, true, true),
        (block, "", 3, true, true),
        (" \n{\"decision\": \"block\", \"reason\": \"R\", \"more\": 1}\n", "", 0, true, true),
        ("", "R", 2, true, true),
        ("", "", 2, true, true),
        ("text {\"decision\":\"block\",\"reason\":\"R\"}", "", 0, false, true),
        (r#"{"decision":"deny"}"#, "", 0, false, true),
        (r#"{"decision":"BLOCK"}"#, "", 0, false, true),
        (nested, "", 0, false, true),
        ("", "", 1, false, false),
        ("", "", 127, false, false),
        ("", "", 0, false, false),
        (r#"{"decision":"allow"}"#, "", 0, false, false),
        (r#"{"decision":"allow"}"#, "R", 2, true, true),
    ];
    let event = event(&call("shell"));
    let row = GOOSE.event_row(&event.name).expect("a row");
    for (stdout, stderr, code, blocked, guarded) in observed {
        let said = StepOutput::Bytes {
            stdout: stdout.as_bytes().into(),
            stderr: stderr.as_bytes().into(),
        };
        let report = Report { said, ..Report::without_output(End::Exited(*code), Duration::ZERO) };
        for (compat, denies) in [(Compat::Exact, blocked), (Compat::Guarded, guarded)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let mut hook = Hook::new(HookId::new("h"), DialectId::GOOSE, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = GOOSE.read_answer(&event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint > Restraint::Allow, *denies, "{stdout} {code} {compat:?}");
        }
    }
}

/// GO-1.
#[test]
fn each_plugin_has_a_file() {
    let roots = Roots { cwd: "/r".into(), home: "/h".into(), ..Roots::default() };
    let found = GOOSE.candidate_files(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    let expected = [
        ("/h/.agents/plugins/*/hooks/hooks.json", Layer::User),
        ("/r/.agents/plugins/*/hooks/hooks.json", Layer::Project),
    ];
    assert_eq!(found, expected);
    let fit = |path: &str| GOOSE.recognize_config_file(Path::new(path), None);
    assert_eq!(fit("/r/.agents/plugins/x/hooks/hooks.json"), Fit::Certain);
    assert_eq!(fit("/r/hooks/hooks.json"), Fit::No);
}

/// GO-3: each bad entry is reported at its line, and its siblings still run.
#[test]
fn a_bad_entry_is_rejected_alone() {
    let text = r#"{"hooks": {
        "PreToolUse": [
            {"hooks": [{"type": "command"},
                {"command": "a"}, 7]},
            "b",
            {"hooks": "c"},
            {"hooks": [{"command": "d", "type": "prompt"}, {"command": "e"}]}],
        "BeforeTool": [{"hooks": [{"command": "f"}]}]}}"#;
    for compat in [Compat::Guarded, Compat::Exact] {
        let read = read(text, compat);
        let line =
            |diagnostic: &Diagnostic| diagnostic.place.as_ref().map_or(0, |location| location.line);
        let reported: Vec<_> = read
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.name(), line(diagnostic)))
            .collect();
        let expected = [
            ("handler-missing-field", 3),
            ("handler-not-object", 4),
            ("group-not-object", 5),
            ("inner-hooks-not-array", 6),
            ("unknown-handler-type", 7),
            ("unknown-event", 8),
        ];
        assert_eq!(reported, expected);
        let runs = |hook: &Hook| match (&hook.run, &hook.arming) {
            (Run::Command(command), Arming::Armed) => format!("{:?}", command.invocation),
            (_, arming) => format!("{arming:?}"),
        };
        let outcomes: Vec<_> = read.hooks.iter().map(runs).collect();
        let expected = ["GO-3", "\"a\"", "GO-3", "\"e\"", "GO-3"];
        assert_eq!(outcomes.len(), expected.len(), "{outcomes:?}");
        for (outcome, part) in outcomes.iter().zip(expected) {
            assert!(outcome.contains(part), "{outcome:?}");
        }
    }
}

/// GO-8.
#[test]
fn timeout_is_in_seconds_and_defaults_to_thirty() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"command": "a", "timeout": 2.5}, {"command": "b"}, {"command": "c", "timeout": "5"}]}]}}"#;
    let read = read(text, Compat::Guarded);
    assert_eq!(codes(&read), ["wrong-field-type"]);
    let timeouts: Vec<_> = read.hooks.iter().map(|hook| hook.timeout).collect();
    assert_eq!(timeouts, [Some(Duration::from_millis(2500)), None, None]);
    for name in ["PreToolUse", "Stop", "UserPromptSubmit", "AfterFileEdit"] {
        let row = GOOSE.event_row(&name.into()).expect("a row");
        assert_eq!(
            GOOSE.default_timeout(&read.hooks[1].run, row),
            Duration::from_secs(30),
            "{name}"
        );
    }
}

/// GO-43: a denial is the only effect; the other fields of an answer are ignored.
#[test]
fn answer_fields_other_than_a_denial_are_ignored() {
    let more = r#""reason":"R","additionalContext":"c","systemMessage":"m","continue":true,
        "hookSpecificOutput":{"updatedInput":{"command":"pwd"},"additionalContext":"c"}"#;
    for row in GOOSE.event_rows() {
        let denies = ["PreToolUse", "Stop"].contains(&&*row.event);
        let powers = if denies { Powers::from_slice(&[Power::Deny]) } else { Powers::NONE };
        assert_eq!(row.powers, powers, "{}", row.name);
        for decision in ["allow", "block", "ask"] {
            let text = format!(r#"{{"decision":"{decision}",{more}}}"#);
            let said = StepOutput::Bytes { stdout: text.as_bytes().into(), stderr: b""[..].into() };
            let report = Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) };
            let event = Event::new(&*row.event, Surroundings::default());
            let answer = GOOSE.read_answer(&event, row, &report);
            assert_eq!(answer.effects, Effects::default(), "{} {decision}", row.name);
            assert!(matches!(answer.restraint, Restraint::Silent | Restraint::Deny), "{answer:?}");
        }
    }
}

/// GO-2, GO-7 to GO-10.
#[test]
fn groups_are_read_with_timeout_matcher_and_failure_policy() {
    let text = r#"{"hooks": {"PreToolUse": [
        {"matcher": "^shell$", "hooks": [{"type": "command", "command": "a", "timeout": 5, "on_failure": "block"}]},
        {"matcher": "*", "hooks": [{"command": "b", "on_failure": "deny"}]}],
        "Stop": [{"matcher": "x", "hooks": [{"command": "c", "async": true}]}],
        "PreToolUze": [{"hooks": [{"command": "d"}]}]}}"#;
    let guarded = read(text, Compat::Guarded);
    let expected = [
        "invalid-matcher",
        "unknown-on-failure",
        "matcher-ignored",
        "unknown-handler-field",
        "unknown-event",
    ];
    assert_eq!(codes(&guarded), expected, "{:?}", guarded.diagnostics);
    let [a, b, ..] = guarded.hooks.as_slice() else { panic!("{guarded:?}") };
    assert_eq!((a.timeout, a.on_failure), (Some(Duration::from_secs(5)), Some(OnFailure::Block)));
    assert_eq!(*a.matcher.spec(), MatcherSpec::Regex("^shell$".to_owned()));
    assert_eq!((b.matcher.spec(), b.on_failure), (&MatcherSpec::Any, Some(OnFailure::Block)));
    let env = ("PLUGIN_ROOT".to_owned(), "/p/x".to_owned());
    let Run::Command(command) = &a.run else { panic!("{a:?}") };
    let line = Invocation::Shell { text: "a".to_owned(), shell: Shell::Sh };
    assert_eq!((&command.invocation, &*command.env), (&line, &[env][..]));
    let exact = read(text, Compat::Exact);
    assert!(
        exact.hooks.iter().all(|hook| hook.arming != Arming::Armed),
        "the whole file is dropped"
    );
}

/// GO-41, GO-42: empty output passes. On an event that can be denied, exit code 2 blocks and any
/// other text is a failure; elsewhere it has no effect.
#[test]
fn output_without_an_answer_matters_only_where_the_event_can_be_denied() {
    let ended = |event: &str, code, stdout, stderr| {
        let row = GOOSE.event_row(&event.into()).expect("a row");
        let row = &crate::dialect::kit::reply_form::rows_with_powers(
            &super::reply::FORM,
            std::slice::from_ref(row),
        )[0];
        (super::reply::FORM.ended)(&Ended { row, code, stdout, stderr })
    };
    let failed =
        |answer: &Answer| answer.restraint == Restraint::Silent && answer.failure.is_some();
    assert_eq!(ended("PreToolUse", 0, "", "noise"), Answer::default());
    assert!(failed(&ended("PreToolUse", 0, "text", "")));
    assert_eq!(ended("PostToolUse", 0, "text", ""), Answer::default());
    assert_eq!(ended("PreToolUse", 2, "", ""), Answer::deny("denied by plugin hook"));
    assert_eq!(ended("PreToolUse", 2, "", "no"), Answer::deny("no"));
    let counts = |event: &str, code, decision: &str| {
        let row = GOOSE.event_row(&event.into()).expect("a row");
        let object = json!({ "decision": decision });
        (super::reply::FORM.counts)(row, code, object.as_object().expect("an object"))
    };
    for code in [0, 1, 2] {
        assert!(counts("PreToolUse", code, "block"), "{code}");
        assert_eq!(counts("PreToolUse", code, "allow"), code == 0, "{code}");
        assert!(!counts("Stop", code, "ask") && counts("PostToolUse", code, "ask"), "{code}");
    }
    for stderr in ["", "no"] {
        assert!(failed(&ended("PostToolUse", 2, "", stderr)));
        assert!(failed(&ended("PreToolUse", 1, "", stderr)));
    }
}
