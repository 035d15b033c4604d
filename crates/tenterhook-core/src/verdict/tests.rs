//! What judging does to an answer, whatever the dialect: A-1 to A-8 and S-9.

use crate::diagnostic::Code;
use std::borrow::Cow;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::answer::{SlipKind, Stop};
use crate::dialect::{DialectId, Subject};
use crate::event::EventName;
use crate::hook::{HookId, Run};

mod doubt;
mod powers;

fn row(powers: &[Power], failure: OnFailure) -> EventRow {
    EventRow {
        name: Cow::Borrowed("Event"),
        event: Cow::Borrowed("Event"),
        subject: Subject::None,
        powers: Powers::from_slice(powers),
        timeout: Duration::ZERO,
        failure,
        cap: None,
        dispatch: crate::dialect::Dispatch::Awaited,
        when: Cow::Borrowed(""),
    }
}

fn hook() -> Hook {
    let run = Run::Unusable { part: crate::hook::Unread::Entry, why: String::new() };
    Hook::new(HookId::new("h"), DialectId::CLAUDE, EventName::new("Event"), run)
}

fn judged(hook: &Hook, row: &EventRow, answer: Answer) -> Verdict {
    judge_answer(JudgeContext { hook, row, widened: None }, answer)
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.faults.iter().map(|fault| fault.code.name()).collect()
}

const ALL: &[Power] =
    &[Power::Allow, Power::Ask, Power::Defer, Power::Deny, Power::Input, Power::Context];

/// A-1.
#[test]
fn words_are_ordered_by_restraint() {
    use Restraint::{Allow, Ask, Defer, Deny, Silent};
    assert!([Silent, Allow, Ask, Defer, Deny].is_sorted());
}

/// A-2.
#[test]
fn silence_is_an_answer_unless_words_are_required() {
    let row = row(ALL, OnFailure::Block);
    let silent = judged(&hook(), &row, Answer::default());
    assert_eq!((silent.restraint, silent.faults.len()), (Restraint::Silent, 0));
    let required = Hook { answer_required: true, ..hook() };
    let silent = judged(&required, &row, Answer::default());
    assert_eq!((silent.restraint, codes(&silent)), (Restraint::Deny, vec!["no-answer"]));
    let spoken = judged(&required, &row, Answer::context("c"));
    assert_eq!((spoken.restraint, spoken.faults.len()), (Restraint::Silent, 0));
}

/// A-3.
#[test]
fn what_the_event_does_not_permit_is_dropped_and_said() {
    let mut answer = Answer::deny("words");
    answer.effects.updated_input = Some(json!({}));
    answer.effects.context.push("kept".to_owned());
    let observer = row(&[Power::Context, Power::Message], OnFailure::Continue);
    let verdict = judged(&hook(), &observer, answer.clone());
    assert_eq!((verdict.restraint, verdict.effects.updated_input), (Restraint::Silent, None));
    assert_eq!(verdict.effects.context, ["kept"]);
    assert_eq!(verdict.effects.messages, ["words"]);
    assert_eq!(codes(&judged(&hook(), &observer, answer.clone())), ["not-honoured"; 2]);
    let watching = Hook { phase: Phase::Observe, ..hook() };
    assert_eq!(judged(&watching, &row(ALL, OnFailure::Block), answer).restraint, Restraint::Silent);
}

/// A-4.
/// A-7: a report that a hook gave no answer says what to do about it, where the message itself does not say it.
#[test]
fn a_hook_without_an_answer_comes_with_a_remedy() {
    let row = row(ALL, OnFailure::Block);
    for (code, remedy) in [
        (Code::TimedOut, "it happened; raise its `timeout`"),
        (Code::WorkerEnded, "it happened; catch what it throws"),
        (Code::HttpStatus, "it happened; the action is blocked"),
    ] {
        let verdict = judged(&hook(), &row, Answer::failed(code, "it happened"));
        assert!(verdict.faults[0].message.starts_with(remedy), "{:?}", verdict.faults);
        assert!(verdict.reason.unwrap().text.ends_with("it happened"), "{code}");
    }
    // Each file calls its time limit otherwise.
    for (dialect, key) in [(DialectId::IGNIS, "timeout_ms"), (DialectId::CODEWHALE, "timeout_secs")]
    {
        let hook = Hook { dialect, ..hook() };
        let verdict = judged(&hook, &row, Answer::failed(Code::TimedOut, "it happened"));
        let wanted = format!("raise its `{key}`");
        assert!(verdict.faults[0].message.contains(&wanted), "{:?}", verdict.faults);
    }
}

