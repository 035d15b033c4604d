//! Unclear answers, slips and a model's words are no consent: A-21, A-41 and A-43.

use super::*;
use crate::hook::Prompt;

fn before(failure: OnFailure) -> EventRow {
    EventRow { event: Cow::Borrowed("PreToolUse"), powers: Powers::ALL, ..row(&[], failure) }
}

fn unclear(answer: Answer) -> Answer {
    Answer { unclear: Answer::failed(Code::UnclearAnswer, "half an answer").failure, ..answer }
}

fn consent() -> Answer {
    let mut consent = Answer::decided(Restraint::Allow, "fine");
    consent.effects.updated_input = Some(json!({}));
    consent.effects.updated_permissions = vec![json!(1)];
    consent
}

/// A-43: before an effect the user is asked, and whatever consented beside it is gone.
#[test]
fn what_is_unclear_is_a_question_before_an_effect() {
    let asked = judged(&hook(), &before(OnFailure::Continue), unclear(consent()));
    assert_eq!((asked.restraint, codes(&asked)), (Restraint::Ask, vec!["unclear-answer"]));
    assert_eq!(asked.effects, Effects::default());
    assert!(asked.reason.is_some_and(|reason| reason.text.contains("half an answer")));
}

/// A-43, A-83: where there is nothing to hold up it is a fault, and so it is beside a restraint that is clear.
#[test]
fn what_is_unclear_elsewhere_is_a_fault() {
    let after = EventRow { powers: Powers::ALL, ..row(&[], OnFailure::Block) };
    let verdict = judged(&hook(), &after, unclear(consent()));
    assert_eq!((verdict.restraint, codes(&verdict)), (Restraint::Silent, vec!["unclear-answer"]));
    assert_eq!(verdict.effects, Effects::default());
    for restraint in [Restraint::Ask, Restraint::Defer, Restraint::Deny] {
        let clear = unclear(Answer::decided(restraint, "words"));
        let verdict = judged(&hook(), &before(OnFailure::Block), clear);
        assert_eq!((verdict.restraint, codes(&verdict)), (restraint, vec!["unclear-answer"]));
        assert_eq!(verdict.reason.map(|reason| reason.text).as_deref(), Some("words"));
    }
    let exact = Hook { compat: Compat::Exact, ..hook() };
    let followed = judged(&exact, &before(OnFailure::Block), unclear(consent()));
    assert_eq!((followed.restraint, followed.faults.len()), (Restraint::Allow, 0));
}

/// A-43: of two failures the one that restrains is the reason, and the other one is not lost, but for the one that
/// says the same.
#[test]
fn of_two_failures_the_one_that_restrains_decides() {
    let beside = |code| unclear(Answer::failed(code, "it happened"));
    let crashed = judged(&hook(), &before(OnFailure::Block), beside(Code::TimedOut));
    assert_eq!((crashed.restraint, codes(&crashed)), (Restraint::Deny, vec!["timed-out"]));
    let promised = judged(&hook(), &before(OnFailure::Continue), beside(Code::TimedOut));
    assert_eq!(promised.restraint, Restraint::Ask);
    assert_eq!(codes(&promised), ["timed-out", "unclear-answer"]);
    for same in [Code::UnreadableAnswer, Code::InvalidAnswer] {
        let once = judged(&hook(), &before(OnFailure::Continue), beside(same));
        assert_eq!((once.restraint, codes(&once)), (Restraint::Ask, vec!["unclear-answer"]));
    }
}

/// A-21: what slipped may end everything, and its consent is still none; its words and what it printed stand.
#[test]
fn a_consent_that_slipped_beside_a_stop_is_silent() {
    let row = before(OnFailure::Continue);
    let mut answer = consent().slipped(SlipKind::WrongType, "");
    answer.effects.stop = Some(Stop { reason: Some("r".to_owned()) });
    let verdict = judged(&hook(), &row, answer);
    assert_eq!(verdict.restraint, Restraint::Silent);
    assert_eq!(verdict.effects, Effects::default().stop("r"));
    let printed = Some("3 tests fail".to_owned());
    let mute = Answer { restraint: Restraint::Deny, printed, ..Answer::default() };
    let verdict = judged(&hook(), &row, mute.slipped(SlipKind::WrongType, ""));
    let words = verdict.reason.map(|reason| reason.text);
    assert_eq!(words.as_deref(), Some("denied by hook `h`: 3 tests fail"));
}

/// A-7 beside A-21: an answer that slipped and restrains nothing does not save a gate from its policy either.
#[test]
fn a_slip_beside_a_failure_is_no_answer() {
    let failed = || Answer::failed(Code::InvalidAnswer, "m").slipped(SlipKind::WrongType, "");
    let verdict = judged(&hook(), &before(OnFailure::Block), failed());
    assert_eq!(verdict.restraint, Restraint::Deny);
    // What the agent itself makes of the same output says better what went wrong.
    let plain = Some(Box::new(Answer::failed(Code::TimedOut, "late")));
    let verdict = judged(&hook(), &before(OnFailure::Block), Answer { plain, ..failed() });
    assert!(codes(&verdict).contains(&"timed-out"), "{:?}", verdict.faults);
}

/// A-41: a model consents to nothing by itself, and neither do the rules that it would add; what else it says counts.
#[test]
fn a_model_consents_where_that_was_asked_for() {
    let row = before(OnFailure::Continue);
    let asks = |prompt| Hook { run: Run::Prompt(prompt), ..hook() };
    let model = asks(Prompt::new("may it?"));
    let verdict = judged(&model, &row, consent());
    assert_eq!((verdict.restraint, codes(&verdict)), (Restraint::Silent, vec!["model-allow"]));
    assert_eq!((verdict.effects, verdict.reason), (Effects::default(), None));
    let mut grants = Answer::context("c");
    grants.effects.updated_permissions = vec![json!(1)];
    let verdict = judged(&model, &row, grants);
    assert_eq!(codes(&verdict), ["model-allow"]);
    assert_eq!(verdict.effects, Effects::default().context("c"));
    let mut denied = Answer::deny("no");
    denied.effects.updated_input = Some(json!({}));
    let verdict = judged(&model, &row, denied.clone());
    assert_eq!((verdict.restraint, verdict.faults.len()), (Restraint::Deny, 0));
    assert_eq!(verdict.effects, denied.effects);
    let trusted = asks(Prompt { may_allow: true, ..Prompt::new("may it?") });
    let exact = Hook { compat: Compat::Exact, ..asks(Prompt::new("may it?")) };
    for hook in [trusted, exact] {
        let verdict = judged(&hook, &row, consent());
        assert_eq!((verdict.restraint, verdict.faults.len()), (Restraint::Allow, 0));
    }
}

/// A verdict is silent only where there is no output at all.
#[test]
fn any_word_breaks_silence() {
    let reason = || Some(Reason { hook: HookId::new("h"), text: "r".to_owned() });
    let fault = Fault::new(&HookId::new("h"), Code::TimedOut, "late".to_owned());
    assert!(Verdict::without_effect().has_no_effect());
    for verdict in [
        Verdict { restraint: Restraint::Allow, ..Verdict::without_effect() },
        Verdict { reason: reason(), ..Verdict::without_effect() },
        Verdict { if_denied: reason(), ..Verdict::without_effect() },
        Verdict { effects: Effects::default().context("c"), ..Verdict::without_effect() },
        Verdict { faults: vec![fault], ..Verdict::without_effect() },
    ] {
        assert!(!verdict.has_no_effect(), "{verdict:?}");
    }
}
