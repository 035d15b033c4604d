//! Callbacks as hooks, through the public API: what every executor is held to, and what only a callback can do wrong.
//!
//! A callback cannot be written in a file: here stands what a case of `conformance/` cannot say of one.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::json;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::{Answer, Effects, Power, Restraint};
use tenterhook_core::dialect::{DialectId, EventRow};
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Function, Hook, HookId, OnFailure, Run, Wait};

fn hook<F, A>(id: &str, call: F) -> Hook
where
    F: Fn(Arc<Event>) -> A + Send + Sync + 'static,
    A: Future<Output = Answer> + Send + 'static,
{
    let run = Run::Function(Function::new(id, call));
    Hook::new(HookId::new(id), DialectId::NATIVE, "PreToolUse".into(), run)
}

fn event() -> Event {
    Event::new("PreToolUse", Surroundings::at("/"))
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": "git push --force"}))
}

fn engine(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let builder = hooks.into_iter().fold(Engine::builder(), |builder, hook| builder.hook(hook));
    let (engine, diagnostics) = builder.build();
    assert_eq!(diagnostics, []);
    engine
}

async fn fire(hooks: impl IntoIterator<Item = Hook>) -> Outcome {
    engine(hooks).fire(event(), &Session::default()).await
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().map(|fault| fault.code.name()).collect()
}

/// Says that it was dropped.
struct DropGuard(Arc<AtomicBool>);

impl Drop for DropGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Panics when it is dropped.
struct Brittle;

impl Drop for Brittle {
    fn drop(&mut self) {
        // A second panic while the first unwinds would end every program.
        assert!(std::thread::panicking(), "dropped on purpose");
    }
}

/// Answers, and panics when it is dropped after that.
struct Parting(Brittle);

impl Future for Parting {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Answer> {
        Poll::Ready(Answer::deny("no"))
    }
}

/// FN-1.
#[tokio::test(start_paused = true)]
async fn an_answer_needs_no_reading() {
    let rewrite = Effects::default().updated_input(json!({"command": "ls"}));
    let answers = [
        (Answer::default(), Restraint::Silent),
        (Answer::decided(Restraint::Allow, "fine"), Restraint::Allow),
        (Answer::decided(Restraint::Ask, "sure?"), Restraint::Ask),
        (Answer::deny("no"), Restraint::Deny),
        (Answer::context("a note"), Restraint::Silent),
        (Answer::default().with(rewrite), Restraint::Silent),
    ];
    for (answer, restraint) in answers {
        let given = answer.clone();
        let outcome = fire([hook("answers", move |_| std::future::ready(given.clone()))]).await;
        assert_eq!(outcome.restraint, restraint, "{answer:?}");
        assert_eq!(outcome.effects.context, answer.effects.context);
        assert_eq!(outcome.effects.updated_input, answer.effects.updated_input);
        assert_eq!(outcome.reason(), answer.reason.filter(|_| restraint != Restraint::Silent));
        assert_eq!(outcome.faults, []);
        assert_eq!(outcome.steps[0].executor, "function");
    }
}

/// FN-2.
#[tokio::test(start_paused = true)]
async fn a_callback_sees_the_event_as_it_stands() {
    let rewrite = hook("rewrites", |_| async {
        Answer::default().with(Effects::default().updated_input(json!({"command": "git push"})))
    });
    let judge = hook("judges", |event| async move {
        let forced = event.payload["tool_input"]["command"] == "git push --force";
        if forced { Answer::deny("push without --force") } else { Answer::default() }
    });
    let mut first = rewrite;
    first.phase = tenterhook_core::hook::Phase::Rewrite;
    let outcome = fire([judge, first]).await;
    assert!(!outcome.blocked(), "{outcome:?}");
}

/// E-4, E-6: what hooks of any source may do on an event that no agent has, the host says.
#[tokio::test(start_paused = true)]
async fn a_host_declares_an_event_of_its_own() {
    let deploy = || EventRow::custom("deploy.before").with_subject("target");
    let says_no = || {
        let run = Function::new("says-no", |_| async { Answer::deny("not on a Friday") });
        Hook::new(
            HookId::new("says-no"),
            DialectId::NATIVE,
            "deploy.before".into(),
            Run::Function(run),
        )
        .timeout(Duration::from_secs(5))
    };
    let event = || Event::new("deploy.before", Surroundings::at("/")).with("target", "production");
    for (row, restraint) in
        [(deploy(), Restraint::Silent), (deploy().with_powers(&[Power::Deny]), Restraint::Deny)]
    {
        let (engine, diagnostics) = Engine::builder().event(row).hook(says_no()).build();
        assert_eq!(diagnostics, []);
        let outcome = engine.fire(event(), &Session::default()).await;
        assert_eq!(outcome.restraint, restraint, "{outcome:?}");
    }
    // Where it may deny, a hook that gives no answer blocks, unless the host or the hook says otherwise.
    let gate = || deploy().with_powers(&[Power::Deny, Power::Ask]).timeout(Duration::from_secs(1));
    let mute = || {
        let run = Function::new("mute", |_| pending::<Answer>());
        Hook::new(
            HookId::new("mute"),
            DialectId::NATIVE,
            "deploy.before".into(),
            Run::Function(run),
        )
    };
    for (row, hook, restraint) in [
        (gate(), mute(), Restraint::Deny),
        (gate().on_failure(OnFailure::Ask), mute(), Restraint::Ask),
        (gate(), mute().on_failure(OnFailure::Continue), Restraint::Silent),
    ] {
        let (engine, _) = Engine::builder().event(row).hook(hook).build();
        let outcome = engine.fire(event(), &Session::default()).await;
        assert_eq!(outcome.restraint, restraint, "{outcome:?}");
    }
}

