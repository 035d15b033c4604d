//! Decides when a failed server is started again (MC-9), and when a silent one is treated as hung
//! (MC-10). Pure: the caller passes the time.

use tokio::time::Instant;

use crate::executor::restart::{NotNow, Restarts};

/// After this many cancelled calls in a row without any message the server hangs, and is restarted.
/// One slow tool is no hang.
const MUTE: u32 = 3;

/// The history of a server's failures.
#[derive(Debug, Default)]
pub(super) struct Health {
    restarts: Restarts,
    mute: u32,
    /// The last failure.
    why: String,
}

impl Health {
    /// Notes that the server could not be reached, or ended.
    pub(super) fn record_failure(&mut self, now: Instant, why: String) {
        self.restarts.record_failure(now);
        self.mute = 0;
        self.why = why;
    }

    /// Forgets all failures, because the server replied or its configuration was reloaded.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Notes a cancelled call. Returns `true` if the server must be restarted.
    pub(super) fn record_cancelled_call(&mut self) -> bool {
        self.mute += 1;
        self.mute >= MUTE
    }

    /// Succeeds if the server may be started now.
    pub(super) fn check_may_start(&self, now: Instant) -> Result<(), NotNow> {
        self.restarts.check_may_start(now)
    }

    /// The last failure.
    pub(super) fn last_failure(&self) -> &str {
        &self.why
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-10.
    /// MC-9.
    #[test]
    fn three_silent_calls_are_a_hang() {
        let mut health = Health::default();
        assert!(!health.record_cancelled_call() && !health.record_cancelled_call());
        health.reset();
        assert!(
            !health.record_cancelled_call()
                && !health.record_cancelled_call()
                && health.record_cancelled_call()
        );
    }
}
