//! The state of one server: its kept connections, how many requests are under way, and how long it
//! asked for a pause. Opens nothing and sends nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::connection::Connection;

/// How many idle connections to one server are kept.
const MAX_IDLE: usize = 16;

/// How many requests to one server may be under way for waiting events, and how many for background
/// steps. Further ones wait within their own deadline (HT-60).
const AT_ONCE: [usize; 2] = [64, 16];

/// The longest pause that a server can ask for (HT-61).
const QUIET: Duration = Duration::from_secs(60);

/// One server: a scheme, a host and a port.
pub(super) struct Origin {
    turns: [Semaphore; 2],
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    kept: Vec<Idle>,
    quiet_until: Option<Instant>,
}

struct Idle {
    connection: Box<Connection>,
    since: Instant,
    /// The runtime whose reactor wakes tasks on this connection; it cannot be used on a different
    /// one.
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

    /// Waits until one more request may be under way. The permit lasts until it is dropped.
    pub(super) async fn turn(&self, attended: bool) -> Option<SemaphorePermit<'_>> {
        let [waited_for, behind] = &self.turns;
        if attended { waited_for } else { behind }.acquire().await.ok()
    }

    /// The rest of the pause that the server asked for.
    pub(super) fn quiet(&self) -> Option<Duration> {
        let until = self.known().quiet_until?;
        Some(until.saturating_duration_since(Instant::now())).filter(|duration| !duration.is_zero())
    }

    /// Notes the pause that the server asked for.
    pub(super) fn leave_alone(&self, time: Duration) {
        self.known().quiet_until = Some(Instant::now() + time.min(QUIET));
    }

    /// Takes a connection that has been idle for at most `idle` and received nothing since.
    pub(super) fn take(&self, idle: Duration) -> Option<Box<Connection>> {
        let runtime = Handle::current().id();
        loop {
            let Idle { mut connection, since, .. } = {
                let mut known = self.known();
                let at = known.kept.iter().rposition(|connection| connection.runtime == runtime)?;
                known.kept.remove(at)
            };
            if since.elapsed() < idle && connection.is_quiet() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose last reply was read completely, for the next request. Returns
    /// `false` if it is full.
    pub(super) fn keep(&self, mut connection: Box<Connection>) -> bool {
        if !connection.is_done() {
            return false;
        }
        let kept = Idle { connection, since: Instant::now(), runtime: Handle::current().id() };
        let mut known = self.known();
        if known.kept.len() < MAX_IDLE {
            known.kept.push(kept);
        }
        true
    }

    /// Closes connections that have been idle for longer than `idle`. Returns whether any is left.
    pub(super) fn sweep(&self, now: Instant, idle: Duration) -> bool {
        let mut known = self.known();
        known.kept.retain(|connection| now.duration_since(connection.since) < idle);
        !known.kept.is_empty()
    }

    /// Whether it has state that must not be dropped.
    pub(super) fn matters(&self, now: Instant) -> bool {
        let known = self.known();
        !known.kept.is_empty() || known.quiet_until.is_some_and(|quiet_until| quiet_until > now)
    }
}