#[test]
fn a_restraint_without_words_gets_some() {
    let row = row(ALL, OnFailure::Continue);
    for restraint in [Restraint::Ask, Restraint::Defer, Restraint::Deny] {
        let verdict = judged(&hook(), &row, Answer { restraint, ..Answer::default() });
        assert!(verdict.reason.is_some_and(|reason| reason.text.contains("`h`")), "{restraint:?}");
    }
    let allow = Answer { restraint: Restraint::Allow, ..Answer::default() };
    assert_eq!(judged(&hook(), &row, allow).reason, None);
    let printed = Some("3 tests fail".to_owned());
    let quoted = Answer { restraint: Restraint::Deny, printed, ..Answer::default() };
    let reason = judged(&hook(), &row, quoted).reason.expect("a reason");
    assert_eq!(reason.text, "denied by hook `h`: 3 tests fail");
}

/// A-7, A-8: policy by policy, where the event can ask, can only block, and can do neither.
#[test]
fn a_gate_that_gave_no_answer_goes_to_its_policy() {
    use OnFailure::{Ask, Block, Continue};
    let failed = || Answer::failed(Code::TimedOut, "late");
    for (powers, policy, expected) in [
        (ALL, Block, Restraint::Deny),
        (ALL, Ask, Restraint::Ask),
        (ALL, Continue, Restraint::Silent),
        (&[Power::Deny], Ask, Restraint::Deny),
        (&[Power::Deny], Block, Restraint::Deny),
        (&[], Ask, Restraint::Silent),
        (&[], Block, Restraint::Silent),
    ] {
        let own = Hook { on_failure: Some(policy), ..hook() };
        let promised = [
            judged(&own, &row(powers, Continue), failed()),
            judged(&hook(), &row(powers, policy), failed()),
        ];
        for verdict in promised {
            assert_eq!(verdict.restraint, expected, "{powers:?} {policy:?}");
            assert_eq!(codes(&verdict), ["timed-out"]);
        }
    }
    let loose = Hook { on_failure: Some(Continue), ..hook() };
    assert_eq!(judged(&loose, &row(ALL, Block), failed()).restraint, Restraint::Silent);
    let background = Hook { wait: Wait::Detached, ..hook() };
    assert_eq!(judged(&background, &row(ALL, Block), failed()).restraint, Restraint::Silent);
    let denied = Answer { failure: failed().failure, ..Answer::deny("own words") };
    let verdict = judged(&hook(), &row(ALL, Block), denied);
    assert_eq!(verdict.reason.expect("a reason").text, "own words");
}

/// A-20, A-21.
#[test]
fn what_slipped_keeps_its_restraint_and_nothing_else() {
    let row = row(ALL, OnFailure::Continue);
    let mut denied = Answer::deny("no").slipped(SlipKind::TextBefore, "");
    denied.effects.context.push("dropped".to_owned());
    let verdict = judged(&hook(), &row, denied.clone());
    assert_eq!((verdict.restraint, codes(&verdict)), (Restraint::Deny, vec!["text-before-answer"]));
    assert_eq!(verdict.effects, Effects::default());
    let exact = Hook { compat: Compat::Exact, ..hook() };
    let plain = Answer { plain: Some(Box::new(Answer::context("log"))), ..denied };
    let verdict = judged(&exact, &row, plain);
    assert_eq!(
        (verdict.restraint, verdict.effects.context.as_slice()),
        (Restraint::Silent, &["log".to_owned()][..])
    );

    let mut consent = Answer::decided(Restraint::Allow, "fine");
    consent.effects.updated_input = Some(json!({}));
    let slipped = Answer { plain: Some(Box::new(consent)), ..Answer::default() };
    let verdict = judged(&hook(), &row, slipped.slipped(SlipKind::DuplicateKey, "d"));
    assert_eq!((verdict.restraint, verdict.effects.updated_input), (Restraint::Silent, None));
}

