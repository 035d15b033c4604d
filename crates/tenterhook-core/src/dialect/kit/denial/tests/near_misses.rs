//! The tables of near misses and innocents, one file a dialect: every near miss restrains and is
//! named, although the agent itself lets the action go on; no innocent is accused.

use serde_json::Value;

use super::*;
use crate::answer::SlipKind;
use crate::dialect::DialectId;
use crate::hook::OnFailure;
use crate::syntax::{Format, Node, parse_by_format};

/// Codes of faults that mean "no answer"; which policy decides then is tested elsewhere.
const NO_ANSWER: &[&str] = &["unreadable-answer", "invalid-answer", "exit-code", "unclear-answer"];

/// A table: its dialect, the event of a case that names none, and the beginning of its rules.
const TABLES: &[(&str, &str, &str)] = &[
    ("native", "PreToolUse", "V-"),
    ("codewhale", "tool_call_before", "CW-"),
    ("gen", "PreToolUse", "G-"),
];

fn cases(dialect: &str) -> Vec<Node> {
    let path = format!("../../conformance/near-misses/{dialect}.toml");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", path.display()));
    let root = parse_by_format(&text, Format::Toml).root.expect("TOML");
    root.get("case").and_then(Node::as_array).expect("cases").to_vec()
}

fn text<'n>(case: &'n Node, key: &str) -> &'n str {
    case.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// What an answer comes to, where a failure lets the action go on.
fn judged(dialect: &'static Dialect, usual: &str, case: &Node, compat: Compat) -> Verdict {
    let name = Some(text(case, "event")).filter(|text| !text.is_empty()).unwrap_or(usual);
    let row =
        dialect.event_rows().iter().find(|row| row.name == name).expect("an event of the table");
    let exit = case.get("exit").and_then(Node::as_u64).unwrap_or(0);
    let said = super::Output {
        name: name.to_owned(),
        stdout: text(case, "stdout").to_owned(),
        stderr: text(case, "stderr").to_owned(),
        exit: exit.try_into().expect("small"),
    };
    verdict_of(dialect, row, &said, compat, Some(OnFailure::Continue))
}

fn came_to(verdict: &Verdict) -> &'static str {
    let failed = verdict.faults.iter().any(|fault| NO_ANSWER.contains(&fault.code.name()));
    match verdict.restraint.name() {
        _ if verdict.effects.stop.is_some() => "stop",
        Some(word) => word,
        None if failed => "none",
        None => "silent",
    }
}

/// V-20 to V-34, CW-60 to CW-68, G-38.
/// V-32.
#[test]
fn every_near_miss_counts_and_no_innocent_does() {
    for (id, usual, rules) in TABLES {
        let dialect = DialectId::from_name(id).expect("it is spoken").dialect();
        let (mut misses, mut innocents) = (0, 0);
        for case in cases(id) {
            let name = format!("{id}: {}", text(&case, "name"));
            let guarded = judged(dialect, usual, &case, Compat::Guarded);
            let exact = judged(dialect, usual, &case, Compat::Exact);
            let is_known =
                |code: &&str| SlipKind::ALL.iter().any(|(_, other, _)| other.name() == *code);
            let codes = guarded.faults.iter().map(|fault| fault.code.name());
            let slips: Vec<&str> = codes.filter(is_known).collect();
            // A failure that changes nothing is silence to these: Gen has no other, and CodeWhale
            // warns of text (CW-S5).
            let is_quiet = *id == "gen" || text(&case, "rule") == "CW-S5";
            let word = came_to(&guarded);
            let word = if is_quiet && word == "none" { "silent" } else { word };
            assert_eq!(word, text(&case, "expect"), "{name}: {guarded:?}");
            if text(&case, "slip").is_empty() {
                assert_eq!(slips, [""; 0], "{name}");
                assert_eq!(came_to(&exact), came_to(&guarded), "{name}");
                innocents += 1;
            } else {
                assert!(slips.contains(&text(&case, "slip")), "{name}: {slips:?}");
                let wanted = Some(text(&case, "exact")).filter(|text| !text.is_empty());
                let kept = exact.restraint.name().unwrap_or("silent");
                // Under exact reading a malformed native answer is no answer; Gen ignores the event
                // name in an answer.
                let is_native = *id == "native";
                assert!(!is_native || came_to(&exact) == "none", "{name}: {exact:?}");
                let counts = text(&case, "slip") == "wrong-event-name";
                assert!(counts || kept == wanted.unwrap_or("silent"), "{name}: {exact:?}");
                misses += 1;
            }
            let whole = serde_json::from_str::<Value>(text(&case, "stdout")).is_ok();
            assert!(whole || guarded.restraint != Restraint::Allow, "{name}: no strict object");
            assert!(text(&case, "rule").starts_with(rules), "{name}");
        }
        assert!(misses >= 12 && innocents >= misses / 2, "{id}: {misses}, {innocents}");
    }
}
