//! What is known of one server: the connections to it that are kept, how many requests are under way there, and how long it
//! wants to be left alone. Opens nothing and sends nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::connection::Connection;

/// How many connections to one server are kept while nobody uses them.
const KEPT: usize = 16;

/// How many requests may be under way to one server that events wait for, and how many in the background. Others wait for
/// their turn, inside their own deadline (HT-60).
const AT_ONCE: [usize; 2] = [64, 16];

/// The longest that a server is left alone because it asks for it (HT-61).
const QUIET: Duration = Duration::from_secs(60);

/// One server: a scheme, a host and a port.
pub(super) struct Origin {
    turns: [Semaphore; 2],
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    kept: Vec<Kept>,
    quiet_until: Option<Instant>,
}

struct Kept {
    connection: Box<Connection>,
    since: Instant,
    /// The runtime that wakes whoever waits on it: on another one nobody would be woken.
    runtime: Id,
}

impl Default for Origin {
    fn default() -> Self {
        Self { turns: AT_ONCE.map(Semaphore::new), known: Mutex::default() }
    }
}

impl Origin {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one more request may be under way; it is until what comes back is dropped.
    pub(super) async fn turn(&self, attended: bool) -> Option<SemaphorePermit<'_>> {
        let [waited_for, behind] = &self.turns;
        if attended { waited_for } else { behind }.acquire().await.ok()
    }

    /// How long it still wants to be left alone.
    pub(super) fn quiet(&self) -> Option<Duration> {
        let until = self.known().quiet_until?;
        Some(until.saturating_duration_since(Instant::now())).filter(|duration| !duration.is_zero())
    }

    /// It asked for so much time.
    pub(super) fn leave_alone(&self, time: Duration) {
        self.known().quiet_until = Some(Instant::now() + time.min(QUIET));
    }

    /// A connection on which nothing was said since it was kept, and that is kept for no longer than `idle`.
    pub(super) fn take(&self, idle: Duration) -> Option<Box<Connection>> {
        let runtime = Handle::current().id();
        loop {
            let Kept { mut connection, since, .. } = {
                let mut known = self.known();
                let at = known.kept.iter().rposition(|connection| connection.runtime == runtime)?;
                known.kept.remove(at)
            };
            if since.elapsed() < idle && connection.is_quiet() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose last reply was read to its end, for the next request; `false` where it takes none.
    pub(super) fn keep(&self, mut connection: Box<Connection>) -> bool {
        if !connection.is_done() {
            return false;
        }
        let kept = Kept { connection, since: Instant::now(), runtime: Handle::current().id() };
        let mut known = self.known();
        if known.kept.len() < KEPT {
            known.kept.push(kept);
        }
        true
    }

    /// Closes what is kept for longer than `idle`; whether anything is left.
    pub(super) fn sweep(&self, now: Instant, idle: Duration) -> bool {
        let mut known = self.known();
        known.kept.retain(|connection| now.duration_since(connection.since) < idle);
        !known.kept.is_empty()
    }

    /// Whether anything is known of it that must not be forgotten.
    pub(super) fn matters(&self, now: Instant) -> bool {
        let known = self.known();
        !known.kept.is_empty() || known.quiet_until.is_some_and(|quiet_until| quiet_until > now)
    }
}
