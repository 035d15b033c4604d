//! Receives the signals that end the program, for every face.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use crate::update::Input;

/// How long the session may take to end after such a signal: more than its last hooks have.
pub(crate) const GRACE: Duration = Duration::from_secs(6);

/// How a session was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// It ended, and the program ends with this code.
    Ended(u8),
    /// It did not end in time and was abandoned.
    Abandoned,
}

/// Waits until this moment, or forever if `at` is `None`.
pub(crate) async fn wait_until_moment(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// The signals that end a program.
pub(crate) struct ExitSignals {
    terminated: Signal,
    interrupted: Signal,
    hung_up: Signal,
    /// What a terminal sends for Ctrl-\\: elsewhere a program drops dead of it, and what it started lives on.
    quit: Signal,
    /// Whether Ctrl-C was pressed: pressed again, it ends what is waited for.
    was_interrupted: bool,
}

impl ExitSignals {
    /// Starts to receive the exit signals.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminated: signal(SignalKind::terminate())?,
            interrupted: signal(SignalKind::interrupt())?,
            hung_up: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            was_interrupted: false,
        })
    }

    /// Waits for the next signal to leave, and returns the input for the session.
    pub(crate) async fn next(&mut self) -> Input {
        tokio::select! {
            _ = self.terminated.recv() => {}
            _ = self.interrupted.recv() => {
                if std::mem::replace(&mut self.was_interrupted, true) {
                    return Input::QuitNow;
                }
            }
            _ = self.hung_up.recv() => {}
            _ = self.quit.recv() => {}
        }
        Input::Quit("other")
    }
}
