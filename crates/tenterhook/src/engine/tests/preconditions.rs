//! Firing without a precondition: timers, a runtime, a directory.

use super::*;
use tenterhook_core::outcome::Decision;

/// Fires in a runtime that keeps no time.
fn fire_untimed(hook: Hook) -> (Vec<Diagnostic>, Outcome) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let (engine, diagnostics) = Engine::builder().event(row()).hook(hook).build();
        (diagnostics, engine.fire(event(), &Session::default()).await)
    })
}

//
#[test]
fn runtime_without_timers_is_reported_when_the_engine_is_built() {
    let consents = || answering("consents", Answer::decided(Restraint::Allow, "fine"));
    let (diagnostics, outcome) = fire_untimed(consents());
    let [found] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(
        (found.code.name(), found.severity),
        ("no-timers", tenterhook_core::diagnostic::Severity::Error)
    );
    // No panic, and no consent: the failure policy of the gate decides.
    assert!(matches!(outcome.decision(), Decision::Denied { .. }), "{outcome:?}");
    assert_eq!(
        outcome.faults.iter().map(|fault| fault.code.name()).collect::<Vec<_>>(),
        ["no-timers"]
    );
    let relaxed = Hook { on_failure: Some(OnFailure::Continue), ..consents() };
    assert!(fire_untimed(relaxed).1.decision().proceeds());
}

//
#[test]
fn gate_outside_of_a_runtime_blocks() {
    let engine = engine([answering("consents", Answer::decided(Restraint::Allow, "fine"))]);
    let session = Session::default();
    let fired = engine.fire(event(), &session);
    let mut fired = std::pin::pin!(fired);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(outcome) = fired.as_mut().poll(&mut context) else {
        panic!("there is nothing to wait for");
    };
    assert!(matches!(outcome.decision(), Decision::Denied { .. }), "{outcome:?}");
}

// E-8
#[tokio::test(start_paused = true)]
async fn event_without_a_directory_is_a_fault() {
    let engine = engine([answering("silent", Answer::default())]);
    let nowhere = Event { within: Surroundings::default(), ..event() };
    let outcome = engine.fire(nowhere, &Session::default()).await;
    let [fault] = outcome.faults.as_slice() else { panic!("{outcome:?}") };
    assert_eq!(fault.code.name(), "event-without-place");
    assert!(fault.message.contains("`Event::within`"), "{}", fault.message);
    let unhooked = Event::pre_tool_use("Bash", json!({}));
    assert_eq!(engine.fire(unhooked, &Session::default()).await.faults, []);
}
