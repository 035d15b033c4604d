//! Hooks in shadow: they change nothing in an outcome, and are fully recorded.

use super::*;
use tenterhook_core::answer::Stop;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Phase;

/// An answer with every effect.
fn everything() -> Answer {
    let effects = Effects {
        updated_input: Some(json!({"command": "rewritten"})),
        updated_prompt: Some("rewritten".to_owned()),
        updated_output: Some(json!("rewritten")),
        context: vec!["for the model".to_owned()],
        messages: vec!["for the person".to_owned()],
        stop: Some(Stop { reason: Some("stop".to_owned()) }),
        updated_permissions: vec![json!({"type": "setMode"})],
        watch_paths: Some(vec!["/etc".to_owned()]),
        initial_user_message: Some("first".to_owned()),
        retry: Some(true),
        ..Effects::default()
    };
    Answer { effects, ..Answer::deny("no") }
}

/// SH-6.
#[tokio::test]
async fn shadow_hook_changes_nothing_in_the_outcome() {
    let broken = || Answer::failed(Code::NoAnswer, "it broke");
    for answer in [everything(), broken(), Answer { detached: true, ..everything() }] {
        for wait in [Wait::Attached, Wait::Detached, Wait::Rewake] {
            for phase in Phase::ALL {
                let gate = answering("gate", answer.clone()).wait(wait).phase(phase).shadow();
                let gate = Hook { status: Some("asking".to_owned()), ..gate };
                let gate = gate.on_failure(OnFailure::Block);
                let (engine, session) = (engine([gate]), Session::default());
                let watched = session.watched();
                let mut outcome = engine.fire(event(), &session).await;
                let plain = |outcome: &Outcome| Outcome { steps: Vec::new(), ..outcome.clone() };
                assert_eq!(plain(&outcome), Outcome::without_answer(), "{wait:?} {phase:?}");
                session.drain_into(&mut outcome).await;
                assert_eq!(plain(&outcome), Outcome::without_answer(), "{wait:?} {phase:?}");
                let step = outcome.steps.first().expect("it ran");
                assert_eq!(
                    (step.verdict, step.rewrote, step.stopped),
                    (Restraint::Silent, false, false)
                );
                assert!(step.context.is_empty() && step.shadow.is_some(), "{step:?}");
                assert!(!watched.has_changed().expect("the session lives"));
                assert_eq!(session.env().len(), 0);
            }
        }
    }
}

/// SH-8.
#[tokio::test]
async fn shadow_hook_is_recorded() {
    let gate = answering("gate", everything()).shadow();
    let (engine, session) = (engine([gate]), Session::default());
    let mut outcome = engine.fire(event(), &session).await;
    session.drain_into(&mut outcome).await;
    let shadow = outcome.steps[0].shadow.clone().expect("what it would have done");
    assert_eq!((shadow.restraint, shadow.reason().as_deref()), (Restraint::Deny, Some("no")));
    assert_eq!(shadow.effects.context, ["for the model"]);
    assert!(shadow.effects.stop.is_some());
    let json = tenterhook_core::dialect::native::encode_outcome(&outcome);
    assert_eq!(json["steps"][0]["shadow"]["decision"], "stop");
    assert_eq!(json["steps"][0]["verdict"], json!(null));
}

/// The paused clock moves only if the event waits.
/// SH-7.
#[tokio::test(start_paused = true)]
async fn shadow_hook_does_not_delay_its_event() {
    let began = Instant::now();
    let gate = after("gate", 60_000, Answer::deny("no")).shadow();
    let gate = gate.timeout(Duration::from_secs(90));
    let (engine, session) = (engine([gate]), Session::default());
    let budget = Some(Duration::from_secs(1));
    let mut outcome = engine.fire_within(event(), &session, budget).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(outcome.steps[0].ended, Ended::Detached);
    session.drain_into(&mut outcome).await;
    let shadow = outcome.steps[0].shadow.as_ref().expect("what it would have done");
    assert_eq!(shadow.restraint, Restraint::Deny, "as if the event had waited");
}

/// SH-7: of two processes, one answers the event and the other runs the slow shadow hooks.
#[tokio::test]
async fn slow_shadow_hooks_run_in_the_second_process() {
    let gates =
        || [answering("gate", Answer::deny("no")).shadow(), answering("counts", Answer::default())];
    let engine = |which| {
        let builder = Engine::builder().event(row()).background_hooks(which);
        gates().into_iter().fold(builder, Builder::hook).build().0
    };
    let session = Session::default();
    let ended = |outcome: &Outcome| -> Vec<_> {
        outcome.steps.iter().map(|step| (step.hook.to_string(), step.ended.to_string())).collect()
    };
    let entry = |hook: &str, how: &str| (hook.to_owned(), how.to_owned());
    let outcome = engine(BackgroundHooks::Deferred).fire(event(), &session).await;
    assert_eq!(ended(&outcome), [entry("gate", "detached"), entry("counts", "answered")]);
    assert_eq!(session.drain().await, [], "nothing was started");
    let mut outcome = engine(BackgroundHooks::Only(Arc::from([HookId::new("gate")])))
        .fire(event(), &session)
        .await;
    session.drain_into(&mut outcome).await;
    assert_eq!(ended(&outcome), [entry("gate", "answered, detached")]);
    assert!(outcome.steps[0].shadow.as_ref().is_some_and(|shadow| shadow.blocked()));
}

/// SH-9.
#[tokio::test]
async fn shadow_rewrite_is_not_seen_by_other_hooks() {
    for phase in [Phase::Rewrite, Phase::Decide] {
        let rewrites =
            answering("shadow", rewriting(json!({"command": "second"}))).phase(phase).shadow();
        let asked = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&asked);
        let sees = hook("sees", move |event| {
            counts.fetch_add(1, Ordering::Relaxed);
            assert_eq!(event.payload.get("tool_input"), Some(&json!({"command": "first"})));
            async { Answer::default() }
        });
        let (engine, session) = (engine([rewrites, sees]), Session::default());
        let outcome = engine.fire(event(), &session).await;
        assert_eq!(outcome.effects.updated_input, None);
        assert_eq!(asked.load(Ordering::Relaxed), 1, "nothing was rewritten");
        session.drain().await;
    }
}
