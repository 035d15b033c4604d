//! The verdicts on reports of hooks, in exact and in guarded reading.

use crate::diagnostic::Code;
use std::time::Duration;

use serde_json::json;

use crate::answer::{Answer, Restraint};
use crate::dialect::{Cap, DialectId};
use crate::event::{Event, EventName};
use crate::hook::{Compat, Hook, HookId, OnFailure, Phase, Run};
use crate::report::{Closed, End, Output, Report, StepOutput};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

use super::super::REASONIX;
use super::super::events::EVENTS;

struct Hooked {
    event: &'static str,
    compat: Compat,
    on_failure: Option<OnFailure>,
}

const fn on(event: &'static str) -> Hooked {
    Hooked { event, compat: Compat::Guarded, on_failure: None }
}

const fn exactly(event: &'static str) -> Hooked {
    Hooked { compat: Compat::Exact, ..on(event) }
}

fn report(end: End, stdout: &str, stderr: &str) -> Report {
    let said = StepOutput::Bytes {
        stdout: Output::from(stdout.as_bytes()),
        stderr: Output::from(stderr.as_bytes()),
    };
    Report { said, ..Report::without_output(end, Duration::from_secs(1)) }
}

impl Hooked {
    fn event(&self) -> Event {
        let spec = EVENTS.iter().find(|spec| spec.name == self.event).expect("an event");
        Event::new(spec.neutral_name(), Default::default())
            .with("tool_name", "Write")
            .with("tool_input", json!({}))
    }

    fn judge(&self, answer: Answer) -> Verdict {
        let event = self.event();
        let row = REASONIX.event_row(&event.name).expect("a row");
        let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
        let mut hook = Hook::new(HookId::new("h"), DialectId::REASONIX, event.name, run);
        (hook.compat, hook.on_failure) = (self.compat, self.on_failure);
        hook.phase = Phase::Decide;
        judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
    }

    fn judge_report(&self, report: &Report) -> Verdict {
        let event = self.event();
        let row = REASONIX.event_row(&event.name).expect("a row");
        self.judge(REASONIX.read_answer(&event, row, report))
    }

    fn judge_output(&self, end: End, stdout: &str, stderr: &str) -> Verdict {
        self.judge_report(&report(end, stdout, stderr))
    }
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.faults.iter().map(|fault| fault.code.name()).collect()
}

fn reason(verdict: &Verdict) -> &str {
    verdict.reason.as_ref().map_or("", |reason| reason.text.as_str())
}

const GATES: &[&str] = &["TurnStart", "PreToolUse", "UserPromptSubmit", "PreModelCall", "TurnEnd"];

/// RX-2, RX-3, RX-4 (V-TE-05): the ten events of the first version, with blocking and timeout.
#[test]
fn first_ten_events_have_the_documented_blocking_and_timeout() {
    let documented = [
        ("SessionStart", false, 10),
        ("TurnStart", true, 5),
        ("PreToolUse", true, 5),
        ("PostToolUse", false, 30),
        ("UserPromptSubmit", true, 5),
        ("PreModelCall", true, 10),
        ("PostModelCall", false, 30),
        ("TurnEnd", true, 10),
        ("Stop", false, 30),
        ("SessionEnd", false, 10),
    ];
    for (spec, (name, blocks, seconds)) in EVENTS.iter().zip(documented) {
        let row = REASONIX.event_row(&EventName::new(spec.neutral_name())).expect("a row");
        assert_eq!((spec.name, spec.is_gate_event()), (name, blocks));
        assert_eq!((&*row.name, row.timeout), (name, Duration::from_secs(seconds)), "{name}");
        assert_eq!(row.failure == OnFailure::Block, blocks, "{name}");
        let cap = match name {
            "TurnEnd" => Some(Cap::continue_after(2)),
            "PreModelCall" => Some(Cap::stop_after(2)),
            _ => None,
        };
        assert_eq!(row.cap, cap, "{name}");
    }
}

/// RX-20, RX-21: the table of verdicts, on every event.
#[test]
fn exit_codes_decide() {
    for spec in EVENTS {
        let (event, gate) = (on(spec.name), GATES.contains(&spec.name));
        assert_eq!(spec.is_gate_event(), gate, "{}", spec.name);
        let blocks = if gate { Restraint::Deny } else { Restraint::Silent };
        for (end, expected, fault) in [
            (End::Exited(0), Restraint::Silent, None),
            (End::Exited(2), blocks, (!gate).then_some("exit-code")),
            (End::Exited(1), Restraint::Silent, Some("exit-code")),
            (End::Exited(127), Restraint::Silent, Some("exit-code")),
            (End::Signalled(9), Restraint::Silent, Some("signalled")),
            (End::TimedOut, blocks, Some("timed-out")),
            (End::NotStarted { why: "x".into() }, Restraint::Silent, Some("not-started")),
        ] {
            for compat in [Compat::Guarded, Compat::Exact] {
                let verdict =
                    Hooked { compat, ..on(spec.name) }.judge_output(end.clone(), "", "words");
                assert_eq!(verdict.restraint, expected, "{} {end:?}", spec.name);
                assert_eq!(
                    codes(&verdict),
                    fault.into_iter().collect::<Vec<_>>(),
                    "{} {end:?}",
                    spec.name
                );
            }
        }
        let quiet = event.judge_output(End::Exited(0), "", "");
        assert_eq!(quiet, Verdict::without_effect(), "{}", spec.name);
    }
}

