//! The table of near misses and innocents (A-20 to A-40): every near miss restrains although the
//! agent would lose it, and no innocent does or is accused. The innocents of events whose plain
//! stdout is context prove A-22.

use std::collections::BTreeSet;

use proptest::prelude::{ProptestConfig, Strategy};
use proptest::prop_assert;
use proptest::prop_assert_eq;
use proptest::sample::select;

use super::conformance;
use super::observed::{event, report, verdict};
use crate::answer::{Restraint, SlipKind};
use crate::event::{Event, Surroundings};
use crate::hook::Compat;
use crate::verdict::Verdict;

struct Case {
    name: String,
    rule: String,
    event: Event,
    stdout: String,
    stderr: String,
    exit: i32,
    expect: String,
    slip: String,
}

fn cases() -> Vec<Case> {
    let path = conformance("near-misses/claude.toml");
    let text = std::fs::read_to_string(path).expect("the table is part of the repository");
    let document: toml_edit::DocumentMut = text.parse().expect("TOML");
    let tables = document["case"].as_array_of_tables().expect("cases");
    tables
        .iter()
        .map(|table| {
            let text = |key: &str| {
                table.get(key).and_then(toml_edit::Item::as_str).unwrap_or_default().to_owned()
            };
            let mut event = subject(&text("event"));
            let payload = table.get("payload").and_then(toml_edit::Item::as_inline_table);
            for (key, value) in payload.into_iter().flatten() {
                event = event.with(key, value.as_str().expect("text"));
            }
            let exit = table.get("exit").map_or(0, |exit| exit.as_integer().expect("a number"));
            Case {
                name: text("name"),
                rule: text("rule"),
                event,
                stdout: text("stdout"),
                stderr: text("stderr"),
                exit: i32::try_from(exit).expect("small"),
                expect: text("expect"),
                slip: text("slip"),
            }
        })
        .collect()
}

/// An event as observed, where it was.
fn subject(name: &str) -> Event {
    match name {
        "PermissionRequest" => event("PermissionRequest-Bash"),
        "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "SessionStart" | "Stop"
        | "SubagentStop" | "MessageDisplay" => event(name),
        _ => Event::new(name, Surroundings::default()),
    }
}

fn came_out(verdict: &Verdict) -> &'static str {
    match verdict.restraint.name() {
        Some(word) => word,
        None if verdict.effects.stop.is_some() => "stop",
        None if !verdict.effects.context.is_empty() => "context",
        None => "silent",
    }
}

fn accusations(verdict: &Verdict) -> BTreeSet<&'static str> {
    let codes = verdict.faults.iter().map(|fault| fault.code.name());
    codes.filter(|code| SlipKind::ALL.iter().any(|(_, slip, _)| slip.name() == *code)).collect()
}

