//! What of an answer the event lets through, power by power, and what is left of one that comes too late.

use super::*;

/// An answer that says one thing, for each power that is no restraint.
fn wishes() -> Vec<(Power, Effects)> {
    let none = Effects::default;
    let env = json!({"A": "1"}).as_object().cloned().unwrap_or_default();
    vec![
        (Power::Input, none().updated_input(json!({"a": 1}))),
        (Power::Prompt, none().updated_prompt("p")),
        (Power::Output, none().updated_output("o")),
        (Power::Context, none().context("c")),
        (Power::Message, none().message("m")),
        (Power::Stop, none().stop("s")),
        (Power::Permissions, Effects { updated_permissions: vec![json!(1)], ..none() }),
        (Power::Watch, Effects { watch_paths: Some(Vec::new()), ..none() }),
        (Power::InitialMessage, Effects { initial_user_message: Some("i".to_owned()), ..none() }),
        (Power::Retry, Effects { retry: Some(false), ..none() }),
        (Power::Env, Effects { env, ..none() }),
    ]
}

/// each thing passes by its own power alone, and without it is dropped and said once.
#[test]
fn each_wish_needs_its_own_power() {
    let others = |power| {
        let all: Vec<Power> = Powers::ALL.iter().filter(|other| *other != power).collect();
        row(&all, OnFailure::Continue)
    };
    for (power, effects) in wishes() {
        let answer = || Answer { effects: effects.clone(), ..Answer::default() };
        let passed = judged(&hook(), &row(&[power], OnFailure::Continue), answer());
        assert_eq!((passed.effects, passed.faults.len()), (effects.clone(), 0), "{power:?}");
        let refused = judged(&hook(), &others(power), answer());
        assert_eq!(codes(&refused), ["not-honoured"], "{power:?}");
        assert!(refused.effects.is_empty(), "{power:?}");
        assert!(refused.faults[0].message.contains(power.as_str()), "{power:?}");
    }
}

/// so does each restraint; an objection that cannot block tells its words to the user, and consent has none to tell.
#[test]
fn each_restraint_needs_its_own_power() {
    for (power, restraint) in [
        (Power::Allow, Restraint::Allow),
        (Power::Ask, Restraint::Ask),
        (Power::Defer, Restraint::Defer),
        (Power::Deny, Restraint::Deny),
    ] {
        let passed = row(&[power], OnFailure::Continue);
        let passed = judged(&hook(), &passed, Answer::decided(restraint, "words"));
        assert_eq!((passed.restraint, passed.faults.len()), (restraint, 0));
        let others: Vec<Power> = Powers::ALL.iter().filter(|other| *other != power).collect();
        let others = row(&others, OnFailure::Continue);
        let refused = judged(&hook(), &others, Answer::decided(restraint, "words"));
        assert_eq!(refused.restraint, Restraint::Silent);
        assert_eq!((codes(&refused), refused.reason), (vec!["not-honoured"], None));
        let texts: &[&str] = if restraint == Restraint::Allow { &[] } else { &["words"] };
        assert_eq!(refused.effects.messages, texts);
    }
}

/// what comes when the host has gone on changes nothing that is done, and is reported late; consent to what
/// has happened is no loss.
#[test]
fn what_is_late_holds_nothing_up() {
    let every = EventRow { powers: Powers::ALL, ..row(&[], OnFailure::Block) };
    let late = |hook: &Hook, answer| {
        judge_late_answer(JudgeContext { hook, row: &every, widened: None }, answer)
    };
    for (power, effects) in wishes() {
        let verdict = late(&hook(), Answer { effects: effects.clone(), ..Answer::default() });
        if permit::LATE.has(power) {
            assert_eq!((verdict.effects, verdict.faults.len()), (effects, 0), "{power:?}");
        } else {
            assert_eq!(codes(&verdict), ["too-late"], "{power:?}");
            assert!(verdict.effects.is_empty(), "{power:?}");
        }
    }
    let denied = late(&hook(), Answer::deny("no"));
    assert_eq!((denied.restraint, codes(&denied)), (Restraint::Silent, vec!["too-late"]));
    assert_eq!(denied.effects.messages, ["no"]);
    let consent = late(&hook(), Answer::decided(Restraint::Allow, "fine"));
    assert_eq!((consent.restraint, consent.faults.len()), (Restraint::Silent, 0));
    let wakes = Hook { wait: Wait::Rewake, ..hook() };
    assert_eq!(late(&wakes, Answer::deny("no")).restraint, Restraint::Deny);
    // Its policy would block, and there is nothing left to block.
    let failed = late(&hook(), Answer::failed(Code::TimedOut, "late"));
    assert_eq!((failed.restraint, codes(&failed)), (Restraint::Silent, vec!["timed-out"]));
}

/// a hook that asked for the background promised to hold nothing up, whatever becomes of it; a denial that it said
/// counts, unless its agent goes on at the first line and is followed exactly.
#[test]
fn a_hook_that_detached_has_no_policy() {
    let row = row(ALL, OnFailure::Block);
    let gone = Answer { detached: true, ..Answer::failed(Code::TimedOut, "late") };
    let failed = judged(&hook(), &row, gone);
    assert_eq!((failed.restraint, codes(&failed)), (Restraint::Silent, vec!["timed-out"]));
    let said = || Answer { detached: true, ..Answer::deny("no") };
    assert_eq!(judged(&hook(), &row, said()).restraint, Restraint::Deny);
    let exact = Hook { compat: Compat::Exact, ..hook() };
    assert_eq!(judged(&exact, &row, said()).restraint, Restraint::Silent);
    assert_eq!(judged(&exact, &row, Answer::deny("no")).restraint, Restraint::Deny);
}
