//! The destinations of requests so far. Keeps what was prepared for each URL while it is useful.
//! Opens nothing and sends nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::connection::Connection;
use super::destination::Destination;
use super::failure::{Failure, Kind};
use tenterhook_core::request::address::Target;

/// How long an idle connection is kept: less than the five seconds after which common servers
/// (Node's, uvicorn) close theirs. A request that crosses such a close is lost, and a gate's
/// request is not sent twice (HT-42).
const IDLE: Duration = Duration::from_secs(4);

/// The servers of a network.
pub(super) struct Origins {
    known: Mutex<Known>,
    idle: Duration,
}

#[derive(Default)]
struct Known {
    /// By the URL as it is written.
    destinations: HashMap<Box<str>, Arc<Destination>>,
    /// Closes connections that have been idle for too long; runs while any is kept.
    sweeper: Option<JoinHandle<()>>,
}

impl Default for Origins {
    fn default() -> Self {
        Self::with_idle_time(IDLE)
    }
}

impl Drop for Origins {
    fn drop(&mut self) {
        if let Some(sweeper) = self.lock_known().sweeper.take() {
            sweeper.abort();
        }
    }
}

impl Origins {
    /// Sets how long idle connections are kept.
    pub(super) fn with_idle_time(idle: Duration) -> Self {
        Self { known: Mutex::default(), idle }
    }

    fn lock_known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the destination of `url`. It is parsed the first time, and again after it was
    /// dropped.
    pub(super) fn destination_of_url(&self, url: &str) -> Result<Arc<Destination>, Failure> {
        let mut known = self.lock_known();
        if let Some(found) = known.destinations.get(url) {
            return Ok(Arc::clone(found));
        }
        let target = Target::parse_url(url)
            .map_err(|error| Failure::new(Kind::Url, format!("its URL cannot be used: {error}")))?;
        let same = |destination: &&Arc<Destination>| destination.is_same_server(&target);
        let origin = known
            .destinations
            .values()
            .find(same)
            .map(|destination| Arc::clone(&destination.origin));
        let made = Arc::new(Destination::new(target, origin.unwrap_or_default())?);
        known.destinations.insert(url.into(), Arc::clone(&made));
        Ok(made)
    }

    /// Takes an idle connection that received nothing since it was kept.
    pub(super) fn take_idle_connection(
        &self,
        destination: &Destination,
    ) -> Option<Box<Connection>> {
        destination.origin.take_idle_connection(self.idle)
    }

    /// Keeps a connection whose last reply was read completely, for the next request.
    pub(super) fn keep_connection(
        self: &Arc<Self>,
        destination: &Destination,
        connection: Box<Connection>,
    ) {
        if !destination.origin.keep_connection(connection) {
            return;
        }
        let mut known = self.lock_known();
        if known.sweeper.as_ref().is_none_or(JoinHandle::is_finished) {
            known.sweeper =
                Some(tokio::spawn(drop_unused_periodically(Arc::downgrade(self), self.idle)));
        }
    }

    /// Closes connections that have been idle for too long and drops destinations without state.
    /// Returns `false` if none is left to close.
    fn drop_unused_destinations(&self) -> bool {
        let mut known = self.lock_known();
        let now = Instant::now();
        let mut left = false;
        for destination in known.destinations.values() {
            left |= destination.origin.close_connections_idle_too_long(now, self.idle);
        }
        // A request gets its destination under this lock: if one server had two destinations, its
        // requests would be counted separately.
        let in_use = |destination: &Arc<Destination>| Arc::strong_count(destination) > 1;
        known.destinations.retain(|_, destination| {
            in_use(destination) || destination.origin.has_state_to_keep(now)
        });
        if !left {
            known.sweeper = None;
        }
        left
    }
}

/// Closes idle connections as long as any is kept: twice per idle time, so that none is kept for
/// much longer.
async fn drop_unused_periodically(origins: Weak<Origins>, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 2).await;
        match origins.upgrade() {
            Some(origins) if origins.drop_unused_destinations() => {}
            Some(_) | None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-60
    #[tokio::test]
    async fn requests_in_the_background_leave_room_for_those_that_are_waited_for() {
        let origins = Origins::default();
        let target = origins.destination_of_url("http://localhost:1/").unwrap();
        let path = origins.destination_of_url("http://LOCALHOST:1/path").unwrap();
        let other = origins.destination_of_url("http://localhost:2/").unwrap();
        let take = async |target: &Arc<Destination>, attended| {
            tokio::select! {
                biased;
                turn = target.origin.acquire_request_permit(attended) => {
                    turn.unwrap().forget();
                    Some(())
                }
                () = async {} => None,
            }
        };
        let mut behind = 0;
        while take(&target, false).await.is_some() {
            behind += 1;
        }
        assert_eq!((behind, take(&path, false).await), (16, None), "a server has one count");
        assert!(take(&target, true).await.is_some() && take(&other, false).await.is_some());
        drop((path, other));
        assert!(
            origins.lock_known().destinations.len() == 3 && !origins.drop_unused_destinations()
        );
        assert_eq!(origins.lock_known().destinations.len(), 1, "what is in use is not forgotten");
        let again = origins.destination_of_url("http://localhost:1/again").unwrap();
        assert_eq!(take(&again, false).await, None, "and is found by its next path");
    }
}
