//! What is known of each server: the connections to it that are kept, how many requests are under way there, and how long it
//! wants to be left alone. Opens nothing and sends nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::address::Target;
use super::connection::Connection;

/// How long a connection is kept that nobody uses: less than the five seconds after which common servers (Node's, uvicorn)
/// close theirs, because a request that crosses such a close is lost, and a gate's is not sent twice (HT-42).
const IDLE: Duration = Duration::from_secs(4);

/// How many connections to one server are kept while nobody uses them.
const KEPT: usize = 16;

/// How many requests may be under way to one server that events wait for, and how many in the background. Others wait for
/// their turn, inside their own deadline (HT-60).
const AT_ONCE: [usize; 2] = [64, 16];

/// The longest that a server is left alone because it asks for it (HT-61).
const QUIET: Duration = Duration::from_secs(60);

/// The servers of a network.
pub(super) struct Origins {
    known: Mutex<Known>,
    idle: Duration,
}

#[derive(Default)]
struct Known {
    origins: HashMap<Key, Origin>,
    /// Closes what is kept for too long, as long as anything is kept.
    sweeper: Option<JoinHandle<()>>,
}

/// Whether it is encrypted, the host and the port.
type Key = (bool, String, u16);

struct Origin {
    kept: Vec<Kept>,
    turns: [Arc<Semaphore>; 2],
    quiet_until: Option<Instant>,
}

impl Default for Origin {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            turns: AT_ONCE.map(|it| Arc::new(Semaphore::new(it))),
            quiet_until: None,
        }
    }
}

struct Kept {
    connection: Connection,
    since: Instant,
    /// The runtime that wakes whoever waits on it: on another one nobody would be woken.
    runtime: Id,
}

impl Default for Origins {
    fn default() -> Self {
        Self::idling(IDLE)
    }
}

impl Drop for Origins {
    fn drop(&mut self) {
        if let Some(sweeper) = self.known().sweeper.take() {
            sweeper.abort();
        }
    }
}

impl Origins {
    /// Servers whose connections are kept for so long.
    pub(super) fn idling(idle: Duration) -> Self {
        Self { known: Mutex::default(), idle }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn origin<T>(&self, target: &Target, read: impl FnOnce(&mut Origin) -> T) -> T {
        let key = (target.secure, target.host.clone(), target.port);
        read(self.known().origins.entry(key).or_default())
    }

    /// Waits until one more request may be under way to this server; it is until what comes back is dropped.
    pub(super) async fn turn(
        &self,
        target: &Target,
        attended: bool,
    ) -> Option<OwnedSemaphorePermit> {
        let turns = self.origin(target, |origin| {
            let [waited_for, behind] = &origin.turns;
            Arc::clone(if attended { waited_for } else { behind })
        });
        turns.acquire_owned().await.ok()
    }

    /// How long this server still wants to be left alone.
    pub(super) fn quiet(&self, target: &Target) -> Option<Duration> {
        let until = self.origin(target, |origin| origin.quiet_until)?;
        Some(until.saturating_duration_since(Instant::now())).filter(|it| !it.is_zero())
    }

    /// It asked for so much time.
    pub(super) fn leave_alone(&self, target: &Target, time: Duration) {
        let until = Instant::now() + time.min(QUIET);
        self.origin(target, |origin| origin.quiet_until = Some(until));
    }

    /// A connection on which nothing was said since it was kept.
    pub(super) async fn take(&self, target: &Target) -> Option<Connection> {
        let runtime = Handle::current().id();
        loop {
            let kept = self.origin(target, |origin| {
                let at = origin.kept.iter().rposition(|it| it.runtime == runtime)?;
                Some(origin.kept.remove(at))
            });
            let Kept { mut connection, since, .. } = kept?;
            if since.elapsed() < self.idle && connection.is_quiet().await {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose last reply was read to its end, for the next request.
    pub(super) async fn keep(self: &Arc<Self>, target: &Target, mut connection: Connection) {
        if !connection.is_done().await {
            return;
        }
        let runtime = Handle::current().id();
        let kept = Kept { connection, since: Instant::now(), runtime };
        self.origin(target, |origin| {
            if origin.kept.len() < KEPT {
                origin.kept.push(kept);
            }
        });
        let mut known = self.known();
        if known.sweeper.as_ref().is_none_or(JoinHandle::is_finished) {
            known.sweeper = Some(tokio::spawn(sweep(Arc::downgrade(self), self.idle)));
        }
    }

    /// Closes what is kept for too long and forgets what says nothing any more. `false`: nothing is left to close.
    fn sweep(&self) -> bool {
        let mut known = self.known();
        let now = Instant::now();
        let idle = self.idle;
        known.origins.retain(|_, origin| {
            origin.kept.retain(|it| now.duration_since(it.since) < idle);
            let free = |(turns, all): (&Arc<Semaphore>, usize)| turns.available_permits() == all;
            let in_use = !origin.turns.iter().zip(AT_ONCE).all(free);
            in_use || !origin.kept.is_empty() || origin.quiet_until.is_some_and(|it| it > now)
        });
        let left = known.origins.values().any(|it| !it.kept.is_empty());
        if !left {
            known.sweeper = None;
        }
        left
    }
}

/// Sweeps as long as anything is kept. Looks twice in the time that a connection is kept, so none is for much longer.
async fn sweep(origins: Weak<Origins>, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 2).await;
        match origins.upgrade() {
            Some(origins) if origins.sweep() => {}
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
        let target = Target::read("http://localhost:1/").unwrap();
        let other = Target::read("http://localhost:2/").unwrap();
        let take = async |target, attended| {
            tokio::select! {
                biased;
                turn = origins.turn(target, attended) => Some(turn.unwrap()),
                () = async {} => None,
            }
        };
        let mut behind = Vec::new();
        while let Some(turn) = take(&target, false).await {
            behind.push(turn);
        }
        assert_eq!(behind.len(), 16);
        assert!(take(&target, true).await.is_some() && take(&other, false).await.is_some());
        assert!(origins.known().origins.len() == 2 && !origins.sweep());
        assert_eq!(origins.known().origins.len(), 1, "what is in use is not forgotten");
        behind.pop();
        assert!(take(&target, false).await.is_some());
    }
}
