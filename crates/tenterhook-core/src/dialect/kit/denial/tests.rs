//! The matrix of denials (A-20 to A-44): shape by dialect by kind of event. No answer that means no
//! proceeds in any dialect, and no innocent is held where its agent would not hold it.

mod exact_messages;
mod near_misses;
mod reasons;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Power, Restraint};
use crate::dialect::{DIALECTS, Dialect, EventRow};
use crate::event::{Event, Surroundings};
use crate::hook::{Compat, Hook, HookId, OnFailure, Run};
use crate::report::{End, Report, StepOutput};
use crate::verdict::{JudgeContext, Verdict, judge_answer};

fn table(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// One output of a hook.
#[derive(Debug)]
struct Output {
    name: String,
    stdout: String,
    stderr: String,
    exit: i32,
}

fn outputs(list: &Value) -> Vec<Output> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let read = |value: &Value| Output {
        name: text(value, "name"),
        stdout: text(value, "stdout"),
        stderr: text(value, "stderr"),
        exit: value["exit"].as_i64().map_or(0, |code| code.try_into().expect("small")),
    };
    list.as_array().expect("a list").iter().map(read).collect()
}

fn verdict(dialect: &'static Dialect, row: &EventRow, said: &Output, compat: Compat) -> Verdict {
    verdict_of(dialect, row, said, compat, None)
}

fn verdict_of(
    dialect: &'static Dialect,
    row: &EventRow,
    said: &Output,
    compat: Compat,
    on_failure: Option<OnFailure>,
) -> Verdict {
    let event = Event::new(&*row.event, Surroundings::default())
        .with("tool_name", "Bash")
        .with("prompt", "p");
    let end = if said.exit < 0 { End::Signalled(-said.exit) } else { End::Exited(said.exit) };
    let bytes = StepOutput::Bytes {
        stdout: said.stdout.as_bytes().into(),
        stderr: said.stderr.as_bytes().into(),
    };
    let report = Report { said: bytes, ..Report::without_output(end, Duration::ZERO) };
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), dialect.id(), event.name.clone(), run);
    hook.compat = compat;
    hook.on_failure = on_failure;
    let answer = dialect.read_answer(&event, row, &report);
    judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer)
}

fn holds(verdict: &Verdict) -> bool {
    verdict.restraint > Restraint::Allow || verdict.effects.stop.is_some()
}

/// The rows of one dialect for the events at which most hooks print.
fn rows(dialect: &'static Dialect) -> Vec<&'static EventRow> {
    let events = ["PreToolUse", "UserPromptSubmit", "Stop", "SessionStart"].iter();
    events.filter_map(|event| dialect.event_row(&(*event).into())).collect()
}

fn report_of(dialect: &Dialect, row: &EventRow, said: &Output, verdict: &Verdict) -> String {
    let codes: Vec<_> =
        verdict.faults.iter().map(|fault| (fault.code.name(), &fault.message)).collect();
    format!(
        "{} {}: {}\n  {:?}\n  {:?} {codes:?}",
        dialect.id().as_str(),
        row.name,
        said.name,
        said.stdout,
        said.stderr
    )
}

fn fail_with(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} cells\n{}", wrong.len(), wrong.join("\n"));
}

/// A-20, A-43, A-84, A-85: what hooks printed that meant no, collected in each dialect.
#[test]
fn no_collected_answer_that_means_no_proceeds() {
    let table = table("observed/attacks/answers.json");
    let mut wrong = Vec::new();
    for dialect in DIALECTS {
        let Some(list) = table["says_no"].get(dialect.id().as_str()) else { continue };
        let row = dialect.event_row(&"PreToolUse".into()).expect("a gate");
        for output in outputs(list) {
            let verdict = verdict(dialect, row, &output, Compat::Guarded);
            if !holds(&verdict) {
                wrong.push(report_of(dialect, row, &output, &verdict));
            }
        }
    }
    fail_with(&wrong);
}

