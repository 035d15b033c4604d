//! Preconditions of a firing: a runtime that runs tasks and keeps time, and an event that names its
//! directory. Runs nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::runtime::Handle;

use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::event::Event;
use tenterhook_core::outcome::Fault;

const REMEDY: &str = "call `enable_time` (or `enable_all`) on the builder of the runtime";

/// Whether the current runtime has timers; `None` outside of a runtime.
///
/// A runtime reports missing timers only by a panic, so this provokes one where it can be caught,
/// before any hook has begun.
fn runtime_has_timers() -> Option<bool> {
    Handle::try_current().ok()?;
    Some(catch_unwind(AssertUnwindSafe(|| drop(tokio::time::sleep(Duration::ZERO)))).is_ok())
}

/// A diagnostic if the runtime in which an engine is built has no timers. `None` outside of
/// a runtime, where this is not known yet.
pub(super) fn missing_timers_diagnostic() -> Option<Diagnostic> {
    (runtime_has_timers() == Some(false)).then(|| {
        let message = "the runtime keeps no time, so no hook can run: a timeout would never end";
        Diagnostic::new(Code::NoTimers, message, None).help(REMEDY)
    })
}

/// Returns the failure of every hook if hooks cannot run in this runtime; `None` if they can
///
pub(super) fn unusable_runtime_failure() -> Option<Failure> {
    let message = match runtime_has_timers() {
        Some(true) => return None,
        Some(false) => format!("it was not run, because the runtime keeps no time; {REMEDY}"),
        None => "it was not run, because the event was fired outside of a tokio runtime".to_owned(),
    };
    Some(Failure::new(Code::NoTimers, message))
}

/// Returns a fault if hooks start for an event that names no working directory (E-8).
pub(super) fn missing_directory_fault(event: &Event) -> Option<Fault> {
    event.within.cwd.as_os_str().is_empty().then(|| {
        let session = if event.within.session_id.is_empty() { " and no session" } else { "" };
        let message = format!(
            "the event `{}` names no working directory{session}, and hooks start there: say it with `Event::within`",
            event.name
        );
        Fault { code: Code::EventWithoutPlace, hook: None, message }
    })
}
