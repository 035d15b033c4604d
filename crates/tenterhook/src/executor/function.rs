//! Runs a callback of the host as a hook: no process, no bytes, one deadline. A panic is a report,
//! never a crash.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::time::Instant;
use tokio::time::error::Elapsed;

use super::Task;
use tenterhook_core::answer::{Answer, Failure};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Function;
use tenterhook_core::report::{End, Report, StepOutput};

/// Compiles the example of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guide/executors/function.md")]
struct Guide;

/// The signal under which a panic is reported: the one that kills a program that aborts.
const ABORTED: i32 = 6;

/// The payload of a panic.
#[derive(Debug, thiserror::Error)]
pub(super) enum Panic {
    /// A text.
    #[error("{0}")]
    Words(String),
    /// A value of another type, which has no text.
    #[error("(no words)")]
    OfAnotherType,
}

/// Names the code that panicked, for people.
const CALLBACK: &str = "its callback";

pub(super) async fn run_function(task: &Task, function: &Function) -> Report {
    let (started, budget) = (Instant::now(), task.remaining_time());
    let mut call = match call_catching_panics(|| function.call(Arc::clone(&task.event))) {
        Ok(call) => Walled(Some(call)),
        Err(panic) => return panic_report(CALLBACK, &panic, started),
    };
    // Most callbacks return at once, and then no timer is needed.
    match std::future::poll_fn(|context| Poll::Ready(call.poll_catching_panics(context))).await {
        Poll::Ready(ended) => return report_of_function(Ok(ended), started),
        Poll::Pending => {}
    }
    let left = budget.saturating_sub(started.elapsed());
    let rest = std::future::poll_fn(|context| call.poll_catching_panics(context));
    report_of_function(Box::pin(tokio::time::timeout(left, rest)).await, started)
}

/// Builds the report of a function that returned, panicked or timed out.
fn report_of_function(ended: Result<Result<Answer, Panic>, Elapsed>, started: Instant) -> Report {
    match ended {
        Ok(Ok(answer)) => {
            let said = StepOutput::Answer(Box::new(answer));
            Report { said, ..Report::without_output(End::Exited(0), started.elapsed()) }
        }
        Ok(Err(panic)) => panic_report(CALLBACK, &panic, started),
        Err(_) => Report::without_output(End::TimedOut, started.elapsed()),
    }
}

/// Reports a panic: the step did not end by itself, and the panic's message is noted.
pub(super) fn panic_report(who: &str, panic: &Panic, started: Instant) -> Report {
    let note = Failure::new(Code::Panicked, format!("{who} panicked: {panic}"));
    let report = Report::without_output(End::Signalled(ABORTED), started.elapsed());
    Report { notes: vec![note], ..report }
}

/// Foreign code that may panic: catches a panic when it is polled and when it is dropped, which may
/// happen at any time.
struct Walled<F>(Option<F>);

impl<F: Future + Unpin> Walled<F> {
    fn poll_catching_panics(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<F::Output, Panic>> {
        let Some(call) = &mut self.0 else { return Poll::Pending };
        match call_catching_panics(|| Pin::new(call).poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(answer)),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

impl<F> Drop for Walled<F> {
    fn drop(&mut self) {
        // The earlier result applies, or none: no caller is left to receive a panic here.
        let _ = call_catching_panics(|| drop(self.0.take()));
    }
}

/// Awaits `future` and catches its panics.
pub(super) async fn await_catching_panics<T>(future: impl Future<Output = T>) -> Result<T, Panic> {
    let mut walled = Walled(Some(Box::pin(future)));
    std::future::poll_fn(|context| walled.poll_catching_panics(context)).await
}

/// Calls `call` and catches its panic. The state that it changed is not used again.
fn call_catching_panics<T>(call: impl FnOnce() -> T) -> Result<T, Panic> {
    std::panic::catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let words = payload.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| payload.downcast_ref::<&str>().copied());
        let panic = words.map_or(Panic::OfAnotherType, |words| Panic::Words(words.to_owned()));
        // The payload may panic in its turn when it is dropped.
        if let Err(again) = std::panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        panic
    })
}
