//! Hooks that end after their event, and once hooks that end without an answer.

use super::*;
use crate::session::{Finished, Memory, Store};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Compat;

/// A hook that signals that it runs, and answers when it is released.
fn blocking_hook(id: &str, answer: Answer) -> (Hook, Arc<Semaphore>, Arc<Semaphore>) {
    let (there, may) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (ready, waits) = (Arc::clone(&there), Arc::clone(&may));
    let hook = hook(id, move |_| {
        let (ready, waits, answer) = (Arc::clone(&ready), Arc::clone(&waits), answer.clone());
        async move {
            ready.add_permits(1);
            waits.acquire().await.expect("it is open").forget();
            answer
        }
    });
    (hook, there, may)
}

fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// N-6: a once hook that did not answer, for whatever reason, has not run: the next event selects
/// it again.
#[tokio::test]
async fn interrupted_once_hook_runs_again() {
    let (gate, there, may) = blocking_hook("gate", Answer::deny("no"));
    let gate = Hook { once: true, ..gate };
    for count in [1, 2] {
        // Alone, and beside a second hook, which makes each a separate task.
        let others = (1..count).map(|i| answering(&format!("h{i}"), Answer::default()));
        let engine = engine(others.chain([gate.clone()]));
        let session = Session::default();
        for _ in 0..3 {
            tokio::select! {
                biased;
                _ = engine.fire(event(), &session) => panic!("it was not released"),
                _ = async { there.acquire().await.expect("it is open").forget() } => {}
            }
        }
        may.add_permits(1);
        assert!(engine.fire(event(), &session).await.blocked());
        there.acquire().await.expect("it is open").forget();
        let after = engine.fire(event(), &session).await;
        assert!(!after.blocked(), "it has run: {after:?}");
    }
}

/// N-6.
#[tokio::test]
async fn failed_once_hook_runs_again() {
    let failed = answering("gate", Answer::failed(Code::NoAnswer, "it broke"));
    let gone = hook("gate", |_| async { panic!("it broke") });
    for gate in [failed, gone] {
        for wait in [Wait::Attached, Wait::Detached] {
            let gate = Hook { once: true, wait, ..gate.clone() };
            let (engine, session) = (engine([gate]), Session::default());
            for _ in 0..3 {
                let outcome = engine.fire(event(), &session).await;
                assert_eq!(outcome.steps.len(), 1, "{outcome:?}");
                session.drain().await;
            }
        }
    }
}

/// a hook that asked for the background and denies all the same does deny if the host waits.
/// Exact sources never do.
#[tokio::test]
async fn late_denial_blocks_when_the_host_waits() {
    let late = Answer { detached: true, ..Answer::deny("no") };
    let failed = Answer { detached: true, ..Answer::failed(Code::TimedOut, "too slow") };
    for session in [Session::of_a_waiting_host(), Session::of_one_event(), Session::default()] {
        let outcome = engine([answering("gate", late.clone())]).fire(event(), &session).await;
        assert!(outcome.blocked(), "it denied before the host went on");
        assert_eq!(outcome.steps[0].ended.to_string(), "answered, detached");
        let exact = Hook { compat: Compat::Exact, ..answering("gate", late.clone()) };
        let outcome = engine([exact]).fire(event(), &session).await;
        assert_eq!((outcome.blocked(), codes(&outcome)), (false, vec!["too-late"]));
        assert_eq!(outcome.effects.messages, ["no"]);
        // It promised not to delay the event, and did not deny.
        let strict =
            Hook { on_failure: Some(OnFailure::Block), ..answering("gate", failed.clone()) };
        let outcome = engine([strict]).fire(event(), &session).await;
        assert_eq!((outcome.blocked(), codes(&outcome)), (false, vec!["timed-out"]));
    }
}

async fn late(answer: Answer, wait: Wait) -> (Finished, Session) {
    let session = Session::default();
    let (hook, _, may) = blocking_hook("background", answer);
    let outcome = engine([Hook { wait, ..hook }]).fire(event(), &session).await;
    assert_eq!((outcome.blocked(), codes(&outcome)), (false, vec![]));
    may.add_permits(1);
    (session.next_finished().await.expect("the session listens"), session)
}

