//! How a server fared: when it is started again (MC-9), and when one that says nothing counts as hung (MC-10). Pure: the
//! caller brings the time.

use tokio::time::Instant;

use crate::executor::restart::{NotNow, Restarts};

/// So many calls in a row that were given up without a word from the server: it hangs, and is started anew. One slow
/// tool is no hang.
const MUTE: u32 = 3;

/// How a server fared.
#[derive(Debug, Default)]
pub(super) struct Health {
    restarts: Restarts,
    mute: u32,
    /// What was wrong with it last.
    why: String,
}

impl Health {
    /// It could not be reached, or went away.
    pub(super) fn failed(&mut self, now: Instant, why: String) {
        self.restarts.failed(now);
        self.mute = 0;
        self.why = why;
    }

    /// It replied, or its configuration was loaded anew.
    pub(super) fn forgive(&mut self) {
        *self = Self::default();
    }

    /// A call was given up; `true` when it is time to start it anew.
    pub(super) fn given_up(&mut self) -> bool {
        self.mute += 1;
        self.mute >= MUTE
    }

    /// Whether it may be started now.
    pub(super) fn may_start(&self, now: Instant) -> Result<(), NotNow> {
        self.restarts.may_start(now)
    }

    /// What was wrong with it last.
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
    fn three_calls_without_a_word_are_a_hang() {
        let mut health = Health::default();
        assert!(!health.given_up() && !health.given_up());
        health.forgive();
        assert!(!health.given_up() && !health.given_up() && health.given_up());
    }
}
