//! The table of near misses and innocents (CW-60 to CW-68): every near miss restrains and is named, no innocent is accused.

use super::*;
use crate::answer::{Restraint, SlipKind};
use crate::hook::{Compat, HookId, OnFailure, Run};
use crate::report::{End, Output, Said};
use crate::verdict::{self, JudgeContext, Verdict};

const TABLE: &str = include_str!("../../../../../../conformance/near-misses/codewhale.toml");

/// What an answer comes to, where a failure lets the action go on.
fn judged(case: &Node, compat: Compat) -> Verdict {
    let text = |key: &str| case.get(key).and_then(Node::as_str).unwrap_or_default();
    let exit = case.get("exit").and_then(Node::as_u64).unwrap_or(0);
    let said = Said::Bytes {
        stdout: Output::from(text("stdout").as_bytes()),
        stderr: Output::from(text("stderr").as_bytes()),
    };
    let end = End::Exited(exit.try_into().expect("small"));
    let report = Report { said, ..Report::silent(end, std::time::Duration::ZERO) };
    let name = case.get("event").and_then(Node::as_str).unwrap_or("tool_call_before");
    let spec = events::spec(name).expect("an event");
    let event = Event::new(spec.covers[0], crate::event::Surroundings::default());
    let row = CODEWHALE.row(&event.name).expect("a row");
    let answer = CODEWHALE.read_answer(&event, row, &report);
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::CODEWHALE, event.name, run);
    hook.on_failure = Some(OnFailure::Continue);
    hook.compat = compat;
    verdict::judge(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// `none` is a failure: which policy decides is another rule.
fn word(verdict: &Verdict) -> String {
    let failed = |code| {
        matches!(code, "unreadable-answer" | "invalid-answer" | "exit-code" | "unclear-answer")
    };
    let none = verdict.faults.iter().any(|it| failed(it.code.name()))
        && verdict.restraint == Restraint::Silent;
    if none { "none".to_owned() } else { verdict.restraint.word().unwrap_or("silent").to_owned() }
}

#[test]
fn every_near_miss_counts_and_no_innocent_does() {
    let root = parse(TABLE, Format::Toml).root.expect("TOML");
    let cases = root.get("case").and_then(Node::as_array).expect("cases");
    let (mut misses, mut innocents) = (0, 0);
    for case in cases {
        let text = |key: &str| case.get(key).and_then(Node::as_str).unwrap_or_default();
        let name = text("name");
        let (guarded, exact) = (judged(case, Compat::Guarded), judged(case, Compat::Exact));
        // A warning about text that changes nothing (CW-S5) is no failure.
        let plain = text("rule") == "CW-S5" && text("expect") == "silent";
        let expected = if plain { word(&guarded) } else { text("expect").to_owned() };
        assert_eq!(word(&guarded), expected, "{name}: {guarded:?}");
        assert!(!plain || guarded.restraint == Restraint::Silent, "{name}");
        let slips: Vec<&str> = guarded
            .faults
            .iter()
            .map(|fault| fault.code.name())
            .filter(|code| SlipKind::ALL.iter().any(|(_, known, _)| known.name() == *code))
            .collect();
        if text("slip").is_empty() {
            assert_eq!(slips, [""; 0], "{name}");
            assert_eq!(word(&exact), word(&guarded), "{name}");
            innocents += 1;
        } else {
            assert!(slips.contains(&text("slip")), "{name}: {slips:?}");
            let wanted = if text("exact").is_empty() { "silent" } else { text("exact") };
            assert_eq!(exact.restraint.word().unwrap_or("silent"), wanted, "{name}");
            misses += 1;
        }
        assert!(text("rule").starts_with("CW-"), "{name}");
    }
    assert!(misses > 30 && innocents > 30, "{misses} near misses, {innocents} innocents");
}
