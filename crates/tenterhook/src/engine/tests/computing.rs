//! Rules that compute for long during a firing: other tasks have a turn, and a host that gives up
//! cancels them.

use super::*;
use tenterhook_core::rule::Rule;

/// Takes as many steps as a rule may.
fn costly(id: &str) -> Hook {
    let words = "payload.words.exists(w, payload.words.exists(v, v == w + '!'))";
    let run = Run::Rule(Rule::new(words).deny("no"));
    Hook::new(HookId::new(id), DialectId::NATIVE, EVENT.into(), run)
}

fn wordy() -> Event {
    event().with("words", (0..2_000).map(|at| format!("w{at}")).collect::<Vec<_>>())
}

fn faults(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// rules end at their first poll, all of them in one poll of the firing; other tasks have a
/// turn between them.
#[tokio::test]
async fn others_have_a_turn_between_rules_that_compute() {
    let engine = engine(["a", "b", "c"].map(costly));
    let session = Session::default();
    let mut firing = std::pin::pin!(engine.fire(wordy(), &session));
    let mut polls = 0;
    let outcome = std::future::poll_fn(|context| {
        polls += 1;
        firing.as_mut().poll(context)
    });
    assert_eq!(faults(&outcome.await), ["rule-too-costly"; 3]);
    assert!(polls > 2, "{polls} polls");
}

/// a rule that computes when the host gives up stops, and its result is no consent. Later
/// events are judged normally.
#[tokio::test]
async fn a_host_that_gives_up_cuts_what_computes() {
    let session = Session::default();
    let giving_up = session.clone();
    let gives_up = hook("gives up", move |_| {
        giving_up.cancel();
        async { Answer::default() }
    });
    let engine = engine([gives_up, costly("rule")]);
    let outcome = engine.fire(wordy(), &session).await;
    assert_eq!(faults(&outcome), ["cancelled"]);
    assert!(outcome.blocked());
    let quick = Rule::new("tool.name == 'Bash'").deny("no Bash");
    let quick = Hook::new(HookId::new("q"), DialectId::NATIVE, EVENT.into(), Run::Rule(quick));
    let outcome = super::engine([quick]).fire(wordy(), &session).await;
    assert_eq!(outcome.reason().as_deref(), Some("no Bash"));
}

/// RU-34, R-2: a rule that the event's time does not suffice for times out, and evaluates no
/// further.
#[tokio::test]
async fn rules_behind_the_end_of_the_budget_are_timed_out() {
    let engine = engine([costly("a"), costly("b")]);
    let session = Session::default();
    let outcome = engine.fire_within(wordy(), &session, Some(Duration::ZERO)).await;
    assert_eq!(faults(&outcome), ["timed-out"; 2]);
    assert!(outcome.blocked());
}