/// R-22, N-4, R-40: an objection that comes too late blocks nothing, and is still reported.
#[tokio::test]
async fn late_objection_is_reported_and_blocks_nothing() {
    let stop = Effects {
        stop: Some(tenterhook_core::answer::Stop { reason: None }),
        ..Effects::default()
    };
    for (answer, message) in [
        (Answer::deny("look"), Some("look")),
        (Answer { restraint: Restraint::Ask, ..Answer::deny("sure?") }, Some("sure?")),
        (rewriting(json!({"command": "pwd"})), None),
        (Answer { effects: stop, ..Answer::default() }, None),
    ] {
        let (finished, _) = late(answer, Wait::Detached).await;
        let Finished { outcome, wakes, .. } = finished;
        assert_eq!((outcome.restraint, wakes), (Restraint::Silent, false));
        assert_eq!(codes(&outcome), ["too-late"], "{outcome:?}");
        assert_eq!(outcome.effects.messages.first().map(String::as_str), message);
        assert_eq!((outcome.effects.updated_input, outcome.effects.stop), (None, None));
    }
    let (finished, _) = late(Answer::decided(Restraint::Allow, "fine"), Wait::Detached).await;
    assert_eq!((finished.outcome.restraint, codes(&finished.outcome)), (Restraint::Silent, vec![]));
    let (finished, _) = late(Answer::deny("look"), Wait::Rewake).await;
    assert_eq!((finished.outcome.blocked(), finished.wakes), (true, true));
    assert_eq!(finished.outcome.reason().as_deref(), Some("look"));
}

/// N-10, H-8: variables that a background step sets are stored, and its texts are cleaned like
/// those of other hooks.
#[tokio::test]
async fn variables_of_a_background_step_reach_the_session() {
    let effects = || Effects {
        env: json!({"A": "1"}).as_object().cloned().unwrap_or_default(),
        watch_paths: Some(vec!["/w".to_owned()]),
        context: vec!["a\u{202e}b".to_owned()],
        ..Effects::default()
    };
    let (finished, session) =
        late(Answer { effects: effects(), ..Answer::default() }, Wait::Detached).await;
    assert_eq!(session.env()["A"], "1");
    assert_eq!(*session.watched().borrow(), ["/w"]);
    assert_eq!(finished.outcome.effects.context, ["ab"]);
    assert_eq!(finished.outcome.labelled_context().len(), 1);
    assert_eq!(codes(&finished.outcome), ["hidden-text"]);

    // N-13: after the event is stale, nothing is stored.
    let session = Session::default();
    let (hook, there, may) = blocking_hook("b", Answer { effects: effects(), ..Answer::default() });
    drop(engine([Hook { wait: Wait::Detached, ..hook }]).fire(event(), &session).await);
    there.acquire().await.expect("it is open").forget();
    session.begin_anew();
    may.add_permits(1);
    assert!(session.next_finished().await.expect("the session listens").stale);
    assert!(session.env().is_empty() && session.watched().borrow().is_empty());
}

/// N-4, M-11: results of background steps join their event in configured order, whichever step ends
/// first.
#[tokio::test]
async fn late_results_join_in_configured_order() {
    let answered = |text: &str| {
        let effects = Effects { context: vec![text.to_owned()], ..Effects::default() };
        Answer { effects, ..Answer::default() }
    };
    for first in [0, 1] {
        let (one, _, may_one) = blocking_hook("one", answered("1"));
        let (two, _, may_two) = blocking_hook("two", Answer::deny("2"));
        let (one, two) = (Hook { wait: Wait::Detached, ..one }, Hook { wait: Wait::Rewake, ..two });
        let session = Session::of_a_waiting_host();
        let mut outcome = engine([one, two]).fire(event(), &session).await;
        let gates = [may_one, may_two];
        gates[first].add_permits(1);
        while session.background() > 1 {
            tokio::task::yield_now().await;
        }
        gates[1 - first].add_permits(1);
        session.drain_into(&mut outcome).await;
        assert_eq!(
            (outcome.blocked(), outcome.effects.context.as_slice()),
            (false, &["1".to_owned(), "2".to_owned()][..])
        );
        assert_eq!(outcome.labelled_context().len(), 2);
        let ended: Vec<_> = outcome.steps.iter().map(|step| step.ended.to_string()).collect();
        assert_eq!(ended, ["answered, detached", "answered, detached"]);
    }
}

/// N-5: a handle to a session that was ended keeps no process running.
#[tokio::test]
async fn ending_a_session_ends_its_background() {
    let (hook, there, _may) = blocking_hook("b", Answer::default());
    let session = Session::default();
    drop(engine([Hook { wait: Wait::Detached, ..hook }]).fire(event(), &session).await);
    there.acquire().await.expect("it is open").forget();
    session.end();
    assert_eq!(session.background(), 0);
}