#[test]
fn every_near_miss_restrains_and_no_innocent_is_accused() {
    let mut wrong = Vec::new();
    let (mut misses, mut innocents) = (0, 0);
    for case in cases() {
        let report = report(&case.stdout, &case.stderr, case.exit);
        let guarded = verdict(&case.event, &report, Compat::Guarded);
        let exact = verdict(&case.event, &report, Compat::Exact);
        let accused = accusations(&guarded);
        let restrains = |verdict: &Verdict| {
            (verdict.restraint.max(Restraint::Allow), verdict.effects.stop.is_some())
        };
        let fits = if case.slip.is_empty() {
            innocents += 1;
            accused.is_empty() && restrains(&exact) == restrains(&guarded)
        } else {
            misses += 1;
            let stopped = guarded.effects.stop.as_ref().and_then(|stop| stop.reason.clone());
            let reason = guarded.reason.as_ref().map(|reason| reason.text.clone()).or(stopped);
            accused.contains(case.slip.as_str())
                && reason.is_some_and(|reason| reason.starts_with("no"))
                && restrains(&exact) < restrains(&guarded)
        };
        if !fits || came_out(&guarded) != case.expect {
            wrong.push(format!(
                "{} ({}): {} {accused:?}, exact {}; {:?} {:?}",
                case.name,
                case.rule,
                came_out(&guarded),
                came_out(&exact),
                guarded.reason,
                guarded.faults
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(misses >= 40 && innocents >= 40, "{misses} near misses, {innocents} innocents");
}

#[test]
fn every_slip_has_near_misses_and_they_cite_its_rule() {
    let spec = std::fs::read_to_string(conformance("../docs/spec/answers.md")).expect("spec");
    let cases = cases();
    for (_, code, _) in SlipKind::ALL {
        let row = spec.lines().find(|line| line.contains(&format!("** `{code}`: ")));
        let row = row.unwrap_or_else(|| panic!("`{code}` has no row in the spec"));
        let mut found = cases.iter().filter(|case| case.slip == code.name()).peekable();
        assert!(found.peek().is_some(), "`{code}` has no case");
        for case in found {
            assert!(row.contains(&format!("**{}**", case.rule)), "{}: {row}", case.name);
        }
    }
}

/// A-21: whatever a hook prints, what slipped never consents, and guarded reading never restrains
/// less than exact reading.
#[test]
fn a_slip_never_allows_and_no_denial_is_lost_in_any_corner() {
    let allow = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "x"}}}"#;
    let forms = [
        format!("log\n{allow}"),
        format!("{allow}\nlog"),
        format!("{allow}{allow}"),
        format!("```json\n{allow}\n```"),
        format!("[{allow}]"),
        allow.replace('"', "'"),
        allow.replace("\"allow\"", "\"Allow\""),
        allow.replace("\"allow\"", "\"allow\", \"permissionDecision\": \"allow\""),
        allow.replace("permissionDecision", "permission_decision"),
        allow.replace("\"PreToolUse\"", "\"PostToolUse\""),
    ];
    for form in &forms {
        let verdict = verdict(&event("PreToolUse"), &report(form, "", 0), Compat::Guarded);
        assert_eq!(verdict.restraint, Restraint::Silent, "{form}");
        assert!(
            verdict.effects.updated_input.is_none() || form.contains("permission_decision"),
            "{form}"
        );
        assert!(!verdict.faults.is_empty(), "{form}: no fault is reported");
    }
    for case in cases() {
        for exit in [0, 1, 2, 127, -9] {
            let report = report(&case.stdout, &case.stderr, exit);
            let guarded = verdict(&case.event, &report, Compat::Guarded);
            let exact = verdict(&case.event, &report, Compat::Exact);
            assert!(
                guarded.restraint >= exact.restraint || exact.restraint == Restraint::Allow,
                "{} at exit {exit}",
                case.name
            );
            assert!(guarded.restraint != Restraint::Allow || exact.restraint == Restraint::Allow);
        }
    }
}

/// Checks the values of the table: one of the wrong type would fall back to its default.
#[test]
fn the_table_is_well_formed() {
    let names: BTreeSet<_> = cases().iter().map(|case| case.name.clone()).collect();
    assert_eq!(names.len(), cases().len(), "two cases have one name");
    for case in cases() {
        assert!(
            ["deny", "ask", "defer", "stop", "allow", "context", "silent"]
                .contains(&case.expect.as_str())
        );
        assert!(case.rule.starts_with("A-"), "{}", case.name);
    }
}

/// Pieces of which hooks make answers, and lose them.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "\n",
    " ",
    "log",
    "\u{feff}",
    "\0",
    "```",
    "```json\n",
    "false",
    "0",
    "null",
    "\"decision\": \"block\"",
    "\"decision\": \"approve\"",
    "\"decision\": \"Deny\"",
    "\"permissionDecision\": \"deny\"",
    "\"permissionDecision\": \"allow\"",
    "\"permissionDecision\": \"ask\"",
    "\"hookSpecificOutput\": {",
    "\"hookEventName\": \"PreToolUse\"",
    "\"continue\": false",
    "\"continue\": \"false\"",
    "\"reason\": \"no\"",
    "\"systemMessage\": 5",
    "\"updatedInput\": {}",
    "{\"async\": true}\n",
];

/// Fields that stand whole, so that most answers of [`shaped`] are objects.
const FIELDS: &[&str] = &[
    r#""decision": "block""#,
    r#""decision": "approve""#,
    r#""decision": "Deny""#,
    r#""permissionDecision": "deny""#,
    r#""continue": false"#,
    r#""continue": "false""#,
    r#""reason": "no""#,
    r#""systemMessage": 5"#,
    r#""systemMessage": "s""#,
    r#""hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}"#,
    r#""hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}"#,
    r#""hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "deny"}"#,
    r#""hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {}}"#,
    r#""async": true"#,
];

fn shaped() -> impl Strategy<Value = String> {
    let fields = proptest::collection::vec(select(FIELDS), 0..5);
    let around = || select(&["", "", "", "", "\n", "log\n", "```\n", " x", "{}\n"][..]);
    (around(), fields, around())
        .prop_map(|(before, fields, after)| format!("{before}{{{}}}{after}", fields.join(", ")))
}

fn raw() -> impl Strategy<Value = String> {
    proptest::collection::vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// A-20, A-21 on random answers.
    #[test]
    fn guarded_reading_restrains_at_least_as_far_and_consents_to_no_more(
        stdout in proptest::prop_oneof![shaped(), shaped(), raw()],
        stderr in proptest::prop_oneof![raw(), shaped()],
        exit in select(&[0, 0, 0, 1, 2, -9][..]),
        name in select(&["PreToolUse", "PreToolUse", "UserPromptSubmit", "PermissionRequest", "Stop"][..]),
    ) {
        let report = report(&stdout, &stderr, exit);
        let guarded = verdict(&subject(name), &report, Compat::Guarded);
        let exact = verdict(&subject(name), &report, Compat::Exact);
        let floor = exact.restraint.max(Restraint::Allow);
        prop_assert!(guarded.restraint.max(Restraint::Allow) >= floor);
        prop_assert!(exact.effects.stop.is_none() || guarded.effects.stop.is_some());
        if guarded.restraint == Restraint::Allow {
            prop_assert_eq!(exact.restraint, Restraint::Allow);
            prop_assert!(accusations(&guarded).is_empty());
        }
    }
}
