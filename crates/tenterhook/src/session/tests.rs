//! Whether a session keeps what it must and forgets nothing: settling, claims, strikes and
//! background steps.

use super::*;
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::Cap;
use tenterhook_core::outcome::{Ended, Reason, Step};

fn denied(reason: &str) -> Outcome {
    Outcome {
        restraint: Restraint::Deny,
        reasons: vec![Reason { hook: HookId::new("gate"), text: reason.to_owned() }],
        ..Outcome::without_answer()
    }
}

fn after(strikes: u32) -> View {
    View::new([], strikes)
}

/// N-3: the count grows while the event is denied, and at the cap the event gives way with the last
/// reason.
#[test]
fn a_gate_that_never_relents_gives_way_at_the_cap() {
    for strikes in 0..3 {
        let (outcome, strike) = apply_denial_cap_to_outcome(
            denied("tests fail"),
            &after(strikes),
            Some(Cap::continue_after(3)),
        );
        assert_eq!((outcome, strike), (denied("tests fail"), Strike::Add), "{strikes}");
    }
    let (outcome, strike) =
        apply_denial_cap_to_outcome(denied("tests fail"), &after(3), Some(Cap::continue_after(3)));
    assert_eq!(strike, Strike::Reset);
    assert!(!outcome.blocked() && outcome.reasons.is_empty());
    assert_eq!(
        outcome.faults.iter().map(|fault| fault.code.name()).collect::<Vec<_>>(),
        ["cap-reached"]
    );
    assert!(outcome.effects.messages.iter().any(|message| message.contains("tests fail")));
}

/// N-3: whatever is not a denial breaks the row, and an event without a cap keeps no count.
#[test]
fn only_denials_in_a_row_count() {
    let (_, strike) = apply_denial_cap_to_outcome(
        Outcome::without_answer(),
        &after(2),
        Some(Cap::continue_after(3)),
    );
    assert_eq!(strike, Strike::Reset);
    let ask = Outcome { restraint: Restraint::Ask, ..Outcome::without_answer() };
    assert_eq!(
        apply_denial_cap_to_outcome(ask, &after(2), Some(Cap::continue_after(3))).1,
        Strike::Reset
    );
    let (outcome, strike) = apply_denial_cap_to_outcome(denied("no"), &after(99), None);
    assert_eq!((outcome, strike), (denied("no"), Strike::Keep));
}

/// N-3: a hook that ends everything is not overruled by the cap.
#[test]
fn giving_way_leaves_a_stop_standing() {
    let mut outcome = denied("no");
    outcome.effects.stop = Some(tenterhook_core::answer::Stop { reason: None });
    let (outcome, _) =
        apply_denial_cap_to_outcome(outcome, &after(3), Some(Cap::continue_after(3)));
    assert!(outcome.effects.stop.is_some());
}