/// hooks of an event that its agent does not wait for run in the background, one after the
/// other if their stage requires it. A host that waits for everything waits for these, too.
#[tokio::test]
async fn unawaited_hooks_run_behind_the_event_in_their_order() {
    let observed = || Event::new("PostToolUse", tenterhook_core::event::Surroundings::default());
    let of_gen = |hook: Hook| {
        let hook = Hook { dialect: DialectId::GEN, ..hook };
        Hook { event: "PostToolUse".into(), ..hook }
    };
    let answered = |text: &str| Answer {
        effects: Effects { context: vec![text.to_owned()], ..Effects::default() },
        ..Answer::default()
    };
    let (first, there, may) = blocking_hook("first", answered("1"));
    let (second, second_there, second_may) = blocking_hook("second", answered("2"));
    second_may.add_permits(1);
    let (engine, _) = Engine::builder().hook(of_gen(first)).hook(of_gen(second)).build();
    let session = Session::default();
    let outcome = engine.fire(observed(), &session).await;
    let ended: Vec<_> = outcome.steps.iter().map(|step| step.ended.to_string()).collect();
    assert_eq!(
        (ended.as_slice(), session.running().len()),
        (&["detached".to_owned(), "detached".to_owned()][..], 2)
    );
    there.acquire().await.expect("it is open").forget();
    assert_eq!(second_there.available_permits(), 0, "the second waits for the first");
    may.add_permits(1);
    let context: Vec<_> =
        session.drain().await.into_iter().flat_map(|late| late.outcome.effects.context).collect();
    assert_eq!(context, ["1", "2"]);

    may.add_permits(1);
    second_may.add_permits(1);
    let outcome = engine.fire(observed(), &Session::of_a_waiting_host()).await;
    assert_eq!(outcome.effects.context, ["1", "2"]);
}

/// a host that cannot wait now starts every hook, and waits for all of them later.
#[tokio::test]
async fn fire_and_forget_starts_every_hook() {
    let (gate, there, may) = blocking_hook("gate", Answer::deny("no"));
    let session = Session::default();
    let outcome = engine([gate]).fire_and_forget(event(), &session).await;
    assert!(!outcome.blocked());
    there.acquire().await.expect("it is open").forget();
    may.add_permits(1);
    let late = session.drain().await;
    assert_eq!((late.len(), codes(&late[0].outcome)), (1, vec!["too-late"]));
}

/// N-14: a step that is cut off is recorded as ended or as never begun.
#[tokio::test]
async fn cut_step_is_recorded_as_ended_or_never_begun() {
    let (hook, there, _may) = blocking_hook("b", Answer::default());
    let engine = engine([Hook { wait: Wait::Detached, ..hook }]);
    let session = Session::default();
    drop(engine.fire(event(), &session).await);
    there.acquire().await.expect("it is open").forget();
    drop(engine.fire(event(), &session).await);
    let ended: Vec<_> = session.cut().await.into_iter().map(|late| late.outcome).collect();
    assert_eq!(codes(&ended[0]), ["cancelled"]);
    let how: Vec<_> = ended.iter().map(|outcome| outcome.steps[0].ended.to_string()).collect();
    assert_eq!(
        how,
        ["cancelled, detached", "not run: its session ended before it began, detached"]
    );
    let ran: Vec<_> = ended.iter().map(|outcome| outcome.steps[0].ended.was_attempted()).collect();
    assert_eq!(ran, [true, false]);
}

/// BR-158: the second process of an event counts no denial again, and ends no row of denials.
#[tokio::test]
async fn second_process_leaves_the_count_of_denials() {
    let hooks = || [answering("late", Answer::default()).wait(Wait::Detached)];
    let stop = row().with_cap(Cap::continue_after(8));
    let only = BackgroundHooks::Only(Arc::from([HookId::new("late")]));
    for (which, strikes) in [(only, 1), (BackgroundHooks::Here, 0)] {
        let builder = Engine::builder().event(stop.clone()).background_hooks(which);
        let engine = hooks().into_iter().fold(builder, Builder::hook).build().0;
        let store = Arc::new(Memory::default());
        store.add_strike(&event().name);
        let session = Session::new(Arc::clone(&store) as Arc<dyn Store>);
        drop(engine.fire(event(), &session).await);
        session.drain().await;
        assert_eq!(store.strikes(&event().name), strikes);
    }
}

/// BR-159.
#[tokio::test]
async fn carried_outcome_is_part_of_the_next_event_unless_that_is_denied() {
    for (answer, is_carried) in [(Answer::default(), true), (Answer::deny("no"), false)] {
        let gate = answering("gate", answer);
        let (engine, session) = (engine([gate]), Session::default());
        let late = answering("late", Answer::default());
        let mut step = engine_step(&late);
        step.context = vec!["for the model".to_owned()];
        session.add_outcomes(vec![Outcome::without_answer().with_steps(vec![step])]);
        let outcome = engine.fire(event(), &session).await;
        assert_eq!(outcome.effects.context.len(), usize::from(is_carried));
        assert_eq!(outcome.steps.len(), 1 + usize::from(is_carried));
    }
}

fn engine_step(hook: &Hook) -> tenterhook_core::outcome::Step {
    tenterhook_core::outcome::Step {
        hook: hook.id.clone(),
        source: String::new(),
        line: 0,
        executor: "background",
        ended: Ended::Delivered(1),
        took: Duration::ZERO,
        verdict: Restraint::Silent,
        context: Vec::new(),
        messages: Vec::new(),
        rewrote: false,
        stopped: false,
        marks: Vec::new(),
        exemption: None,
        tier: None,
        shadow: None,
    }
}
