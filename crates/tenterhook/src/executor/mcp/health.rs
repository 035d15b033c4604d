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
    /// It could not be reached, or ended.
    pub(super) fn failed(&mut self, now: Instant, why: String) {
        self.restarts.failed(now);
        self.mute = 0;
        self.why = why;
    }

    /// It replied, or its configuration was reloaded.
    pub(super) fn forgive(&mut self) {
        *self = Self::default();
    }

    /// Notes a cancelled call. Returns `true` if the server must be restarted.
    pub(super) fn given_up(&mut self) -> bool {
        self.mute += 1;
        self.mute >= MUTE
    }

    /// Whether it may be started now.
    pub(super) fn may_start(&self, now: Instant) -> Result<(), NotNow> {
        self.restarts.may_start(now)
    }

    /// The last failure.
    pub(super) fn why(&self) -> &str {
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
        assert!(!health.given_up() && !health.given_up());
        health.forgive();
        assert!(!health.given_up() && !health.given_up() && health.given_up());
    }
}
