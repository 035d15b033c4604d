//! The table of near misses and innocents (V-20 to V-34): every near miss restrains and is named, no innocent is accused.

use serde_json::Value;

use super::{read, *};
use crate::hook::{Compat, Hook, HookId};
use crate::syntax::{self, Format, Node};
use crate::verdict::{self, JudgeContext, Verdict};

const TABLE: &str = include_str!("../../../../../../conformance/near-misses/native.toml");

fn cases() -> Vec<Node> {
    let root = syntax::parse(TABLE, Format::Toml).root.expect("TOML");
    root.get("case").and_then(Node::as_array).expect("cases").to_vec()
}

/// What a gate's answer comes to, where a failure lets the action go on.
fn judged(case: &Node, compat: Compat) -> Verdict {
    let text = |key: &str| case.get(key).and_then(Node::as_str).unwrap_or_default();
    let exit = case.get("exit").and_then(Node::as_u64).unwrap_or(0);
    let answer = read(End::Exited(exit.try_into().expect("small")), text("stdout"), text("stderr"));
    let row = NATIVE.row(&"PreToolUse".into()).expect("a row");
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    let mut hook = Hook::new(HookId::new("h"), DialectId::NATIVE, "PreToolUse".into(), run);
    hook.on_failure = Some(OnFailure::Continue);
    hook.compat = compat;
    verdict::judge(JudgeContext { hook: &hook, row, widened: None }, answer)
}

/// `none` is a failure: which policy decides is another rule.
fn word(verdict: &Verdict) -> String {
    const NO_ANSWER: &[&str] =
        &["unreadable-answer", "invalid-answer", "exit-code", "unclear-answer"];
    if verdict.effects.stop.is_some() {
        return "stop".to_owned();
    }
    let failed = verdict.faults.iter().any(|fault| NO_ANSWER.contains(&fault.code.name()));
    let none = failed && verdict.restraint == Restraint::Silent;
    if none { "none".to_owned() } else { verdict.restraint.word().unwrap_or("silent").to_owned() }
}

#[test]
fn every_near_miss_counts_and_no_innocent_does() {
    let (mut misses, mut innocents) = (0, 0);
    for case in cases() {
        let text = |key: &str| case.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        let name = text("name");
        let guarded = judged(&case, Compat::Guarded);
        assert_eq!(word(&guarded), text("expect"), "{name}: {guarded:?}");
        let slips: Vec<&str> = guarded
            .faults
            .iter()
            .map(|fault| fault.code.name())
            .filter(|code| SlipKind::ALL.iter().any(|(_, known, _)| known.name() == *code))
            .collect();
        let exact = judged(&case, Compat::Exact);
        if text("slip").is_empty() {
            assert_eq!(slips, [""; 0], "{name}");
            assert_eq!(word(&exact), word(&guarded), "{name}");
            innocents += 1;
        } else {
            assert!(slips.contains(&&*text("slip")), "{name}: {slips:?}");
            assert_eq!(word(&exact), "none", "{name}");
            misses += 1;
        }
        assert!(text("rule").starts_with("V-"), "{name}");
    }
    assert!(misses > 30 && innocents > 30, "{misses} near misses, {innocents} innocents");
}

#[test]
fn no_text_consents_that_is_not_one_strict_object() {
    for case in cases() {
        let stdout = case.get("stdout").and_then(Node::as_str).unwrap_or_default();
        let strict = serde_json::from_str::<Value>(stdout).is_ok();
        let verdict = judged(&case, Compat::Guarded);
        assert!(strict || verdict.restraint != Restraint::Allow, "{stdout}");
    }
}
