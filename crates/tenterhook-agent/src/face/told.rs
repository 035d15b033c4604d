//! Hears when the program is told to leave from outside, whatever its face.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a program.
pub(crate) struct Told {
    terminated: Signal,
    interrupted: Signal,
    hung_up: Signal,
}

impl Told {
    /// Hears them from now on.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminated: signal(SignalKind::terminate())?,
            interrupted: signal(SignalKind::interrupt())?,
            hung_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits until the program is told to leave, once more each time.
    pub(crate) async fn leave(&mut self) {
        tokio::select! {
            _ = self.terminated.recv() => {}
            _ = self.interrupted.recv() => {}
            _ = self.hung_up.recv() => {}
        }
    }
}