/// RX-21: `on_failure` of a hook overrides the policy of the agent.
#[test]
fn hook_failure_policy_overrides_that_of_the_agent() {
    for end in [End::Exited(127), End::NotStarted { why: "x".into() }, End::Signalled(9)] {
        let strict = Hooked { on_failure: Some(OnFailure::Block), ..on("PreToolUse") };
        assert_eq!(strict.judge_output(end, "", "").restraint, Restraint::Deny);
    }
    let loose = Hooked { on_failure: Some(OnFailure::Continue), ..on("PreToolUse") };
    assert_eq!(loose.judge_output(End::TimedOut, "", "").restraint, Restraint::Silent);
}

/// RX-14: an exact reading drops a gate with an invalid matcher, a guarded one blocks.
#[test]
fn gate_with_invalid_matcher_blocks_unless_exact() {
    let failed = || Answer::failed(Code::MatcherFailed, "m");
    assert_eq!(on("PreToolUse").judge(failed()).restraint, Restraint::Deny);
    assert_eq!(exactly("PreToolUse").judge(failed()).restraint, Restraint::Silent);
    assert_eq!(on("PostToolUse").judge(failed()).restraint, Restraint::Silent);
}

/// RX-23: the reason is stderr, else stdout, else a default text.
#[test]
fn block_reason_is_stderr_else_stdout_else_a_default() {
    let blocked = |stdout, stderr| on("PreToolUse").judge_output(End::Exited(2), stdout, stderr);
    assert_eq!(reason(&blocked("out", "err\n")), "err");
    assert_eq!(reason(&blocked(" out\n", "")), "out");
    assert_eq!(reason(&blocked("", "")), "denied by hook `h`, which gave no reason");
}

/// RX-24: stdout of a passing hook, up to 4,096 whole characters.
#[test]
fn stdout_of_a_passing_hook_is_context_on_events_that_take_context() {
    for event in ["SessionStart", "TurnStart", "PreModelCall"] {
        let judge = |stdout: &str| on(event).judge_output(End::Exited(0), stdout, "");
        assert_eq!(judge("\n hello \n").effects.context, ["hello"]);
        assert_eq!(judge(" \n").effects.context, [""; 0]);
        assert_eq!(on(event).judge_output(End::Exited(1), "hello", "").effects.context, [""; 0]);
        let exactly = "ü".repeat(4096);
        assert_eq!(judge(&exactly).effects.context, std::slice::from_ref(&exactly));
        let cut = judge(&"ü".repeat(4097));
        assert_eq!((&cut.effects.context[0], codes(&cut)), (&exactly, vec!["context-cut"]));
    }
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "TurnEnd", "Stop"] {
        let verdict = on(event).judge_output(End::Exited(0), "hello", "");
        assert_eq!(verdict, Verdict::without_effect(), "{event}");
    }
}

/// RX-24, RX-25: the objects that later versions read, if they name the right event.
#[test]
fn objects_of_later_versions_are_read() {
    let judge = |event: &'static str, fields: serde_json::Value| {
        on(event).judge_output(
            End::Exited(0),
            &json!({"hookSpecificOutput": fields}).to_string(),
            "",
        )
    };
    let verdict = judge("SessionStart", json!({"additionalContext": "c"}));
    assert_eq!(verdict.effects.context, ["c"]);
    let verdict = judge("SessionStart", json!({"hookEventName": "Stop", "additionalContext": "c"}));
    assert_eq!((verdict.effects.context.len(), codes(&verdict)), (0, vec!["not-honoured"]));
    let verdict = judge("PreToolUse", json!({"updatedInput": {"path": "b"}}));
    assert_eq!(verdict.effects.updated_input, Some(json!({"file_path": "b"})));
}

fn turn_end(code: i32, stdout: &str) -> Verdict {
    on("TurnEnd").judge_output(End::Exited(code), stdout, "")
}

/// RX-26, RX-27 (R7.2 a, b): which lines are directives.
#[test]
fn directives_are_lines_in_any_case_with_a_colon() {
    for line in ["@@INJECT: fix", "@@Inject:fix", "  @@inject:  fix  ", "@@INJECT : fix"] {
        assert_eq!(reason(&turn_end(2, line)), "fix", "{line}");
    }
    for line in ["@@WARN: w", "@@warn: w", "@@Warn:w"] {
        assert_eq!(turn_end(0, line).effects.messages, ["w"], "{line}");
    }
    let continued = turn_end(2, "@@INJECT: a\n  b\nnoise @@INJECT: c\n@@OTHER: d");
    assert_eq!(reason(&continued), "a");
    let colon = turn_end(2, "@@INJECT: see http://x");
    assert_eq!(reason(&colon), "see http://x");
    let broken = turn_end(2, "@@INJECT fix it");
    assert_eq!(codes(&broken), ["broken-directive"]);
}

