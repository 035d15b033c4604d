//! Runs a future to its end or to a signal, whichever comes first. Knows nothing of hooks.

use std::future::Future;
use std::time::Duration;
use tenterhook_core::diagnostic::Code;

use crate::exit::Exit;
use crate::last_word::{self, CallerReply};
use crate::problem::Problem;

/// How the wait ended.
#[derive(Debug)]
pub(crate) enum Waited<T> {
    /// The work is done.
    Done(T),
    /// The user, or the system, wants the run to end; the work was dropped.
    Signal(u8),
}

/// There is not even what it takes to wait for hooks.
#[derive(Debug)]
pub(crate) struct Starved(std::io::Error);

impl Starved {
    /// Creates the error for the missing resource that `error` names.
    pub(crate) const fn new(error: std::io::Error) -> Self {
        Self(error)
    }

    /// Denies: a caller that waits for an outcome gets one that restrains.
    pub(crate) fn deny_to_caller(self, reply: &CallerReply) -> Exit {
        reply.deny(Code::OutOfResources, &Problem::from(self).message)
    }
}

impl From<Starved> for Problem {
    fn from(Starved(error): Starved) -> Self {
        Self::new(format!("hooks cannot be waited for: {error}"))
            .with_help("look at the limits of this process: threads, open files, memory")
    }
}

/// Longer than any run takes to end: its grace, and the search for what it left.
const ENDING: Duration = Duration::from_secs(5);

/// Runs `work` on a fresh runtime.
///
/// When the call returns, everything that the work started is over: its tasks, and the processes of its hooks with all
/// their descendants, also those that made themselves daemons.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<Waited<T>, Starved> {
    block_on_interruptible(work, || ())
}

/// Runs `work` on this thread alone, for a program that ends in time whatever it computes: it
/// starts one thread less.
pub(crate) fn block_on_current_thread<T>(
    work: impl Future<Output = T>,
    give_up: impl FnOnce() + Send + 'static,
) -> Result<Waited<T>, Starved> {
    block_on_runtime_from_builder(tokio::runtime::Builder::new_current_thread(), work, give_up)
}

/// Runs `work` that may compute for long. If a signal arrives meanwhile, `give_up` reports it on
/// another thread: a computation can only be dropped once it has ended.
pub(crate) fn block_on_interruptible<T>(
    work: impl Future<Output = T>,
    give_up: impl FnOnce() + Send + 'static,
) -> Result<Waited<T>, Starved> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Hooks are other processes: this thread and one more are plenty to hear them out, and signals while this one computes.
    builder.worker_threads(1);
    block_on_runtime_from_builder(builder, work, give_up)
}

fn block_on_runtime_from_builder<T>(
    mut builder: tokio::runtime::Builder,
    work: impl Future<Output = T>,
    give_up: impl FnOnce() + Send + 'static,
) -> Result<Waited<T>, Starved> {
    // Where the system cannot do it, hooks are ended all the same, but a daemon may stay; the report of its hook says so.
    let _ = tenterhook_process::adopt_orphans();
    let runtime = last_word::report_panic_as_exhaustion(|| builder.enable_all().build());
    let runtime = runtime.map_err(Starved)?;
    let waited = runtime.block_on(async {
        let signals = Signals::listen();
        let signalled = tokio::spawn(async {
            let signal = signals.wait_for_first().await;
            give_up();
            signal
        });
        tokio::select! {
            biased;
            Ok(signal) = signalled => Waited::Signal(signal),
            done = work => Waited::Done(done),
        }
    });
    runtime.shutdown_timeout(ENDING);
    // A run that outlives this is stuck in the kernel, where nothing reaches it.
    let _ = tenterhook_process::wait_for_all_runs(ENDING);
    Ok(waited)
}

/// Calls `handler` for the first signal that asks the program to end, at any time, also between two
/// runs.
pub(crate) fn call_handler_on_first_signal(
    handler: impl FnOnce(u8) + Send + 'static,
) -> Result<(), Starved> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().map_err(Starved)?;
    let signals = {
        let _inside = runtime.enter();
        Signals::listen()
    };
    let listening = move || handler(runtime.block_on(signals.wait_for_first()));
    std::thread::Builder::new().spawn(listening).map(|_| ()).map_err(Starved)
}

/// The signals that ask the program to end.
struct Signals(#[cfg(unix)] Vec<(tokio::signal::unix::Signal, u8)>);

#[cfg(unix)]
impl Signals {
    /// Starts listening for signals.
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        const ASKING: [(fn() -> SignalKind, u8); 3] =
            [(SignalKind::hangup, 1), (SignalKind::interrupt, 2), (SignalKind::terminate, 15)];
        // Without its handler a signal ends the program at once, as it always did.
        let handler =
            |(kind, number): (fn() -> SignalKind, u8)| Some((signal(kind()).ok()?, number));
        Self(ASKING.into_iter().filter_map(handler).collect())
    }

    /// Waits for the first signal, and returns its number.
    async fn wait_for_first(mut self) -> u8 {
        std::future::poll_fn(|context| {
            let came = self.0.iter_mut().find_map(|(signal, number)| {
                signal.poll_recv(context).is_ready().then_some(*number)
            });
            came.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }
}

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self()
    }

    async fn wait_for_first(self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 2,
            Err(_) => std::future::pending().await,
        }
    }
}
