//! The dialect, held against what the agent was seen to do.

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
use crate::verdict::{JudgeContext, judge};

fn read(text: &str, compat: Compat) -> ReadConfig {
    let source = Source::given("/p/x/hooks/hooks.json", DialectId::GOOSE, text, "/p/x/hooks");
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

/// GO-20, GO-30: the payloads that were seen.
#[test]
fn payloads_are_read_and_written_as_they_were() {
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

/// GO-31: what only Goose fires has its own subject, which hooks of others are not tested on.
#[test]
fn events_of_its_own_only_watch() {
    for name in ["BeforeShellExecution", "AfterFileEdit", "PreToolUseResult"] {
        let row = GOOSE.row(&name.into()).expect("a row");
        assert_eq!(row.powers, crate::answer::Powers::NONE);
    }
}

/// GO-40 to GO-44: each answer that was seen, with what became of the call.
#[test]
fn exact_reading_agrees_with_what_was_seen_and_guarded_reading_only_denies_more() {
    let block = r#"{"decision":"block","reason":"R"}"#;
    let nested =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let seen: &[(&str, &str, i32, bool, bool)] = &[
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
    let row = GOOSE.row(&event.name).expect("a row");
    for (stdout, stderr, code, blocked, held) in seen {
        let said = StepOutput::Bytes {
            stdout: stdout.as_bytes().into(),
            stderr: stderr.as_bytes().into(),
        };
        let report = Report { said, ..Report::silent(End::Exited(*code), Duration::ZERO) };
        for (compat, denies) in [(Compat::Exact, blocked), (Compat::Guarded, held)] {
            let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
            let mut hook = Hook::new(HookId::new("h"), DialectId::GOOSE, "PreToolUse".into(), run);
            hook.compat = compat;
            let answer = GOOSE.read_answer(&event, row, &report);
            let verdict = judge(JudgeContext { hook: &hook, row, widened: None }, answer);
            assert_eq!(verdict.restraint > Restraint::Allow, *denies, "{stdout} {code} {compat:?}");
        }
    }
}

/// GO-1.
#[test]
fn each_plugin_has_a_file() {
    let roots = Roots { cwd: "/r".into(), home: "/h".into(), ..Roots::default() };
    let found = GOOSE.candidates(&roots);
    let found: Vec<_> = found
        .iter()
        .map(|candidate| (candidate.path.to_str().expect("text"), candidate.layer))
        .collect();
    let expected = [
        ("/h/.agents/plugins/*/hooks/hooks.json", Layer::User),
        ("/r/.agents/plugins/*/hooks/hooks.json", Layer::Project),
    ];
    assert_eq!(found, expected);
    let fit = |path: &str| GOOSE.recognizes(Path::new(path), None);
    assert_eq!(fit("/r/.agents/plugins/x/hooks/hooks.json"), Fit::Certain);
    assert_eq!(fit("/r/hooks/hooks.json"), Fit::No);
}

/// GO-3: each is told of at its place, and costs nothing beside itself.
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
        let place =
            |diagnostic: &Diagnostic| diagnostic.place.as_ref().map_or(0, |location| location.line);
        let told: Vec<_> = read
            .diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.name(), place(diagnostic)))
            .collect();
        let expected = [
            ("handler-missing-field", 3),
            ("handler-not-object", 4),
            ("group-not-object", 5),
            ("inner-hooks-not-array", 6),
            ("unknown-handler-type", 7),
            ("unknown-event", 8),
        ];
        assert_eq!(told, expected);
        let runs = |hook: &Hook| match (&hook.run, &hook.arming) {
            (Run::Command(command), Arming::Armed) => format!("{:?}", command.invocation),
            (_, arming) => format!("{arming:?}"),
        };
        let said: Vec<_> = read.hooks.iter().map(runs).collect();
        let expected = ["GO-3", "\"a\"", "GO-3", "\"e\"", "GO-3"];
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (said, word) in said.iter().zip(expected) {
            assert!(said.contains(word), "{said:?}");
        }
    }
}

/// GO-8.
#[test]
fn a_hook_has_so_many_seconds_or_thirty() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"command": "a", "timeout": 2.5}, {"command": "b"}, {"command": "c", "timeout": "5"}]}]}}"#;
    let read = read(text, Compat::Guarded);
    assert_eq!(codes(&read), ["wrong-field-type"]);
    let said: Vec<_> = read.hooks.iter().map(|hook| hook.timeout).collect();
    assert_eq!(said, [Some(Duration::from_millis(2500)), None, None]);
    for name in ["PreToolUse", "Stop", "UserPromptSubmit", "AfterFileEdit"] {
        let row = GOOSE.row(&name.into()).expect("a row");
        assert_eq!(GOOSE.timeout(&read.hooks[1].run, row), Duration::from_secs(30), "{name}");
    }
}

/// GO-43: whatever else an object holds, nothing of it is taken, and no event has more powers than to deny.
#[test]
fn nothing_but_a_denial_is_taken() {
    let more = r#""reason":"R","additionalContext":"c","systemMessage":"m","continue":true,
        "hookSpecificOutput":{"updatedInput":{"command":"pwd"},"additionalContext":"c"}"#;
    for row in GOOSE.rows() {
        let denies = ["PreToolUse", "Stop"].contains(&&*row.event);
        let powers = if denies { Powers::from_slice(&[Power::Deny]) } else { Powers::NONE };
        assert_eq!(row.powers, powers, "{}", row.name);
        for decision in ["allow", "block", "ask"] {
            let text = format!(r#"{{"decision":"{decision}",{more}}}"#);
            let said = StepOutput::Bytes { stdout: text.as_bytes().into(), stderr: b""[..].into() };
            let report = Report { said, ..Report::silent(End::Exited(0), Duration::ZERO) };
            let event = Event::new(&*row.event, Surroundings::default());
            let answer = GOOSE.read_answer(&event, row, &report);
            assert_eq!(answer.effects, Effects::default(), "{} {decision}", row.name);
            assert!(matches!(answer.restraint, Restraint::Silent | Restraint::Deny), "{answer:?}");
        }
    }
}

/// GO-2, GO-7 to GO-10.
#[test]
fn groups_are_read_with_what_a_failure_means() {
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

/// GO-41, GO-42: silence passes, exit code 2 blocks where something can be blocked, and whatever else is said is a failure
/// there and nothing elsewhere.
#[test]
fn an_end_without_an_answer_counts_where_something_can_be_blocked() {
    let ended = |event: &str, code, stdout, stderr| {
        let row = GOOSE.row(&event.into()).expect("a row");
        let row = &crate::dialect::kit::reply_form::with_powers(
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
        let row = GOOSE.row(&event.into()).expect("a row");
        let object = json!({ "decision": decision });
        (super::reply::FORM.counts)(row, code, object.as_object().expect("an object"))
    };
    for code in [0, 1, 2] {
        assert!(counts("PreToolUse", code, "block"), "{code}");
        assert_eq!(counts("PreToolUse", code, "allow"), code == 0, "{code}");
        assert!(!counts("Stop", code, "ask") && counts("PostToolUse", code, "ask"), "{code}");
    }
    for words in ["", "no"] {
        assert!(failed(&ended("PostToolUse", 2, "", words)));
        assert!(failed(&ended("PreToolUse", 1, "", words)));
    }
}
