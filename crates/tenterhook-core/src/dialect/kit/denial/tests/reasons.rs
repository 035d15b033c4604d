//! The reason of a denial by exit code, an *allow* beside a misplaced input, and answers among
//! context (A-46 to A-48).

use super::*;
use crate::dialect::claude::CLAUDE;

const REASON: &str = "the reason";

/// Near misses with a reason.
const NEAR_MISSES: &[&str] = &[
    r#"{"permissionDecision": "deny", "permissionDecisionReason": "the reason"}"#,
    r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "the reason"}}"#,
    r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "block",
        "permissionDecisionReason": "the reason"}}"#,
    r#"{"hookSpecificOutput": {"permissionDecision": "deny"}, "systemMessage": "the reason"}"#,
    r#"{"decision": "deny", "reason": "the reason"}"#,
    r#"{"decision": "BLOCK", "reason": "the reason"}"#,
    r#"{"permission": "deny", "userMessage": "the reason"}"#,
    r#"{"permission": "deny", "agent_message": "the reason"}"#,
    r#"{"action": "deny", "message": "the reason"}"#,
    r#"{"allowed": false, "reason": "the reason"}"#,
    r#"{"blocked": true, "reason": "the reason"}"#,
    r#"{"blocked": true, "why": "the reason"}"#,
    "log\n{\"decision\": \"block\", \"reason\": \"the reason\"}",
];

fn output(stdout: &str, stderr: &str, exit: i32) -> Output {
    Output { name: stdout.to_owned(), stdout: stdout.to_owned(), stderr: stderr.to_owned(), exit }
}

