//! Every observed run of the real agent that is one report: exact reading agrees with it, guarded reading only denies more.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::Restraint;
use crate::dialect::DialectId;
use crate::dialect::codex::CODEX;
use crate::event::Event;
use crate::hook::{Compat, Hook, HookId, Run};
use crate::report::{End, Report, StepOutput};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn conformance(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

fn payload(name: &str) -> Value {
    conformance(&format!("payloads/codex/{name}.json"))
}

fn event(name: &str) -> Event {
    let tool = if name.ends_with("ToolUse") { "-Bash" } else { "" };
    super::event(&payload(&format!("{name}{tool}")))
}

fn report(hook: &Value) -> Report {
    let text = |key: &str| hook[key].as_str().expect("text");
    let code = i32::try_from(hook["code"].as_i64().expect("code")).expect("small");
    let said = StepOutput::Bytes {
        stdout: text("stdout").as_bytes().into(),
        stderr: text("stderr").as_bytes().into(),
    };
    Report { said, ..Report::without_output(End::Exited(code), Duration::ZERO) }
}

fn verdict(event: &Event, report: &Report, compat: Compat) -> Verdict {
    let row = CODEX.event_row(&event.name).expect("a row");
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::CODEX, event.name.clone(), run);
    hook.compat = compat;
    let answer = CODEX.read_answer(event, row, report);
    judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// What followed, in the words of an outcome.
#[derive(Debug, PartialEq)]
struct Followed {
    /// The action did not happen, or the turn went on although it was about to end.
    held: bool,
    rewritten: bool,
    /// The model read something else than the tool said.
    replaced: bool,
    context: bool,
}

fn observed(event: &str, seen: &Value) -> Followed {
    let result = seen["tool_result_seen_by_model"]["content"].as_str().unwrap_or_default();
    let texts = seen["hook_text_seen_by_model"].to_string();
    let ran = result.contains("Process exited with code 0");
    Followed {
        held: match event {
            "PreToolUse" => !ran,
            "PostToolUse" => seen["tool_ran_with_original_input"] == json!(false),
            "Stop" => texts.contains("hook_prompt"),
            _ => seen["prompt_reached_model"] == json!(false),
        },
        rewritten: ran && result.contains("MARK-upd"),
        replaced: event == "PostToolUse" && !ran,
        context: texts.contains("developer: "),
    }
}

fn judged(verdict: &Verdict) -> Followed {
    let effects = &verdict.effects;
    Followed {
        held: verdict.restraint > Restraint::Allow || effects.stop.is_some(),
        rewritten: effects.updated_input.is_some(),
        replaced: effects.updated_output.is_some(),
        context: !effects.context.is_empty(),
    }
}

/// CX-40 to CX-45.
#[test]
fn exact_reading_agrees_with_every_run_and_guarded_reading_only_denies_more() {
    let table = conformance("codex-outcomes.json");
    let cases = table["cases"].as_array().expect("cases");
    let (mut compared, mut gained) = (0, Vec::new());
    for case in cases.iter().filter(|case| case["hook"].get("cmd").is_none()) {
        let name = case["event"].as_str().expect("event");
        let title = format!("{name} {}", case["case"].as_str().expect("case"));
        let (event, report) = (event(name), report(&case["hook"]));
        let exact = verdict(&event, &report, Compat::Exact);
        let seen = observed(name, &case["observed"]);
        assert_eq!(judged(&exact), seen, "{title}: {:?}", exact.faults);
        let words = case["observed"].to_string();
        let failed = words.contains("Failed");
        assert!(!failed || !exact.faults.is_empty(), "{title}: the agent tells of a failure");
        for mark in ["MARK-r", "MARK-err", "MARK-stop"] {
            if exact.restraint > Restraint::Allow && words.contains(mark) {
                let reason = exact.reason.clone().expect("a reason");
                assert!(reason.text.contains(mark), "{title}: {}", reason.text);
            }
        }
        let guarded = verdict(&event, &report, Compat::Guarded);
        if judged(&guarded).held && !seen.held {
            gained.push(title);
        } else {
            assert_eq!(judged(&guarded).held, seen.held, "{title}");
        }
        compared += 1;
    }
    assert_eq!((compared, cases.len()), (48, 54));
    assert_eq!(
        gained,
        [
            "PreToolUse DENY-upper",
            "PreToolUse defer",
            "PreToolUse deny-no-reason",
            "PreToolUse exit1-json-deny",
            "PreToolUse exit3-json-deny",
            "PreToolUse text-then-json",
            "PreToolUse two-json-lines",
            "PreToolUse unknown-decision",
            "Stop block-no-reason",
        ]
    );
}

/// CX-20.
#[test]
fn every_observed_payload_is_read_and_written_as_it_was() {
    for name in [
        "PermissionRequest-Bash",
        "PostModelRequest",
        "PostToolUse-Bash",
        "PostToolUse-apply_patch",
        "PreModelRequest",
        "PreToolUse-Bash",
        "PreToolUse-apply_patch",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ] {
        let given = payload(name);
        let event = super::event(&given);
        assert!(CODEX.event_row(&event.name).is_some(), "{name}");
        let written: Value =
            serde_json::from_slice(&CODEX.encode_event(&event).body).expect("JSON");
        assert_eq!(written, given, "{name}");
    }
    let event =
        super::event(&json!({"hook_event_name": "PreModelRequest", "transcript_path": null}));
    assert_eq!(event.name.as_str(), "PreModelCall");
    assert_eq!(
        CODEX.encode_event(&event).body,
        br#"{"session_id":"","transcript_path":null,"cwd":"","hook_event_name":"PreModelRequest"}"#
    );
}