/// RX-28, RX-29 (R7.2 c, d, g): `@@INJECT` lines are joined in order, and need a blocked event.
#[test]
fn injected_lines_are_the_reason_and_warnings_are_always_shown() {
    let blocked = turn_end(2, "@@INJECT: a\n@@WARN: x\nlog\n@@INJECT: b\n@@WARN: y\n");
    assert_eq!(reason(&blocked), "a\nb");
    assert_eq!(blocked.effects.messages, ["x", "y"]);
    let passed = turn_end(0, "@@INJECT: a\n@@WARN: x\nlog\n");
    assert_eq!((passed.restraint, codes(&passed)), (Restraint::Silent, vec!["not-honoured"]));
    assert_eq!(passed.effects.messages, ["x"]);
    assert_eq!(passed.if_denied.expect("a reason for a later denial").text, "a");
    let warned = turn_end(1, "@@WARN: x");
    assert_eq!((warned.effects.messages.len(), codes(&warned)), (1, vec!["exit-code"]));
    let elsewhere = on("PreToolUse").judge_output(End::Exited(0), "@@WARN: x", "");
    assert_eq!(elsewhere, Verdict::without_effect());
}

/// RX-28 (R7.2 d): an incomplete last line is ignored, and no value is longer than the cap.
#[test]
fn incomplete_line_is_not_a_directive() {
    let mut torn = report(End::Exited(2), "@@INJECT: a\n@@INJECT: b", "");
    let StepOutput::Bytes { stdout, .. } = &mut torn.said else { panic!("bytes") };
    (stdout.closed, stdout.dropped) = (Closed::Truncated, 10);
    assert_eq!(reason(&on("TurnEnd").judge_report(&torn)), "a");
    let long = turn_end(2, &format!("@@INJECT: {}", "ü".repeat(5000)));
    assert_eq!(reason(&long).chars().count(), 4096);
}

/// RX-30 (R7.2 e): without a text to inject, the reason names the hook and quotes stderr.
#[test]
fn default_reason_names_the_hook_and_quotes_stderr() {
    for stdout in ["", "log\n", "@@INJECT:\n", "@@INJECT:   "] {
        let verdict = on("TurnEnd").judge_output(End::Exited(2), stdout, "2 tests fail\n");
        assert_eq!(reason(&verdict), "denied by hook `h`: 2 tests fail", "{stdout:?}");
    }
    assert_eq!(reason(&turn_end(2, "")), "denied by hook `h`, which gave no reason");
}

/// RX-32, RX-33, Ruling 4: a malformed denial blocks, except in an exact reading.
#[test]
fn malformed_denial_blocks_unless_exact() {
    let deny = json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}}).to_string();
    let block = json!({"decision": "block", "reason": "r"}).to_string();
    let stop = json!({"continue": false, "stopReason": "r"}).to_string();
    let inject = "@@INJECT: r\n";
    for (event, end, stdout, faults) in [
        ("PreToolUse", End::Exited(0), &*deny, &["misplaced-decision"][..]),
        ("UserPromptSubmit", End::Exited(0), &*block, &["misplaced-decision"]),
        ("TurnStart", End::Exited(0), &*block, &["misplaced-decision"]),
        ("PreToolUse", End::Exited(0), &*stop, &["misplaced-decision"]),
        ("PreToolUse", End::Exited(1), &*deny, &["misplaced-decision", "wrong-exit-code"]),
        ("TurnEnd", End::Exited(1), inject, &["wrong-exit-code"]),
        ("TurnEnd", End::Signalled(15), inject, &["wrong-exit-code", "signalled"]),
    ] {
        let verdict = on(event).judge_output(end.clone(), stdout, "");
        assert_eq!(
            (verdict.restraint, reason(&verdict)),
            (Restraint::Deny, "r"),
            "{event} {stdout}"
        );
        assert_eq!(codes(&verdict), faults, "{event} {end:?} {stdout}");
        let exact = exactly(event).judge_output(end.clone(), stdout, "");
        assert_eq!(exact.restraint, Restraint::Silent, "{event} {end:?} {stdout}");
    }
    for (event, stdout) in [
        ("PostToolUse", &*deny),
        ("SessionStart", &*deny),
        ("PreToolUse", r#"{"decision": "approve"}"#),
        ("PreToolUse", "I deny nothing"),
        ("TurnStart", r#"note: {"decision": "block"}"#),
        ("PreToolUse", "@@INJECT: a"),
    ] {
        let verdict = on(event).judge_output(End::Exited(0), stdout, "");
        assert_eq!(verdict.restraint, Restraint::Silent, "{event} {stdout}");
    }
}
