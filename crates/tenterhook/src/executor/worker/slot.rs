//! The worker of one hook over all its restarts: which event may ask, when it is restarted, and
//! when it is quarantined.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tenterhook_process as process;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::frame;
use super::link::{Link, Received};
use crate::executor::confine::Confined;
use crate::executor::restart::{NotNow, Restarts, STARTS, WINDOW};
use tenterhook_core::answer::Failure;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Arming, Hook, HookId, Run, Worker};

/// Identifies a worker: hooks with the same key share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WorkerKey {
    pub(super) hook: HookId,
    pub(super) worker: Worker,
    pub(super) cwd: PathBuf,
}

/// One hook's worker. Dropping its last owner ends the process.
pub(super) struct WorkerSlot {
    key: WorkerKey,
    /// How many events it handles at once.
    turns: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    restarts: Restarts,
    link: Option<Arc<Link>>,
    /// The configured entries that it serves; those that are gone were reloaded.
    users: Vec<Weak<Hook>>,
    /// A fault for the next event.
    note: Option<Failure>,
}

impl State {
    /// Releases a worker, which ends it once no event waits for it. Returns `false` if that
    /// happened already.
    fn release_worker(&mut self, link: &Arc<Link>) -> bool {
        self.link.take_if(|l| Arc::ptr_eq(l, link)).is_some()
    }

    /// Releases a worker that ended by itself or broke its protocol. If it gave no answer, its
    /// start is recorded as failed.
    fn release_failed_worker(&mut self, link: &Arc<Link>) {
        if self.release_worker(link)
            && !link.has_answered()
            && let Some(rest) = self.restarts.record_failure(Instant::now())
        {
            self.note = Some(quarantine_failure(rest, link.end_description()));
        }
    }
}

/// The result of one event.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) received: Received,
    /// A fault to report beside it.
    pub(super) note: Option<Failure>,
}

impl WorkerSlot {
    pub(super) fn new(key: WorkerKey) -> Self {
        Self { key, turns: Semaphore::new(1), state: Mutex::default() }
    }

    pub(super) fn has_key(&self, key: &WorkerKey) -> bool {
        self.key == *key
    }

    /// Registers a hook that the worker serves. A reloaded entry starts without recorded failures
    /// (WK-22).
    pub(super) fn register_hook(&self, hook: &Arc<Hook>) {
        let mut state = self.lock_state();
        if state.users.iter().any(|user| std::ptr::eq(user.as_ptr(), Arc::as_ptr(hook))) {
            return;
        }
        let before = state.users.len();
        state.users.retain(|user| user.upgrade().is_some_and(|other| other.event != hook.event));
        if state.users.len() < before {
            state.restarts.reset();
        }
        state.users.push(Arc::downgrade(hook));
    }