fn row_of(dialect: &'static Dialect, event: &str) -> &'static EventRow {
    dialect.event_row(&event.into()).expect("an event of the dialect")
}

fn reason_of(verdict: &Verdict) -> &str {
    verdict.reason.as_ref().map_or("", |reason| &*reason.text)
}

/// A-46.
#[test]
fn near_miss_gives_the_reason_of_exit_code_2_in_every_dialect() {
    let mut wrong = Vec::new();
    for dialect in DIALECTS {
        let row = row_of(dialect, "PreToolUse");
        for near_miss in NEAR_MISSES {
            for (stdout, stderr) in [(*near_miss, ""), (*near_miss, "a log line"), ("", *near_miss)]
            {
                let output = output(stdout, stderr, 2);
                let verdict = verdict(dialect, row, &output, Compat::Guarded);
                if verdict.restraint != Restraint::Deny || reason_of(&verdict) != REASON {
                    let shown = report_of(dialect, row, &output, &verdict);
                    wrong.push(format!("{shown} {:?}", verdict.reason));
                }
            }
        }
    }
    fail_with(&wrong);
}

/// A-46.
#[test]
fn object_without_decision_gives_its_reason_not_its_json() {
    let row = row_of(&CLAUDE, "PreToolUse");
    for (stdout, stderr, expected) in [
        ("", r#"{"error": "no rm"}"#, "no rm"),
        ("", r#"{"level": "error", "message": "no rm"}"#, "no rm"),
        ("", "checked 3 rules\n{\"reason\": \"no rm\"}", "checked 3 rules\nno rm"),
        (r#"{"reason": "no rm"}"#, "", "no rm"),
        // Ordinary texts stay as they are.
        ("", "do not write {x: 1} here", "do not write {x: 1} here"),
        ("", r#"use {"a": 1} as input"#, r#"use {"a": 1} as input"#),
        ("", r#"{"rule": 7}"#, r#"{"rule": 7}"#),
        (r#"{"reason": "other"}"#, "no rm", "no rm"),
        ("no rm", "", "no rm"),
    ] {
        let verdict = verdict(&CLAUDE, row, &output(stdout, stderr, 2), Compat::Guarded);
        assert_eq!((verdict.restraint, reason_of(&verdict)), (Restraint::Deny, expected));
    }
}

/// A-46.
#[test]
fn exact_source_keeps_the_reason_of_its_agent() {
    let row = row_of(&CLAUDE, "PreToolUse");
    let near_miss = output(NEAR_MISSES[0], "a log line", 2);
    let verdict = verdict(&CLAUDE, row, &near_miss, Compat::Exact);
    assert_eq!((verdict.restraint, reason_of(&verdict)), (Restraint::Deny, "a log line"));
}

/// A-47.
#[test]
fn consent_beside_an_unread_input_is_silence() {
    let row = row_of(&CLAUDE, "PreToolUse");
    let allow = |fields: &str| {
        format!(
            r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "allow"{fields}}}}}"#
        )
    };
    let unread = [
        "modifiedInput",
        "updated_input",
        "UpdatedInput",
        "updateInput",
        "modifiedArgs",
        "tool_input",
        "newInput",
        "toolInput",
    ];
    let mut shapes: Vec<(String, Restraint)> = unread
        .iter()
        .map(|key| (allow(&format!(r#", "{key}": {{"command": "y"}}"#)), Restraint::Silent))
        .collect();
    let beside = r#"{"decision": "approve", "updatedInput": {"command": "y"}}"#;
    shapes.push((beside.to_owned(), Restraint::Silent));
    shapes.push((allow(r#"}, "updatedInput": {"command": "y""#), Restraint::Silent));
    shapes.push((allow(""), Restraint::Allow));
    shapes.push((allow(r#", "updatedInput": {"command": "y"}"#), Restraint::Allow));
    shapes.push((allow(r#", "additionalContext": "tool_input""#), Restraint::Allow));
    for (stdout, expected) in shapes {
        let output = output(&stdout, "", 0);
        let guarded = verdict(&CLAUDE, row, &output, Compat::Guarded);
        let exact = verdict(&CLAUDE, row, &output, Compat::Exact);
        assert_eq!((guarded.restraint, exact.restraint), (expected, Restraint::Allow), "{stdout}");
    }
}

/// A-48.
#[test]
fn answer_among_context_gives_its_context_not_its_json() {
    let row = row_of(&CLAUDE, "SessionStart");
    let answer =
        r#"{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "ctx"}}"#;
    let cases = [
        (format!("welcome\n{answer}"), "welcome\nctx", true),
        (format!("{answer}\nbye"), "ctx\nbye", true),
        ("welcome\n{\"additionalContext\": \"ctx\"}".to_owned(), "welcome\nctx", true),
        ("welcome\n{\"continue\": true}".to_owned(), "welcome", true),
        // Other JSON, and the answer to a different event, is context as it is.
        (
            "docs\n{\"hookSpecificOutput\": {\"hookEventName\": \"Stop\"}}".to_owned(),
            "docs\n{\"hookSpecificOutput\": {\"hookEventName\": \"Stop\"}}",
            false,
        ),
        ("package\n{\"name\": \"x\"}".to_owned(), "package\n{\"name\": \"x\"}", false),
        (answer.to_owned(), "ctx", false),
    ];
    for (stdout, expected, is_fault) in cases {
        let output = output(&stdout, "", 0);
        let guarded = verdict(&CLAUDE, row, &output, Compat::Guarded);
        assert_eq!(guarded.effects.context, [expected], "{stdout}");
        assert_eq!(!guarded.faults.is_empty(), is_fault, "{stdout}");
        let exact = verdict(&CLAUDE, row, &output, Compat::Exact);
        let own = if is_fault { &*stdout } else { expected };
        assert_eq!(exact.effects.context, [own], "{stdout}");
    }
}

/// A-5.
#[test]
fn misplaced_key_is_reported_with_its_right_place() {
    for (dialect, event, stdout, expected) in [
        (
            "claude",
            "SessionStart",
            r#"{"additionalContext": "c"}"#,
            "hookSpecificOutput.additionalContext",
        ),
        ("claude", "PreToolUse", r#"{"allow": true}"#, "hookSpecificOutput.permissionDecision"),
        ("claude", "PreToolUse", r#"{"updatedInput": {}}"#, "hookSpecificOutput.updatedInput"),
        (
            "claude",
            "PermissionRequest",
            r#"{"behavior": "allow"}"#,
            "hookSpecificOutput.decision.behavior",
        ),
        ("native", "PreToolUse", r#"{"decision": "allow", "verdict": "allow"}"#, "decision"),
        (
            "gen",
            "PreToolUse",
            r#"{"additionalContext": "c"}"#,
            "hookSpecificOutput.additionalContext",
        ),
        ("copilot", "PreToolUse", r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#, ""),
    ] {
        let dialect = crate::dialect::DialectId::from_name(dialect).expect("a dialect").dialect();
        let output = output(stdout, "", 0);
        let verdict = verdict(dialect, row_of(dialect, event), &output, Compat::Guarded);
        let place = format!("write `{expected}`");
        let names_place = verdict.faults.iter().any(|fault| fault.message.contains(&place));
        assert!(names_place || expected.is_empty(), "{stdout}: {:?}", verdict.faults);
    }
}

/// A-6.
#[test]
fn fault_quotes_the_line_of_stderr_that_names_the_error() {
    let row = row_of(&CLAUDE, "PreToolUse");
    for (stderr, expected) in [
        (
            "Traceback (most recent call last):\n  File \"g.py\", line 1\n    x\nNameError: name 'x'",
            "NameError: name 'x'",
        ),
        (
            "node:internal/modules/cjs/loader:1210\n  throw err;\n\nError: Cannot find module",
            "Error: Cannot",
        ),
        ("+ set -e\ng.sh: line 2: jq: command not found", "jq: command not found"),
        ("starting\nfailed", "starting"),
    ] {
        let verdict = verdict(&CLAUDE, row, &output("", stderr, 1), Compat::Guarded);
        let message = verdict.faults.first().map_or("", |fault| &*fault.message);
        assert!(message.contains(expected), "{message}");
    }
}
