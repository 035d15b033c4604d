//! Decides whether a failed program may be started again: at once, after a pause, or not for a
//! while. One policy for workers and MCP servers (WK-20 to WK-22, MC-9). Pure: the caller passes
//! the time.

use std::time::Duration;

use tokio::time::Instant;

/// How long the next start waits after this many starts without an answer. The first failure may be
/// an accident, and costs nothing.
const PAUSES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(800),
];

/// How many starts without an answer begin a quarantine.
pub(in crate::executor) const STARTS: usize = PAUSES.len() + 1;

/// The time within which they count. Starts further apart are no loop.
pub(in crate::executor) const WINDOW: Duration = Duration::from_secs(60);

/// How long the first quarantine lasts; each further one lasts twice as long.
const REST: Duration = Duration::from_secs(30);

/// How long a quarantine lasts at most.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// The results of the starts.
#[derive(Debug, Default)]
pub(in crate::executor) struct Restarts {
    /// When starts failed without an answer, since the last one that gave an answer.
    failed: Vec<Instant>,
    /// When the quarantine ends.
    rests_until: Option<Instant>,
    /// How many quarantines followed one after the other.
    rests: u32,
}

/// Why it may not be started now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::executor) enum NotNow {
    /// It failed a moment ago; it may be started at this time.
    Until(Instant),
    /// It is quarantined for this long and no event waits for it: the failure policy decides.
    Rests(Duration),
}

impl Restarts {
    /// Checks whether the program may be started at `now`. The error says when it may, or how long
    /// its quarantine lasts.
    pub(in crate::executor) fn check_may_start(&self, now: Instant) -> Result<(), NotNow> {
        if let Some(until) = self.rests_until.filter(|until| *until > now) {
            return Err(NotNow::Rests(until - now));
        }
        let last = self.failed.len().checked_sub(1);
        let pause = last.and_then(|at| Some((self.failed.get(at)?, PAUSES.get(at)?)));
        match pause.map(|(failed, pause)| *failed + *pause) {
            Some(at) if at > now => Err(NotNow::Until(at)),
            _ => Ok(()),
        }
    }

    /// Records that the program ended, or broke its protocol, before it gave an answer. Returns the
    /// length of the quarantine if one begins: users are shown one message per series of failures.
    pub(in crate::executor) fn record_failure(&mut self, now: Instant) -> Option<Duration> {
        self.failed.retain(|at| now.saturating_duration_since(*at) < WINDOW);
        self.failed.push(now);
        // After a quarantine it has one try.
        if self.failed.len() < STARTS && self.rests == 0 {
            return None;
        }
        let rest = REST.saturating_mul(1 << self.rests.min(8)).min(LONGEST_REST);
        self.rests += 1;
        self.rests_until = Some(now + rest);
        self.failed.clear();
        (self.rests == 1).then_some(rest)
    }

    /// Forgets earlier failures, because the program gave an answer or its configuration was
    /// reloaded.
    pub(in crate::executor) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// MC-9, WK-20.
    #[test]
    fn starts_that_fail_wait_longer_each_time_and_then_rest() {
        let (mut restarts, begin) = (Restarts::default(), Instant::now());
        let mut now = begin;
        assert_eq!(restarts.check_may_start(now), Ok(()));
        for pause in PAUSES {
            assert_eq!(restarts.record_failure(now), None);
            if pause > Duration::ZERO {
                assert_eq!(restarts.check_may_start(now), Err(NotNow::Until(now + pause)));
            }
            now += pause;
            assert_eq!(restarts.check_may_start(now), Ok(()));
        }
        assert_eq!(restarts.record_failure(now), Some(REST));
        assert_eq!(restarts.check_may_start(now), Err(NotNow::Rests(REST)));
        assert_eq!(restarts.check_may_start(now + REST - MS), Err(NotNow::Rests(MS)));
        assert_eq!(restarts.check_may_start(now + REST), Ok(()));
    }

    /// WK-20.
    #[test]
    fn server_has_one_try_after_its_rest_and_is_not_reported_again() {
        let (mut restarts, now) = (Restarts::default(), Instant::now());
        let rests: Vec<_> = (0..STARTS).map(|_| restarts.record_failure(now)).collect();
        assert_eq!(rests.last(), Some(&Some(REST)));
        let mut now = now + REST;
        for expected in [60, 120, 240, 300, 300] {
            assert_eq!(restarts.record_failure(now), None);
            assert_eq!(
                restarts.check_may_start(now),
                Err(NotNow::Rests(Duration::from_secs(expected)))
            );
            now += Duration::from_secs(expected);
        }
        restarts.reset();
        assert_eq!(restarts.check_may_start(now), Ok(()));
    }

    #[test]
    fn failures_far_apart_are_no_loop() {
        let (mut restarts, mut now) = (Restarts::default(), Instant::now());
        for _ in 0..100 {
            assert_eq!(restarts.record_failure(now), None);
            now += WINDOW / 4;
        }
    }
}
