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
    fn lock_known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one more request may be in progress. The permit lasts until it is dropped.
    pub(super) async fn acquire_request_permit(
        &self,
        attended: bool,
    ) -> Option<SemaphorePermit<'_>> {
        let [waited_for, behind] = &self.turns;
        if attended { waited_for } else { behind }.acquire().await.ok()
    }

    /// Returns the rest of the pause that the server asked for.
    pub(super) fn remaining_pause(&self) -> Option<Duration> {
        let until = self.lock_known().quiet_until?;
        Some(until.saturating_duration_since(Instant::now())).filter(|duration| !duration.is_zero())
    }

    /// Starts the pause that the server asked for.
    pub(super) fn begin_requested_pause(&self, time: Duration) {
        self.lock_known().quiet_until = Some(Instant::now() + time.min(QUIET));
    }

    /// Takes a connection that has been idle for at most `idle` and received nothing since.
    pub(super) fn take_idle_connection(&self, idle: Duration) -> Option<Box<Connection>> {
        let runtime = Handle::current().id();
        loop {
            let Idle { mut connection, since, .. } = {
                let mut known = self.lock_known();
                let at = known.kept.iter().rposition(|connection| connection.runtime == runtime)?;
                known.kept.remove(at)
            };
            if since.elapsed() < idle && connection.is_ready_and_silent() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection for the next request if its last reply was read completely. Returns
    /// `false` otherwise.
    pub(super) fn keep_connection(&self, mut connection: Box<Connection>) -> bool {
        if !connection.is_ready_for_request() {
            return false;
        }
        let kept = Idle { connection, since: Instant::now(), runtime: Handle::current().id() };
        let mut known = self.lock_known();
        if known.kept.len() < MAX_IDLE {
            known.kept.push(kept);
        }
        true
    }

    /// Closes connections that have been idle for longer than `idle`. Returns whether any is left.
    pub(super) fn close_connections_idle_too_long(&self, now: Instant, idle: Duration) -> bool {
        let mut known = self.lock_known();
        known.kept.retain(|connection| now.duration_since(connection.since) < idle);
        !known.kept.is_empty()
    }

    /// Whether the origin has state that must not be dropped: idle connections or a pause.
    pub(super) fn has_state_to_keep(&self, now: Instant) -> bool {
        let known = self.lock_known();
        !known.kept.is_empty() || known.quiet_until.is_some_and(|quiet_until| quiet_until > now)
    }
}