/// N-1: of many that claim at once, one gets the claim.
#[test]
fn a_claim_is_given_once() {
    let session = Session::default();
    let hook = HookId::new("once");
    let won = std::thread::scope(|scope| {
        let claims: Vec<_> = (0..8).map(|_| scope.spawn(|| session.claim(&hook))).collect();
        claims.into_iter().filter_map(|handle| handle.join().ok()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
    assert!(session.view(&"Stop".into()).has_hook_had_only_run(&hook));
    assert!(!session.view(&"Stop".into()).has_hook_had_only_run(&HookId::new("other")));
}

/// N-1: a view is a snapshot; what happens later does not change it.
#[test]
fn a_view_does_not_move() {
    let session = Session::default();
    let view = session.view(&"Stop".into());
    assert!(session.claim(&HookId::new("late")));
    assert!(!view.has_hook_had_only_run(&HookId::new("late")));
}

/// N-2: strikes are kept for each event by itself.
#[test]
fn strikes_belong_to_their_event() {
    let session = Session::default();
    let (stop, other) = (EventName::new("Stop"), EventName::new("SubagentStop"));
    session.store_outcome_changes(&stop, Strike::Add, &Outcome::without_answer());
    session.store_outcome_changes(&stop, Strike::Add, &Outcome::without_answer());
    session.store_outcome_changes(&other, Strike::Keep, &Outcome::without_answer());
    assert_eq!((session.inner.store.strikes(&stop), session.inner.store.strikes(&other)), (2, 0));
    session.store_outcome_changes(&stop, Strike::Reset, &Outcome::without_answer());
    assert_eq!(session.inner.store.strikes(&stop), 0);
}

fn finished(hook: &str) -> Finished {
    let step = Step {
        hook: HookId::new(hook),
        source: String::new(),
        line: 0,
        executor: "function",
        ended: Ended::Exited(0),
        took: std::time::Duration::ZERO,
        verdict: Restraint::Silent,
        context: Vec::new(),
        rewrote: false,
        messages: Vec::new(),
        stopped: false,
        marks: Vec::new(),
        exemption: None,
        tier: None,
        shadow: None,
    };
    let event = "Stop".into();
    let outcome = Outcome { steps: vec![step], ..Outcome::without_answer() };
    Finished::new(event, outcome, true)
}

fn adopt(session: &Session, step: impl Future<Output = Finished> + Send + 'static) -> bool {
    let running = Running::new("Stop".into(), HookId::new("a"), false);
    session.adopt_step(running, step, || finished("cut"))
}

/// N-14: a step that is cut is reported, whether it was polled or not, and is not among those that
/// run any more.
#[tokio::test]
async fn cut_background_step_is_reported() {
    let session = Session::default();
    adopt(&session, async { finished("ended") });
    session.settled().await;
    adopt(&session, std::future::pending());
    tokio::task::yield_now().await;
    adopt(&session, std::future::pending());
    assert_eq!(session.running().len(), 2);
    let reported = session.cut().await;
    let hooks: Vec<_> = reported.iter().map(|step| step.outcome.steps[0].hook.as_str()).collect();
    assert_eq!(hooks, ["ended", "cut", "cut"]);
    assert_eq!((session.running(), session.background()), (Vec::new(), 0));
    adopt(&session, async { finished("later") });
    session.settled().await;
    assert_eq!(session.take_finished().len(), 1, "a session that was cut takes new steps");
}

/// N-4: background steps that end are pushed to the host.
#[tokio::test]
async fn finished_steps_are_pushed() {
    let session = Session::default();
    adopt(&session, async { finished("background") });
    let one = session.next_finished().await.unwrap();
    assert_eq!(one.outcome.steps[0].hook.as_str(), "background");
}

/// N-4: draining waits for every step, also for those that another step starts while it drains.
#[tokio::test]
async fn draining_waits_for_all() {
    let session = Session::default();
    let inner = session.clone();
    adopt(&session, async move {
        tokio::task::yield_now().await;
        adopt(&inner, async { finished("second") });
        finished("first")
    });
    let mut hooks: Vec<String> = session
        .drain()
        .await
        .iter()
        .map(|finished| finished.outcome.steps[0].hook.to_string())
        .collect();
    hooks.sort();
    assert_eq!(hooks, ["first", "second"]);
    assert!(session.drain().await.is_empty());
}

/// N-13: steps that began before the host began anew are pushed as stale, and wake no agent.
#[tokio::test]
async fn finished_hook_wakes_no_session() {
    let session = Session::default();
    adopt(&session, async { finished("ended") });
    while session.background() > 0 {
        tokio::task::yield_now().await;
    }
    let (go, wait) = tokio::sync::oneshot::channel();
    adopt(&session, async move {
        let _ = wait.await;
        finished("under way")
    });
    session.begin_anew();
    adopt(&session, async { finished("new") });
    go.send(()).unwrap();
    let mut reported: Vec<_> = session
        .drain()
        .await
        .into_iter()
        .map(|finished| {
            (finished.outcome.steps[0].hook.to_string(), finished.stale, finished.wakes)
        })
        .collect();
    reported.sort();
    let row = |hook: &str, stale: bool| (hook.to_owned(), stale, !stale);
    assert_eq!(reported, [row("ended", true), row("new", false), row("under way", true)]);
}

/// N-5: a session that is dropped ends its background steps.
#[tokio::test]
async fn a_dropped_session_ends_its_steps() {
    struct Witness(Option<tokio::sync::oneshot::Sender<()>>);
    impl Drop for Witness {
        fn drop(&mut self) {
            let _ = self.0.take().map(|witness| witness.send(()));
        }
    }
    let (sender, dropped) = tokio::sync::oneshot::channel();
    let witness = Witness(Some(sender));
    let session = Session::default();
    adopt(&session, async move {
        let _witness = witness;
        std::future::pending().await
    });
    tokio::task::yield_now().await;
    drop(session);
    dropped.await.unwrap();
}

fn hook(id: &str) -> Hook {
    let run = tenterhook_core::hook::Run::Unusable {
        part: tenterhook_core::hook::Unread::Entry,
        why: String::new(),
    };
    Hook::new(HookId::new(id), tenterhook_core::dialect::DialectId::NATIVE, "Stop".into(), run)
}

/// N-7: the session's hooks are replaced by name, removed once, and gone after a clear, their
/// claims with them.
#[test]
fn a_session_keeps_its_own_hooks() {
    let session = Session::default();
    session.add_hook(hook("a"));
    session.add_hook(hook("b"));
    session.add_hook(Hook { once: true, ..hook("a") });
    let names = |session: &Session| -> Vec<String> {
        session.hooks().hooks().iter().map(|hook| hook.id.to_string()).collect()
    };
    assert_eq!(names(&session), ["b", "a"]);
    assert!(session.remove_hook(&"Stop".into(), &HookId::new("b")));
    assert!(!session.remove_hook(&"Stop".into(), &HookId::new("b")));
    assert!(session.claim(&HookId::new("a")));
    session.clear_hooks();
    assert!(names(&session).is_empty());
    assert!(session.claim(&HookId::new("a")), "a cleared hook may run again");
}

/// N-9: the newest step with a status is the one that is shown, and each takes its own away.
#[test]
fn the_newest_status_is_shown() {
    let session = Session::default();
    let mut status = session.status();
    let first = session.show_status(Some("checking"));
    let second = session.show_status(Some("formatting"));
    let none = session.show_status(None);
    assert!(none.is_none());
    assert_eq!(status.current().as_deref(), Some("formatting"));
    drop(first);
    assert_eq!(status.current().as_deref(), Some("formatting"));
    drop(second);
    assert_eq!(status.current(), None);
}

/// N-8: a session holds so many background steps and no more.
#[tokio::test]
async fn the_background_is_bounded() {
    let session = Session::default();
    for _ in 0..MAX_BACKGROUND {
        assert!(adopt(&session, std::future::pending()));
    }
    assert!(!adopt(&session, std::future::pending()));
    assert_eq!(session.background(), MAX_BACKGROUND);
}

/// N-3: past a cap that stops, everything ends.
#[test]
fn a_cap_that_stops_ends_everything() {
    let (outcome, _) =
        apply_denial_cap_to_outcome(denied("tests fail"), &after(2), Some(Cap::stop_after(2)));
    assert!(!outcome.blocked());
    assert!(outcome.effects.stop.is_some());
}

/// N-10: variables add up, and the last list of paths stands.
#[test]
fn what_outcomes_ask_for_is_kept() {
    let session = Session::default();
    let watched = session.watched();
    let mut outcome = Outcome::without_answer();
    outcome.effects.env.insert("A".to_owned(), "1".into());
    outcome.effects.watch_paths = Some(vec!["/x".to_owned()]);
    session.store_outcome_changes(&"SessionStart".into(), Strike::Keep, &outcome);
    session.store_outcome_changes(&"SessionStart".into(), Strike::Keep, &Outcome::without_answer());
    assert_eq!(session.env().len(), 1);
    assert_eq!(*watched.borrow(), ["/x"]);
}