    /// Returns whether one of the worker's entries still exists, or an equal one is among `hooks`.
    pub(super) fn is_still_needed<'a>(
        &self,
        hooks: impl IntoIterator<Item = &'a Arc<Hook>>,
    ) -> bool {
        if self.lock_state().users.iter().any(|user| user.strong_count() > 0) {
            return true;
        }
        let same = |hook: &&Arc<Hook>| {
            let wanted = hook.id == self.key.hook && hook.arming == Arming::Armed;
            wanted && matches!(&hook.run, Run::Worker(worker) if *worker == self.key.worker)
        };
        let found = hooks.into_iter().find(same);
        if let Some(hook) = found {
            self.register_hook(hook);
        }
        found.is_some()
    }

    /// Sends an event to the worker, starting it if necessary, and waits for the result.
    ///
    /// Dropping the future early, because of a timeout or a cancelled event, ends the worker: it
    /// may be stuck, and its late output must not meet the next event (WK-12).
    pub(super) async fn send_event_and_wait(
        self: &Arc<Self>,
        id: u64,
        body: &[u8],
        deadline: Instant,
        command: impl Fn() -> (process::Command, Option<Box<Confined>>),
    ) -> Exchange {
        // The semaphore is never closed.
        let _turn = self.turns.acquire().await;
        loop {
            let link = match self.running_or_new_link(&command) {
                Ok(link) => link,
                Err(NotNow::Until(at)) => {
                    tokio::time::sleep_until(at).await;
                    continue;
                }
                Err(NotNow::Rests(left)) => {
                    let left = left.as_secs() + 1;
                    let why = format!("its worker is quarantined for {left} s more");
                    return self.build_exchange_taking_note(Received::NotStarted(why));
                }
            };
            let line =
                frame::request_line(id, deadline.saturating_duration_since(Instant::now()), body);
            let Some(reply) = link.send_request(id, line, deadline) else { continue };
            let asked = Asked { slot: self, link: Some(&link) };
            // The link notifies every waiting request. If it did not, the worker is gone.
            let gone = |_| Received::NotTaken("it was gone before it replied".to_owned());
            let received = reply.await.unwrap_or_else(gone);
            asked.finish_request(&received);
            // A worker that ended between two events failed neither; one that never answered did
            // fail.
            if !(matches!(received, Received::NotTaken(_)) && link.has_answered()) {
                return self.build_exchange_taking_note(received);
            }
        }
    }

    /// Builds the result of an exchange, with the note that waits to be reported, which is taken.
    fn build_exchange_taking_note(&self, received: Received) -> Exchange {
        Exchange { received, note: self.lock_state().note.take() }
    }

    /// Returns the link to the running worker, or starts a worker if that is allowed now.
    fn running_or_new_link(
        &self,
        command: impl Fn() -> (process::Command, Option<Box<Confined>>),
    ) -> Result<Arc<Link>, NotNow> {
        let mut state = self.lock_state();
        if let Some(link) = state.link.clone() {
            if !link.is_closed() {
                return Ok(link);
            }
            // It ended, or broke its protocol, while no event waited for it.
            if let Some(why) = link.take_protocol_error() {
                state.note = Some(protocol_failure(&why));
            }
            state.release_failed_worker(&link);
        }
        state.restarts.check_may_start(Instant::now())?;
        let (command, confined) = command();
        let link = Link::start_worker(command, confined);
        state.link = Some(Arc::clone(&link));
        Ok(link)
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is under way.
struct Asked<'a> {
    slot: &'a WorkerSlot,
    link: Option<&'a Arc<Link>>,
}

impl Asked<'_> {
    /// Ends the request with the result that was received, and releases the worker if it failed.
    fn finish_request(mut self, received: &Received) {
        let Some(link) = self.link.take() else { return };
        let mut state = self.slot.lock_state();
        match received {
            Received::Reply(_) => state.restarts.reset(),
            Received::Broken { .. } | Received::Ended(_) | Received::NotTaken(_) => {
                state.release_failed_worker(link);
            }
            // A failed start costs little: the next event tries again.
            Received::NotStarted(_) => {
                state.release_worker(link);
            }
        }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if let Some(link) = self.link {
            self.slot.lock_state().release_worker(link);
        }
    }
}

fn protocol_failure(why: &str) -> Failure {
    let message = format!(
        "after an earlier event, whose outcome stands, its worker left its protocol: {why}; it was ended, and a new one was started"
    );
    Failure::new(Code::WorkerProtocol, message)
}

fn quarantine_failure(rest: std::time::Duration, last: Option<String>) -> Failure {
    let last = last.map(|text| format!("; the last time: {text}")).unwrap_or_default();
    let message = format!(
        "its worker was started {STARTS} times within {} s and gave no answer; for {} s its failure policy decides each \
         event without it: correct it and reload the configuration, or begin a new session, to try it at once{last}",
        WINDOW.as_secs(),
        rest.as_secs()
    );
    Failure::new(Code::WorkerQuarantined, message)
}

impl std::fmt::Debug for WorkerSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerSlot").field("hook", &self.key.hook).finish_non_exhaustive()
    }
}
