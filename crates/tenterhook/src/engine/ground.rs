//! What an engine stands on: a runtime that runs tasks and keeps time, and an event that says where it happens. Runs
//! nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::runtime::Handle;

use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::event::Event;
use tenterhook_core::outcome::Fault;

const REMEDY: &str = "call `enable_time` (or `enable_all`) on the builder of the runtime";

/// Whether the runtime that is entered here keeps time; `None` outside of one.
///
/// A runtime tells this in no other way than by a panic, so it is provoked where it can be caught, before any hook has
/// begun.
fn keeps_time() -> Option<bool> {
    Handle::try_current().ok()?;
    Some(catch_unwind(AssertUnwindSafe(|| drop(tokio::time::sleep(Duration::ZERO)))).is_ok())
}

/// What is wrong with the runtime in which an engine is built. Outside of one nothing is known yet.
pub(super) fn without_timers() -> Option<Diagnostic> {
    (keeps_time() == Some(false)).then(|| {
        let message = "the runtime keeps no time, so no hook can run: a time-out would never end";
        Diagnostic::new(Code::NoTimers, message, None).help(REMEDY)
    })
}

/// Why no hook can run here; `None` where they can.
pub(super) fn lack() -> Option<Failure> {
    let message = match keeps_time() {
        Some(true) => return None,
        Some(false) => format!("it was not run, because the runtime keeps no time; {REMEDY}"),
        None => "it was not run, because the event was fired outside of a tokio runtime".to_owned(),
    };
    Some(Failure::new(Code::NoTimers, message))
}

/// The fault of an event that does not say where it happens, though hooks start there (E-8).
pub(super) fn nowhere(event: &Event) -> Option<Fault> {
    event.within.cwd.as_os_str().is_empty().then(|| {
        let session = if event.within.session_id.is_empty() { " and no session" } else { "" };
        let message = format!(
            "the event `{}` names no working directory{session}, and hooks start there: say it with `Event::within`",
            event.name
        );
        Fault { code: Code::EventWithoutPlace, hook: None, message }
    })
}