/// A-7 beside A-21: a question that slipped does not save a gate whose answer cannot be read from its policy.
#[test]
fn a_slipped_question_does_not_outrank_a_policy_that_blocks() {
    let mut asked =
        Answer::decided(Restraint::Ask, "sure?").slipped(SlipKind::MisspeltDecision, "");
    asked.failure = Answer::failed(Code::InvalidAnswer, "m").failure;
    let verdict = judged(&hook(), &row(ALL, OnFailure::Block), asked);
    assert_eq!(verdict.restraint, Restraint::Deny);
}

/// A-21: ending everything is a restraint too.
#[test]
fn a_stop_that_slipped_stops() {
    let row = row(&[Power::Stop], OnFailure::Continue);
    let mut answer = Answer::default().slipped(SlipKind::WrongType, "");
    answer.effects.stop = Some(Stop { reason: Some("r".to_owned()) });
    assert!(judged(&hook(), &row, answer).effects.stop.is_some());
}

/// S-9.
#[test]
fn a_selection_that_was_widened_carries_no_consent() {
    let row = row(ALL, OnFailure::Continue);
    let mut allow = Answer::decided(Restraint::Allow, "fine");
    allow.effects.updated_input = Some(json!({}));
    let widened = |answer| {
        judge_answer(JudgeContext { hook: &hook(), row: &row, widened: Some("w") }, answer)
    };
    let verdict = widened(allow);
    assert_eq!(
        (verdict.restraint, codes(&verdict)),
        (Restraint::Silent, vec!["allow-not-covered"])
    );
    assert_eq!(verdict.effects.updated_input, None);
    assert_eq!(widened(Answer::deny("no")).restraint, Restraint::Deny);
}

/// A-42, A-80: what the host lost is a question before an effect, whatever the dialect promises and however it is followed.
#[test]
fn what_the_host_lost_is_a_question_before_an_effect() {
    let before = |powers| EventRow {
        event: Cow::Borrowed("PreToolUse"),
        ..row(powers, OnFailure::Continue)
    };
    for code in [Code::UnknownEnding, Code::OutOfResources] {
        let lost = || Answer::failed(code, "lost");
        for compat in [Compat::Guarded, Compat::Exact] {
            let hook = Hook { compat, ..hook() };
            let asked = judged(&hook, &before(ALL), lost());
            assert_eq!((asked.restraint, codes(&asked)), (Restraint::Ask, vec![code.name()]));
            let denied = judged(&hook, &before(&[Power::Deny]), lost());
            assert_eq!(denied.restraint, Restraint::Deny, "there is no user to ask");
        }
        let stricter = EventRow { failure: OnFailure::Block, ..before(ALL) };
        assert_eq!(judged(&hook(), &stricter, lost()).restraint, Restraint::Deny);
        let own = Hook { on_failure: Some(OnFailure::Continue), ..hook() };
        assert_eq!(judged(&own, &before(ALL), lost()).restraint, Restraint::Silent);
        let after = judged(&hook(), &row(ALL, OnFailure::Continue), lost());
        assert_eq!((after.restraint, codes(&after)), (Restraint::Silent, vec![code.name()]));
        let observer = Hook { phase: Phase::Observe, ..hook() };
        assert_eq!(judged(&observer, &before(ALL), lost()).restraint, Restraint::Silent);
    }
    let its_own = judged(&hook(), &before(ALL), Answer::failed(Code::NotStarted, "no such file"));
    assert_eq!(its_own.restraint, Restraint::Silent, "the agent promises that it goes on");
}
