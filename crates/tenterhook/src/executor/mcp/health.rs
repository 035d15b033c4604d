//! When a server that failed is tried again, and when one that says nothing counts as hung (MC-9). Pure: the caller
//! brings the time.

use std::time::Duration;

use tokio::time::Instant;

/// How long a server that failed twice in a row is left alone; four times as long after each further failure. The first
/// failure costs nothing: the next call starts it again.
const PAUSE: Duration = Duration::from_millis(500);

/// The longest pause: a server that was mended is in use again within half a minute.
const LONGEST: Duration = Duration::from_secs(30);

/// So many calls in a row that were given up without a word from the server: it hangs, and is started anew. One slow
/// tool is no hang.
const MUTE: u32 = 3;

/// How a server fared.
#[derive(Debug, Default)]
pub(super) struct Health {
    failures: u32,
    mute: u32,
    last: Option<(Instant, String)>,
}

impl Health {
    /// It could not be reached, or went away.
    pub(super) fn failed(&mut self, now: Instant, why: String) {
        self.failures = self.failures.saturating_add(1);
        self.mute = 0;
        self.last = Some((now, why));
    }

    /// It replied.
    pub(super) fn replied(&mut self) {
        *self = Self::default();
    }

    /// A call was given up; `true` when it is time to start it anew.
    pub(super) fn given_up(&mut self) -> bool {
        self.mute += 1;
        self.mute >= MUTE
    }

    /// How much longer it is left alone, and why; `None` when it may be tried now.
    pub(super) fn pause(&self, now: Instant) -> Option<(Duration, &str)> {
        let (since, why) = self.last.as_ref()?;
        let left = (*since + pause(self.failures)).saturating_duration_since(now);
        (!left.is_zero()).then_some((left, why.as_str()))
    }
}

fn pause(failures: u32) -> Duration {
    match failures {
        0 | 1 => Duration::ZERO,
        more => PAUSE.saturating_mul(4_u32.saturating_pow(more - 2)).min(LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-9.
    #[test]
    fn the_first_failure_costs_nothing_and_further_ones_ever_more() {
        let now = Instant::now();
        let mut health = Health::default();
        assert_eq!(health.pause(now), None);
        let millis = [0, 500, 2_000, 8_000, 30_000, 30_000];
        for millis in millis {
            health.failed(now, "it crashed".to_owned());
            let expected = Duration::from_millis(millis);
            let told = health.pause(now).map_or(Duration::ZERO, |(left, _)| left);
            assert_eq!(told, expected);
            assert_eq!(health.pause(now + expected), None);
        }
        (0..100).for_each(|_| health.failed(now, String::new()));
        assert_eq!(health.pause(now), Some((LONGEST, "")));
        health.replied();
        assert_eq!(health.pause(now), None);
    }

    /// MC-9.
    #[test]
    fn three_calls_without_a_word_are_a_hang() {
        let mut health = Health::default();
        assert!(!health.given_up() && !health.given_up());
        health.replied();
        assert!(!health.given_up() && !health.given_up() && health.given_up());
    }
}
