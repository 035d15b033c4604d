//! Runs a callback of the host as a hook: no process, no bytes, one deadline. A panic is a report, never a crash (H70).

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Task;
use crate::answer::Answer;
use crate::event::Event;
use crate::hook::Run;
use crate::report::{End, Report, Said};

type Call = dyn Fn(Arc<Event>) -> Pin<Box<dyn Future<Output = Answer> + Send>> + Send + Sync;

/// A named async callback.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    call: Arc<Call>,
}

impl Function {
    /// Wraps `call` under a name that people see.
    pub fn new<F, A>(name: &str, call: F) -> Self
    where
        F: Fn(Arc<Event>) -> A + Send + Sync + 'static,
        A: Future<Output = Answer> + Send + 'static,
    {
        Self { name: name.into(), call: Arc::new(move |event| Box::pin(call(event))) }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

/// The signal under which a panic is reported: what an aborting program would die of.
pub(super) const ABORTED: i32 = 6;

pub(super) async fn run(task: Task) -> Report {
    let started = Instant::now();
    let Run::Function(function) = &task.hook.run else {
        return Report::silent(End::Cancelled, Duration::ZERO);
    };
    let event = Arc::clone(&task.event);
    let call = catch(async { (function.call)(event).await });
    let end = match tokio::time::timeout(task.budget(), call).await {
        Ok(Ok(answer)) => {
            let said = Said::Answer(Box::new(answer));
            return Report { said, ..Report::silent(End::Exited(0), started.elapsed()) };
        }
        Ok(Err(())) => End::Signalled(ABORTED),
        Err(_) => End::TimedOut,
    };
    Report::silent(end, started.elapsed())
}

/// Polls `future` behind a wall that panics do not pass.
pub(super) async fn catch<T>(future: impl Future<Output = T>) -> Result<T, ()> {
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| {
        // The future is dropped after a panic and never polled again, so no broken state is seen.
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        match polled {
            Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
            Ok(std::task::Poll::Ready(value)) => std::task::Poll::Ready(Ok(value)),
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    })
    .await
}