/// A clean denial and a clean consent of each dialect, with which `{deny}` and `{allow}` of the
/// shapes are filled.
const CLEAN: &[(&str, &str, &str)] = &[
    ("native", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    (
        "claude",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    (
        "gen",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    ("ignis", r#"{"continue": false, "systemMessage": "no rm"}"#, r#"{"continue": true}"#),
    ("codewhale", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    ("reasonix", r#"{"decision": "block", "reason": "no rm"}"#, "{}"),
    ("codex", NESTED, "{}"),
    ("gemini", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    (
        "qwen",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    (
        "copilot",
        r#"{"permissionDecision": "deny", "permissionDecisionReason": "no rm"}"#,
        r#"{"permissionDecision": "allow"}"#,
    ),
    (
        "copilot-pascal",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    (
        "droid",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    ("vibe", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    ("kimi", NESTED, "{}"),
    ("antigravity", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    ("windsurf", r#"{"decision": "block", "reason": "no rm"}"#, "{}"),
    (
        "augment",
        NESTED,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
    ),
    ("cursor", CURSOR_DENY, r#"{"permission": "allow"}"#),
    ("cursor-action", CURSOR_DENY, r#"{"permission": "allow"}"#),
    ("crush", r#"{"decision": "deny", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    ("kiro", r#"{"decision": "block", "reason": "no rm"}"#, "{}"),
    ("kiro-agent", r#"{"decision": "block", "reason": "no rm"}"#, "{}"),
    ("goose", r#"{"decision": "block", "reason": "no rm"}"#, r#"{"decision": "allow"}"#),
    ("hermes", r#"{"action": "block", "message": "no rm"}"#, "{}"),
    ("cline", r#"{"cancel": true, "errorMessage": "no rm"}"#, "{}"),
];
const CURSOR_DENY: &str = r#"{"permission": "deny", "user_message": "no rm"}"#;
const NESTED: &str = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no rm"}}"#;

/// A shape as a hook of that dialect prints it.
fn filled(shape: &Output, dialect: &Dialect) -> Output {
    let clean = CLEAN.iter().find(|(id, ..)| *id == dialect.id().as_str());
    let (_, deny, allow) = clean.expect("a clean denial of each dialect");
    let fill = |text: &str| text.replace("{deny}", deny).replace("{allow}", allow);
    Output {
        name: shape.name.clone(),
        stdout: fill(&shape.stdout),
        stderr: fill(&shape.stderr),
        exit: shape.exit,
    }
}

/// A-43: every shape in every dialect, before a tool and on a prompt, where a denial can prevent
/// something.
#[test]
fn no_shape_that_means_no_proceeds_in_any_dialect() {
    let mut shapes = outputs(&table("denials/shapes.json"));
    shapes.extend(outputs(&table("denials/hooks.json")));
    assert!(shapes.len() > 1000);
    let mut wrong = Vec::new();
    for dialect in DIALECTS {
        let row = dialect.event_row(&"PreToolUse".into()).expect("a gate");
        for shape in &shapes {
            let output = filled(shape, dialect);
            let verdict = verdict(dialect, row, &output, Compat::Guarded);
            if !holds(&verdict) {
                wrong.push(report_of(dialect, row, &output, &verdict));
            }
        }
    }
    fail_with(&wrong);
}

/// A-20, A-43: on every other event before an effect a shape is held too, where the event can be
/// denied; on the rest it is not lost without a fault.
#[test]
fn no_shape_is_lost_in_silence_on_other_events() {
    let mut shapes = outputs(&table("denials/hooks.json"));
    let filled = |output: &Output| {
        [&output.stdout, &output.stderr]
            .iter()
            .any(|text| text.contains("{deny}") || text.contains("{allow}"))
    };
    shapes.retain(|shape| !filled(shape));
    let mut wrong = Vec::new();
    for dialect in DIALECTS {
        let events =
            ["Stop", "PermissionRequest", "PreModelCall", "PreModelSwitch", "SubagentStop"];
        let rows = events.iter().filter_map(|event| dialect.event_row(&(*event).into()));
        for row in rows.filter(|row| row.powers.has(Power::Deny)) {
            for shape in shapes.iter().step_by(shapes.len() / 40) {
                // Text is context there (A-22).
                if row.name == "PreModelCall" && !shape.stdout.starts_with('{') && shape.exit != 2 {
                    continue;
                }
                let verdict = verdict(dialect, row, shape, Compat::Guarded);
                let is_reported = !row.is_before_effect() && !verdict.faults.is_empty();
                if !holds(&verdict) && !is_reported {
                    wrong.push(report_of(dialect, row, shape, &verdict));
                }
            }
        }
    }
    fail_with(&wrong);
}

/// A-43, MO-9: what a model that serves as a hook says against a tool, in any shape, is held too.
#[test]
fn no_shape_that_a_model_says_proceeds() {
    let mut shapes = outputs(&table("denials/hooks.json"));
    let filled =
        |output: &Output| output.stdout.contains("{deny}") || output.stdout.contains("{allow}");
    shapes.retain(|shape| shape.exit == 0 && shape.stderr.is_empty() && !filled(shape));
    let prompt = crate::hook::Prompt::new("Is it safe?");
    let mut wrong = Vec::new();
    for dialect in DIALECTS {
        let row = dialect.event_row(&"PreToolUse".into()).expect("a gate");
        let event = Event::new(&*row.event, Surroundings::default()).with("tool_name", "Bash");
        for shape in &shapes {
            let bytes = StepOutput::Bytes {
                stdout: shape.stdout.as_bytes().into(),
                stderr: "".as_bytes().into(),
            };
            let report =
                Report { said: bytes, ..Report::without_output(End::Exited(0), Duration::ZERO) };
            let run = Run::Prompt(prompt.clone());
            let hook = Hook::new(HookId::new("h"), dialect.id(), event.name.clone(), run);
            let answer = dialect.read_model_answer(&prompt, &event, row, &report);
            let verdict = judge_answer(JudgeContext { hook: &hook, row, widened: None }, answer);
            if !holds(&verdict) {
                wrong.push(report_of(dialect, row, shape, &verdict));
            }
        }
    }
    fail_with(&wrong);
}

/// A-45: output that is made to keep the engine busy is read in a few passes.
#[test]
fn hostile_texts_are_read_to_their_end() {
    let row = crate::dialect::claude::CLAUDE.event_row(&"PreToolUse".into()).expect("a gate");
    let lines = [
        "{",
        "{\"a",
        "[",
        "[{",
        "{a:",
        "\"",
        "{\"a\": \"x\n",
        "\\",
        "{\\\"",
        "`",
        "{'\\'",
        "a=b ",
        "<a>",
        "a: b\n",
        "```\n{\n",
    ];
    for piece in lines {
        let text = piece.repeat((64 << 10) / piece.len());
        for (stdout, stderr) in [(&*text, ""), ("", &*text)] {
            let output = Output {
                name: piece.into(),
                stdout: stdout.into(),
                stderr: stderr.into(),
                exit: 0,
            };
            let verdict = verdict(&crate::dialect::claude::CLAUDE, row, &output, Compat::Guarded);
            assert!(verdict.restraint != Restraint::Allow, "{piece}");
        }
    }
}

/// A-40: output that is not an answer restrains at most as much as the agent itself would.
#[test]
fn no_innocent_is_held() {
    let mut innocents = outputs(&table("observed/attacks/answers.json")["innocent"]);
    innocents.extend(outputs(&table("denials/innocents.json")));
    innocents.extend(outputs(&table("denials/tools.json")));
    assert!(innocents.len() > 400);
    let mut wrong = Vec::new();
    for output in innocents {
        for dialect in DIALECTS {
            for row in rows(dialect) {
                let guarded = verdict(dialect, row, &output, Compat::Guarded);
                let exact = verdict(dialect, row, &output, Compat::Exact);
                if holds(&guarded) && !holds(&exact) {
                    wrong.push(report_of(dialect, row, &output, &guarded));
                }
            }
        }
    }
    fail_with(&wrong);
}

/// What becomes of a tool call after a hook said this.
fn comes_to(verdict: &Verdict) -> &'static str {
    match verdict.restraint {
        Restraint::Silent | Restraint::Allow if verdict.effects.stop.is_some() => "stop",
        Restraint::Silent | Restraint::Allow => "proceed",
        held => held.name().unwrap_or_default(),
    }
}

/// A-43: where the same output comes to one thing in one dialect and to another elsewhere,
/// `denials/differences.json` has the reason; and no row of it is idle.
#[test]
fn a_cell_that_differs_between_dialects_has_its_reason() {
    let rows = table("denials/differences.json");
    let rows = rows.as_array().expect("an array");
    let mut met = vec![false; rows.len()];
    let mut wrong = Vec::new();
    let lists = [
        (true, table("denials/shapes.json")),
        (true, table("denials/hooks.json")),
        (false, table("denials/innocents.json")),
        (false, table("denials/tools.json")),
        (false, table("observed/attacks/answers.json")["innocent"].clone()),
    ];
    for (means_no, list) in &lists {
        for output in outputs(list) {
            let cells = DIALECTS.iter().map(|dialect| {
                let row = dialect.event_row(&"PreToolUse".into()).expect("a gate");
                let output = filled(&output, dialect);
                let word = comes_to(&verdict(dialect, row, &output, Compat::Guarded));
                (dialect.id().as_str(), word)
            });
            let cells: Vec<_> = cells.collect();
            if cells.iter().all(|(_, word)| *word == cells[0].1) {
                continue;
            }
            let explains = |row: &Value| {
                let is_named = row["only"].as_array().is_none_or(|names| {
                    names.iter().any(|name| name.as_str() == Some(output.name.as_str()))
                });
                let says = |(dialect, word): &(&str, &str)| row["cells"][dialect] == *word;
                row["means_no"] == *means_no && is_named && cells.iter().all(says)
            };
            match rows.iter().position(explains) {
                Some(at) => met[at] = true,
                None => wrong.push(format!("{:?}: {means_no} {cells:?}", output.name)),
            }
        }
    }
    for (row, _) in rows.iter().zip(&met).filter(|(_, met)| !**met) {
        wrong.push(format!("no output comes to this: {row}"));
    }
    let reasoned = |row: &Value| row["reason"].as_str().is_some_and(|reason| !reason.is_empty());
    assert!(rows.iter().all(reasoned), "a row without a reason");
    fail_with(&wrong);
}

/// What one key asks of its object is looked up once, and of denials that are alike one is kept: a
/// text whose cost grew with the square of its length would not come to an end here.
#[test]
fn each_key_of_a_wide_object_may_decide() {
    let dialect = DIALECTS
        .iter()
        .find(|dialect| dialect.event_row(&"PreToolUse".into()).is_some())
        .expect("one");
    let row = dialect.event_row(&"PreToolUse".into()).expect("a gate");
    let wide = |entry: &dyn Fn(usize) -> String| {
        let entries: Vec<String> = (0..9_000).map(entry).collect();
        format!("{{\"a\": 1, {}}}", entries.join(", "))
    };
    let flags = wide(&|at| format!("\"k{at}_decision\": \"deny\""));
    let inner = wide(&|at| format!("\"k{at}\": {{\"deny\": true}}"));
    let list = format!("so data: [{}{{}}] and so", "{\"decision\": \"deny\"}, ".repeat(9_000));
    for stdout in [&*flags, &*flags.replace("\"a\"", "\"reason\": \"no\", \"a\""), &*inner, &*list]
    {
        for torn in [stdout, stdout.get(..stdout.len() - 1).expect("ASCII")] {
            let output = Output {
                name: "wide".to_owned(),
                stdout: torn.to_owned(),
                stderr: String::new(),
                exit: 0,
            };
            let verdict = verdict(dialect, row, &output, Compat::Guarded);
            assert!(verdict.faults.len() < 10, "{}", verdict.faults.len());
        }
    }
}