/// FN-3.
#[tokio::test(start_paused = true)]
async fn time_is_up_for_a_callback_too() {
    let dropped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&dropped);
    let mut late = hook("late", move |_| {
        let guard = DropGuard(Arc::clone(&seen));
        async move {
            let _guard = guard;
            pending().await
        }
    });
    late.timeout = Some(Duration::from_secs(3));
    let began = tokio::time::Instant::now();
    let outcome = fire([late]).await;
    assert_eq!(began.elapsed(), Duration::from_secs(3));
    assert!(outcome.blocked());
    assert_eq!(codes(&outcome), ["timed-out"]);
    assert!(dropped.load(Ordering::SeqCst));
}

/// FN-4.
#[tokio::test(start_paused = true)]
async fn a_panic_stays_in_its_step_wherever_it_happens() {
    let sibling = || hook("sibling", |_| async { Answer::context("here") });
    let panics: [(&str, Hook); 3] = [
        ("at the call", hook("h", |_| -> std::future::Ready<Answer> { panic!("on purpose") })),
        ("at once", hook("h", |_| async { panic!("on purpose") })),
        (
            "later",
            hook("h", |_| async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                panic!("on {}", "purpose")
            }),
        ),
    ];
    for (place, panics) in panics {
        let outcome = fire([panics, sibling()]).await;
        assert!(outcome.blocked(), "{place}");
        assert_eq!(codes(&outcome), ["panicked", "signalled"], "{place}");
        assert!(outcome.faults[0].message.contains("on purpose"), "{place}: {outcome:?}");
        assert_eq!(outcome.effects.context, ["here"], "{place}");
    }
}

/// FN-4.
#[tokio::test(start_paused = true)]
async fn a_panic_at_the_end_of_a_callback_takes_nothing_with_it() {
    let answers = hook("answers", |_| Parting(Brittle));
    let mut late = hook("late", |_| {
        let brittle = Brittle;
        async move {
            let _brittle = brittle;
            pending().await
        }
    });
    late.timeout = Some(Duration::from_secs(1));
    let outcome = fire([answers, late]).await;
    assert_eq!(outcome.reasons[0].text, "no");
    assert_eq!(codes(&outcome), ["timed-out"]);
}

/// FN-4.
#[tokio::test(start_paused = true)]
async fn what_a_panic_throws_may_throw_again() {
    let outcome = fire([hook("throws", |_| async {
        std::panic::panic_any(Brittle);
    })])
    .await;
    assert!(outcome.blocked());
    assert_eq!(codes(&outcome), ["panicked", "signalled"]);
}

/// FN-5.
#[tokio::test(start_paused = true)]
async fn who_no_longer_waits_ends_the_callback() {
    let dropped = Arc::new(AtomicBool::new(false));
    let hooks = (0..2).map(|at| {
        let seen = Arc::clone(&dropped);
        hook(&format!("waits-{at}"), move |_| {
            let guard = DropGuard(Arc::clone(&seen));
            async move {
                let (_guard, _brittle) = (guard, Brittle);
                pending().await
            }
        })
    });
    let (engine, session) = (engine(hooks), Session::default());
    let fired = tokio::time::timeout(Duration::from_millis(1), engine.fire(event(), &session));
    assert!(fired.await.is_err());
    // The tasks of a set are ended when it is dropped, and gone when they were next looked at.
    tokio::task::yield_now().await;
    assert!(dropped.load(Ordering::SeqCst));
}

/// FN-6.
#[tokio::test(start_paused = true)]
async fn once_status_and_the_background_hold_for_callbacks() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let mut once = hook("once", move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Answer::default() }
    });
    once.once = true;
    let session = Session::default();
    let status = session.status();
    let seen = status.clone();
    let mut shown = hook("shown", move |_| {
        let mut seen = seen.clone();
        async move { Answer::context(seen.current().unwrap_or_default()) }
    });
    shown.status = Some("looking".to_owned());
    let mut wakes = hook("wakes", |_| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Answer::deny("look again")
    });
    wakes.wait = Wait::Rewake;
    let engine = engine([once, shown, wakes]);
    for _ in 0..2 {
        let outcome = engine.fire(event(), &session).await;
        assert!(!outcome.blocked());
        assert_eq!(outcome.effects.context, ["looking"]);
    }
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let finished = session.next_finished().await.expect("two went on in the background");
    assert!(finished.wakes);
    assert_eq!(finished.outcome.reason().expect("it said why"), "look again");
    assert_eq!(session.drain().await.len(), 1);
}

/// FN-7.
#[tokio::test(start_paused = true)]
async fn order_is_configured_order_when_a_later_hook_finishes_first() {
    let hooks = [(0, 5), (1, 0), (2, 3), (3, 0)].map(|(at, wait)| {
        hook(&format!("h{at}"), move |_| async move {
            if wait > 0 {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            Answer::context(at.to_string())
        })
    });
    let began = tokio::time::Instant::now();
    let outcome = fire(hooks).await;
    assert_eq!(outcome.effects.context, ["0", "1", "2", "3"]);
    assert_eq!(began.elapsed(), Duration::from_millis(5), "they ran at once");
}
