//! The verdicts on the answers of ignis hooks on each event, guarded and exact (I-13 to I-27).

use std::time::Duration;

use super::*;
use crate::answer::Restraint::{Deny, Silent};
use crate::hook::{Compat, Hook, HookId, Run};
use crate::report::{End, StepOutput};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn event(name: &str) -> Event {
    decode(json!({"hook_event_name": name, "toolName": "read_file", "toolInput": {"path": "a"},
        "prompt": "hi", "content": "hi", "toolResult": "r"}))
}

fn verdict(name: &str, compat: Compat, end: End, stdout: &str, stderr: &str) -> Verdict {
    let event = event(name);
    let row = IGNIS
        .event_row(&event.name)
        .cloned()
        .unwrap_or_else(|| IGNIS.row_for_unknown_event(&event.name));
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: stderr.as_bytes().into() };
    let report = Report { said, ..Report::without_output(end, Duration::ZERO) };
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::IGNIS, event.name.clone(), run);
    hook.compat = compat;
    judge_answer(
        JudgeContext { hook: &hook, row: &row, widened: None },
        IGNIS.read_answer(&event, &row, &report),
    )
}

fn guarded(name: &str, code: i32, stdout: &str, stderr: &str) -> Verdict {
    verdict(name, Compat::Guarded, End::Exited(code), stdout, stderr)
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.faults.iter().map(|fault| fault.code.name()).collect()
}

const PROMPT: &str = "UserPromptSubmit";
const RENDER: &str = "AssistantMessageRender";

/// IG-S2, I-18 to I-21.
#[test]
fn each_event_has_one_field_that_rewrites() {
    let input = r#"{"hookSpecificOutput": {"updatedInput": "HELLO"}}"#;
    let output = r#"{"hookSpecificOutput": {"updatedOutput": "fini"}}"#;
    assert_eq!(guarded(PROMPT, 0, input, "").effects.updated_prompt.as_deref(), Some("HELLO"));
    assert_eq!(guarded(RENDER, 0, output, "").effects.updated_output, Some(json!("fini")));
    assert_eq!(guarded("PostToolUse", 0, output, "").effects.updated_output, Some(json!("fini")));
    let json = r#"{"hookSpecificOutput": {"updatedInput": "{\"path\": \"b\"}"}}"#;
    let rewritten = guarded("PreToolUse", 0, json, "");
    assert_eq!(rewritten.effects.updated_input, Some(json!({"file_path": "b"})));
    assert!(codes(&rewritten).is_empty());
    // The other field is ignored and reported.
    for (name, stdout) in [(PROMPT, output), (RENDER, input), ("PostToolUse", input)] {
        let verdict = guarded(name, 0, stdout, "");
        assert_eq!(codes(&verdict), ["not-honoured"], "{name}");
        assert_eq!(verdict.effects, Verdict::without_effect().effects, "{name}");
    }
    let empty = r#"{"hookSpecificOutput": {"updatedInput": ""}}"#;
    assert_eq!(guarded(PROMPT, 0, empty, "").effects.updated_prompt.as_deref(), Some(""));
}

