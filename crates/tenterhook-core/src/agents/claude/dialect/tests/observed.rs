//! Every observed run of the real agent that is one report: exact reading agrees with it, guarded reading only denies more.

use std::time::Duration;

use serde_json::{Value, json};

use super::{conformance, json as read_json};
use crate::answer::Restraint;
use crate::dialect::DialectId;
use crate::dialect::Roots;
use crate::dialect::claude::CLAUDE;
use crate::event::Event;
use crate::hook::{Compat, Hook, HookId, Run};
use crate::report::{End, Report, StepOutput};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

/// Shows an event with the payload that the agent sends.
pub(super) fn event(name: &str) -> Event {
    let tool = if name.ends_with("ToolUse") { "-Bash" } else { "" };
    let path = conformance(&format!("observed/payloads/claude-code/{name}{tool}.json"));
    CLAUDE.decode_event(&read_json(&path), &Roots::default()).expect("readable")
}

pub(super) fn report(stdout: &str, stderr: &str, code: i32) -> Report {
    let end = if code < 0 { End::Signalled(-code) } else { End::Exited(code) };
    let said =
        StepOutput::Bytes { stdout: stdout.as_bytes().into(), stderr: stderr.as_bytes().into() };
    Report { said, ..Report::without_output(end, Duration::ZERO) }
}

pub(super) fn verdict(event: &Event, report: &Report, compat: Compat) -> Verdict {
    let row = CLAUDE
        .event_row(&event.name)
        .cloned()
        .unwrap_or_else(|| CLAUDE.row_for_unknown_event(&event.name));
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::CLAUDE, event.name.clone(), run);
    hook.compat = compat;
    let answer = CLAUDE.read_answer(event, &row, report);
    judge_answer(JudgeContext { hook: &hook, row: &row, widened: None }, answer)
}

/// What followed, in the words of an outcome.
#[derive(Debug, PartialEq)]
struct Followed {
    blocked: bool,
    stopped: bool,
    rewritten: bool,
    context: bool,
    first_message: bool,
}

fn observed(event: &str, seen: &Value) -> Followed {
    let result = &seen["tool_result_seen_by_model"];
    let texts = seen["hook_text_seen_by_model"].to_string();
    let any = |parts: &[&str]| parts.iter().any(|part| texts.contains(part));
    Followed {
        blocked: result["is_error"] == json!(true)
            || seen["prompt_reached_model"] == json!(false)
            || any(&["hook feedback", "hook blocking error"]),
        stopped: event == "PreToolUse" && result.is_null(),
        rewritten: result["content"].as_str().is_some_and(|text| text.contains("MARK-upd")),
        context: any(&["additional context", "hook success", "system: …"]),
        first_message: any(&["user: MARK-init"]),
    }
}

fn judged(event: &str, verdict: &Verdict) -> Followed {
    let effects = &verdict.effects;
    Followed {
        blocked: verdict.restraint > Restraint::Allow,
        // Ending a turn that ends anyway leaves no trace in a run.
        stopped: event != "Stop" && effects.stop.is_some(),
        rewritten: effects.updated_input.is_some() || effects.updated_output.is_some(),
        context: !effects.context.is_empty(),
        first_message: effects.initial_user_message.is_some(),
    }
}

#[test]
fn exact_reading_agrees_with_every_run_and_guarded_reading_only_denies_more() {
    let table = read_json(&conformance("observed/claude-code-outcomes.json"));
    let cases = table["cases"].as_array().expect("cases");
    let (mut compared, mut gained) = (0, Vec::new());
    for case in cases {
        let (name, hook) = (case["event"].as_str().expect("event"), &case["hook"]);
        if hook.get("cmd").is_some() {
            continue;
        }
        let title = format!("{name} {}", case["case"].as_str().expect("case"));
        let text = |key: &str| hook[key].as_str().expect("text");
        let code = i32::try_from(hook["code"].as_i64().expect("code")).expect("small");
        let (event, report) = (event(name), report(text("stdout"), text("stderr"), code));

        let exact = verdict(&event, &report, Compat::Exact);
        assert_eq!(judged(name, &exact), observed(name, &case["observed"]), "{title}");
        let words = case["observed"].to_string();
        for mark in ["MARK-r", "MARK-err"] {
            if exact.restraint > Restraint::Allow && words.contains(mark) {
                let reason = exact.reason.clone().expect("a reason");
                assert!(reason.text.contains(mark), "{title}: {}", reason.text);
            }
        }

        let guarded = verdict(&event, &report, Compat::Guarded);
        if guarded.restraint > Restraint::Allow && exact.restraint <= Restraint::Allow {
            gained.push(title);
        } else {
            assert_eq!(judged(name, &guarded), judged(name, &exact), "{title}");
        }
        compared += 1;
    }
    assert_eq!((compared, cases.len()), (49, 54));
    assert_eq!(
        gained,
        ["PreToolUse deny-wrong-eventname", "PreToolUse invalid-json", "PreToolUse json-then-text"]
    );
}
