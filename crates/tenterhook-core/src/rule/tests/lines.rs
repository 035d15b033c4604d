//! What it costs to read a line for rules grows with the line, whatever its shape (RU-37). Steps
//! are counted; no clock is looked at.

use tenterhook_testkit::shapes::{self, Shape};

use super::*;
use crate::event::meter::MOST_OF_TEXT;

/// Asks for the line and for what it would do, so that both are worked out.
const ASKS: &str =
    "(!shell.complete || true) && size(call.commands) + size(call.writes) + size(call.code) >= 0";

/// What a line of that length costs, and whether it was given up.
fn cost(shape: &Shape, bytes: usize) -> (usize, bool) {
    let rule_input = RuleInput::new(&Arc::new(bash(&shape.line(bytes))));
    let answer = Rule::new(ASKS).deny("no").evaluate_or_silent(&rule_input, &|| true);
    (rule_input.steps_spent(), matches!(answer, Err(Unsettled::TooCostly(_))))
}

/// Most steps to read a line and to work out what it would do, for a byte and for a line without
/// any (RU-37).
const A_BYTE: usize = 128 + 320;
const A_LINE: usize = 20_000 + 100_000;

/// A cut is no answer: not even the part that was worked out counts, and every rule of the event
/// hears so.
/// RU-37.
#[test]
fn what_is_cut_is_a_fault_and_not_a_part() {
    let line = format!("rm -rf /; find {} {}", "a ".repeat(8_000), "-name b ".repeat(4_000));
    let rule_input = RuleInput::new(&Arc::new(bash(&line)));
    for when in ["'/' in call.deletes", "size(call.writes) == 0", "call.code == []"] {
        let answer = Rule::new(when).deny("no").evaluate_or_silent(&rule_input, &|| true);
        let Err(Unsettled::TooCostly(why)) = answer else { panic!("{when}: {answer:?}") };
        assert!(why.contains("what the call would do"), "{why}");
    }
    assert!(
        rule_input.steps_spent() < 5 * crate::event::meter::MOST_STEPS,
        "{}",
        rule_input.steps_spent()
    );
}

/// Shapes that are cut at full length, while their line is read or while it is worked out what it
/// would do.
const CUT: &[&str] = &[
    "a shell with a long line",
    "here-documents without an end",
    "open parameters",
    "substitutions, joined",
    "the same command",
    "what find hands on",
];

/// The rest of a line that is cut off is in doubt: a gate that tests for a command in it restrains.
/// S-22, RU-37.
#[test]
fn command_behind_a_line_that_is_cut_is_restrained() {
    for shape in shapes::all().filter(|shape| CUT.contains(&shape.name)) {
        let line = format!("{}\ngit push --force", shape.line(63 * 1024));
        let rule_input = RuleInput::new(&Arc::new(bash(&line)));
        for (when, list) in [
            ("call.commands.exists(c, c.runs('git push'))", "call"),
            ("shell.commands.exists(c, c.runs('git push'))", "shell"),
            ("shell.doubt.matches('too deeply') || 'x' in call.code", "doubt"),
        ] {
            let rule = Rule::new(when).deny("no");
            let answer = rule.evaluate(&rule_input, Incomplete::Unknown, &|| true);
            let is_silent = matches!(&answer, Ok(answer)
                if answer.as_ref().is_none_or(|answer| answer.restraint != Restraint::Deny));
            assert!(!is_silent, "{} {list}: {answer:?}", shape.name);
        }
        assert!(
            rule_input.steps_spent() < 2 * MOST_OF_TEXT,
            "{}: {}",
            shape.name,
            rule_input.steps_spent()
        );
    }
}

/// RU-20: conditions and rules see one reading of the line.
#[test]
fn a_line_is_read_once_for_conditions_and_rules() {
    use crate::hook::Compat;
    use crate::matcher::rule::Reading;
    use crate::matcher::{Condition, MatchContext, Picked};

    let rule_input = Arc::new(RuleInput::new(&Arc::new(bash("cd x && git push"))));
    let context = MatchContext::from_shared_input(&rule_input, &|| true);
    let picked = |condition: Condition| condition.pick(&context, Compat::Guarded);
    assert!(matches!(
        picked(Condition::rule("Bash(git push)", Reading::Native)),
        Picked::Widely(_)
    ));
    let line = rule_input.shared_parsed_line().get().unwrap() as *const _;
    let when = "shell.commands.exists(c, c.runs('git push'))";
    assert!(matches!(picked(Condition::when(Expression::new(when))), Picked::Widely(_)));
    assert_eq!(rule_input.steps_spent(), 0, "the line was read once more");
    let answer = Rule::new(when).deny("no").evaluate_or_silent(&rule_input, &|| true).unwrap();
    assert_eq!(answer.restraint, Restraint::Deny);
    assert!(std::ptr::eq(line, rule_input.shared_parsed_line().get().unwrap()));
}

/// Each shape is cut soon after the time is up: it is asked again and again on the way.
/// RU-37.
#[test]
fn a_rule_ends_with_its_time_whatever_the_line() {
    for shape in shapes::all() {
        let asked = std::cell::Cell::new(0);
        let rule_input = RuleInput::new(&Arc::new(bash(&shape.line(4 * 1024))));
        let rule = Rule::new(ASKS).deny("no");
        let go_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 2
        };
        let answer = rule.evaluate_or_silent(&rule_input, &go_on);
        let cut = matches!(answer, Err(Unsettled::OutOfTime));
        assert!(
            cut || rule_input.steps_spent() < 3 * 4096 * 2,
            "{}: {answer:?} {}",
            shape.name,
            rule_input.steps_spent()
        );
        assert!(asked.get() <= 2, "{}: went on after its time", shape.name);
    }
}

/// In these one part of the line is multiplied by another: all words by each use of them, a
/// directory as long as the line by each file in it, all that stands in a nest by each level above.
/// Reading is linear; what comes of it is cut where it costs more than a line of that length may.
const MULTIPLIED: &[&str] = &[
    "a variable that doubles",
    "actions of find, redirected",
    "an array, used",
    "braces in one word",
    "changes of directory",
    "changes of directory in a list",
    "defaults in a nest",
    "deletions behind changes of directory",
    "deletions in a deep directory",
    "many loops",
    "names for find",
    "parameters",
    "substitutions and quotes in a nest",
    "substitutions in a nest",
];

/// RU-37, S-22.
#[test]
fn no_shape_costs_more_than_its_length() {
    let mut wrong = Vec::new();
    for shape in shapes::all() {
        let (short, long) = (1024, 4 * 1024);
        let ((less, _), (more, cut)) = (cost(&shape, short), cost(&shape, long));
        let bounded =
            [(less, short), (more, long)].iter().all(|(n, of)| *n <= A_LINE + A_BYTE * of);
        let linear = more <= 6 * less + 20_000 && !cut;
        if !bounded || !linear && !MULTIPLIED.contains(&shape.name) {
            wrong.push(format!("{}: {less}, {more} ({} a byte), {cut}", shape.name, more / long));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