/// IG-S5, I-14, I-15.
#[test]
fn only_prompts_and_tool_calls_can_be_blocked() {
    let halt = r#"{"continue": false, "systemMessage": "m"}"#;
    for name in [PROMPT, "PreToolUse"] {
        for compat in [Compat::Guarded, Compat::Exact] {
            for (code, stdout, stderr, reason) in [
                (2, "", "no secrets", "no secrets"),
                (2, r#"{"continue": true}"#, "no secrets", "no secrets"),
                (2, "not read", "", "denied by hook `h`, which gave no reason"),
                (0, halt, "no secrets", "no secrets"),
                (0, halt, "", "m"),
            ] {
                let found = verdict(name, compat, End::Exited(code), stdout, stderr);
                assert_eq!(found.restraint, Deny, "{name} {code} {stdout}");
                assert_eq!(found.reason.expect("a reason").text, reason);
                assert!(found.faults.is_empty());
            }
        }
    }
    for name in [RENDER, "PostToolUse", "SessionStart", "PreCompact", "OfTomorrow"] {
        for (code, stdout) in [(2, ""), (0, r#"{"continue": false}"#)] {
            let found = guarded(name, code, stdout, "words");
            assert_eq!((found.restraint, codes(&found)), (Silent, vec!["not-honoured"]), "{name}");
            assert_eq!(found.effects.messages, ["words"]);
        }
    }
}

/// I-21: a hook that blocks rewrites nothing.
#[test]
fn a_blocked_prompt_is_not_rewritten() {
    let both = r#"{"continue": false, "hookSpecificOutput": {"updatedInput": "x"}}"#;
    let found = guarded(PROMPT, 0, both, "no");
    assert_eq!((found.restraint, found.effects.updated_prompt), (Deny, None));
}

/// IG-S3, I-16, I-17: the agent shows one warning and keeps the value.
#[test]
fn failed_hook_is_one_warning_without_an_effect() {
    let wrong_type = r#"{"hookSpecificOutput": {"updatedInput": {"path": "b"}}}"#;
    for (name, end, stdout, code) in [
        (PROMPT, End::Exited(1), "", "exit-code"),
        (PROMPT, End::Exited(1), r#"{"hookSpecificOutput": {"updatedInput": "x"}}"#, "exit-code"),
        (PROMPT, End::Exited(0), "not json", "unreadable-answer"),
        (PROMPT, End::Exited(0), "[]", "unreadable-answer"),
        (
            PROMPT,
            End::Exited(0),
            "log\n{\"hookSpecificOutput\": {\"updatedInput\": \"x\"}}",
            "unreadable-answer",
        ),
        (PROMPT, End::Exited(0), r#"{"continue": 1}"#, "invalid-answer"),
        (PROMPT, End::Exited(0), r#"{"systemMessage": 1}"#, "invalid-answer"),
        (PROMPT, End::Exited(0), r#"{"hookSpecificOutput": []}"#, "invalid-answer"),
        ("PreToolUse", End::Exited(0), wrong_type, "invalid-answer"),
        (
            "PreToolUse",
            End::Exited(0),
            r#"{"hookSpecificOutput": {"updatedInput": "no json"}}"#,
            "invalid-answer",
        ),
        (
            "PreToolUse",
            End::Exited(0),
            r#"{"hookSpecificOutput": {"updatedInput": "5"}}"#,
            "invalid-answer",
        ),
        (RENDER, End::TimedOut, "", "timed-out"),
        (RENDER, End::Signalled(9), "", "signalled"),
        (PROMPT, End::NotStarted { why: "no file".into() }, "", "not-started"),
    ] {
        for compat in [Compat::Guarded, Compat::Exact] {
            let found = verdict(name, compat, end.clone(), stdout, "text on stderr");
            assert_eq!(codes(&found), [code], "{name} {end:?} {stdout}");
            assert_eq!(found.restraint, Silent);
            assert_eq!(found.effects, Verdict::without_effect().effects, "{name} {end:?} {stdout}");
            assert!(
                found.faults[0].message.contains(": text on stderr"),
                "{}",
                found.faults[0].message
            );
        }
    }
}

/// IG-S11, Ruling 24.
/// I-17.
#[test]
fn stderr_is_joined_to_one_line_and_cut_between_characters() {
    for (text, expected) in [
        ("界".repeat(250), format!("{}…", "界".repeat(200))),
        ("🦀".repeat(200), "🦀".repeat(200)),
        ("a\r\nb\tc".to_owned(), "a b c".to_owned()),
    ] {
        let message = guarded(PROMPT, 1, "", &text).faults[0].message.clone();
        assert_eq!(message, format!("it exited with code 1: {expected}"));
    }
}

/// I-24.
#[test]
fn empty_output_and_plain_consent_change_nothing() {
    for stdout in [
        "",
        " \n",
        "{}",
        r#"{"continue": true}"#,
        r#"{"continue": null, "systemMessage": null, "hookSpecificOutput": null}"#,
    ] {
        let found = guarded(PROMPT, 0, stdout, "a log line");
        assert_eq!(found, Verdict::without_effect(), "{stdout:?}");
    }
    // The documentation of the agent says that `systemMessage` is shown.
    let found = guarded(RENDER, 0, r#"{"systemMessage": "note"}"#, "");
    assert_eq!(found.effects.messages, ["note"]);
}

/// I-22, I-23: unknown fields and the name of a different event are tolerated and reported.
#[test]
fn unread_fields_are_reported() {
    let stdout = r#"{"suppress": true, "hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "c", "updatedInput": "x"}}"#;
    let found = guarded(PROMPT, 0, stdout, "");
    assert_eq!(codes(&found), ["wrong-event-name", "unknown-field"]);
    assert_eq!(found.effects.updated_prompt.as_deref(), Some("x"));
}

/// I-26, Ruling 4: a denial that the agent would lose denies, except in an exact reading.
#[test]
fn malformed_denial_denies_unless_exact() {
    for (end, stdout, stderr, slip) in [
        (End::Exited(0), r#"{"continue": "false"}"#, "", "wrong-type"),
        (End::Exited(0), r#"[{"continue": false}]"#, "", "wrapped-answer"),
        (End::Exited(0), "log\n{\"continue\": false}", "", "text-before-answer"),
        (End::Exited(0), "{\"continue\": false}\nlog", "", "text-after-answer"),
        (
            End::Exited(0),
            r#"{"continue": true, "continue": false, "continue": true}"#,
            "",
            "duplicate-key",
        ),
        (End::Exited(0), r#"{"decision": "block", "reason": "no"}"#, "", "misplaced-decision"),
        (
            End::Exited(0),
            r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#,
            "",
            "misplaced-decision",
        ),
        (End::Exited(0), r#"{"Continue": false}"#, "", "misspelt-key"),
        (End::Exited(0), "", r#"{"continue": false}"#, "answer-on-stderr"),
        (End::Exited(1), r#"{"continue": false}"#, "", "wrong-exit-code"),
        (End::TimedOut, r#"{"continue": false}"#, "", "wrong-exit-code"),
    ] {
        let found = verdict(PROMPT, Compat::Guarded, end.clone(), stdout, stderr);
        assert_eq!(found.restraint, Deny, "{end:?} {stdout} {stderr}");
        assert!(codes(&found).contains(&slip), "{stdout}: {:?}", codes(&found));
        let exact = verdict(PROMPT, Compat::Exact, end.clone(), stdout, stderr);
        assert_eq!(exact.restraint, Silent, "{end:?} {stdout}");
        // On an event that cannot be blocked, the same output is harmless.
        let shown = verdict(RENDER, Compat::Guarded, end, stdout, stderr);
        assert_eq!(shown.restraint, Silent);
    }
}

/// I-25.
#[test]
fn invalid_utf8_is_replaced_as_the_agent_does() {
    let said = StepOutput::Bytes {
        stdout: b"{\"hookSpecificOutput\": {\"updatedInput\": \"a\xffb\"}}".as_slice().into(),
        stderr: b"".as_slice().into(),
    };
    let report = Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) };
    let event = event(PROMPT);
    let row = IGNIS.event_row(&event.name).expect("a row");
    let answer = IGNIS.read_answer(&event, row, &report);
    assert_eq!(answer.effects.updated_prompt.as_deref(), Some("a\u{fffd}b"));
}
