//! The state that spans events: what was claimed, how often an event was denied, what the session
//! added, what still runs.
//!
//! [`View`] and `settle_outcome` (both in `tenterhook-core`) are pure. The [`Session`] handle
//! writes their results to a [`Store`], whose operations are atomic. It also keeps the session's
//! own hooks and owns the detached steps. Nothing here plans, judges or merges.

mod background;
mod claim;
mod detached;
mod residents;
mod status;
mod store;
mod wanted;

use std::collections::HashSet;
#[cfg(feature = "rule")]
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::{Map, Value};
use tokio::sync::watch;

pub use background::Finished;
pub(crate) use background::{MAX_BACKGROUND, Running};
pub use status::StatusWatch;
pub use store::{Memory, Store};
#[doc(inline)]
pub use tenterhook_core::settle::Strike;
#[doc(no_inline)]
pub use tenterhook_core::settle::View;

use background::Background;
pub(crate) use claim::{Claim, Watched};
pub(crate) use residents::Resident;
use residents::Residents;
pub(crate) use status::Shown;
use status::Status;
use tenterhook_core::config::Ruleset;
use tenterhook_core::dialect::Cap;
use tenterhook_core::event::EventName;
use tenterhook_core::hook::{Hook, HookId};
use tenterhook_core::outcome::{Fault, Outcome};
#[cfg(feature = "rule")]
use tenterhook_core::rule::{
    HistoryLines, HistoryReader, LazyHistory, SessionHistory, UnusableHistory,
};
use tenterhook_core::settle::apply_denial_cap_to_outcome;
use wanted::Cancels;
pub(crate) use wanted::Wanted;

#[cfg(test)]
mod tests;

/// One session of one host. Cheap to clone; every clone is the same session. Dropping the last
/// clone ends everything that the session started.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
    /// Only the host's handles have an owner. Background steps hold the session without one
    /// (`unowned_handle`); otherwise they would keep the session, and so themselves, alive (N-5).
    #[expect(dead_code, reason = "it is held for what its drop does")]
    owner: Option<Arc<Owner>>,
}

/// Ends what a session runs when the host drops its last handle.
struct Owner(Arc<Inner>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.end_all_background_work();
    }
}

struct Inner {
    store: Arc<dyn Store>,
    background: Background,
    status: Status,
    /// What executors keep running between events.
    residents: Residents,
    /// The session's own hooks; they come after those of the configuration.
    hooks: ArcSwap<Ruleset>,
    /// The hooks that the user switched off.
    off: ArcSwap<HashSet<HookId>>,
    env: Mutex<Map<String, Value>>,
    /// Held while an outcome is settled, so that two denials at once are two strikes.
    settling: Mutex<()>,
    watched: watch::Sender<Vec<String>>,
    cancels: Cancels,
    host_waits: AtomicBool,
    /// True if no further event is expected: then no process is started ahead of one.
    is_last_event: AtomicBool,
    /// Whether an event came already.
    began: AtomicBool,
    /// What the host found wrong with the next event.
    faults: Mutex<Vec<Fault>>,
    /// Outcomes of earlier background steps that the next event carries.
    outcomes: Mutex<Vec<Outcome>>,
}

impl Inner {
    /// Ends background steps and everything that executors keep running. No process is started
    /// ahead of a next event.
    fn end_all_background_work(&self) {
        self.is_last_event.store(true, Ordering::Relaxed);
        self.background.abort_running_steps();
        self.residents.end_all();
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(Arc::new(Memory::default()))
    }
}

impl Session {
    /// A session that keeps its state in `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        let inner = Arc::new(Inner {
            store,
            background: Background::default(),
            status: Status::default(),
            residents: Residents::default(),
            hooks: ArcSwap::default(),
            off: ArcSwap::default(),
            env: Mutex::default(),
            settling: Mutex::default(),
            watched: watch::Sender::new(Vec::new()),
            cancels: Cancels::default(),
            host_waits: AtomicBool::new(false),
            is_last_event: AtomicBool::new(false),
            began: AtomicBool::new(false),
            faults: Mutex::default(),
            outcomes: Mutex::default(),
        });
        let owner = Some(Arc::new(Owner(Arc::clone(&inner))));
        Self { inner, owner }
    }

    /// Returns a handle for what the session itself runs: it does not keep the session alive.
    pub(crate) fn unowned_handle(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), owner: None }
    }

    /// Creates a session whose host waits for everything that an event starts before it continues,
    /// as with [`drain_into`](Self::drain_into). Everything that a hook prints counts, even what
    /// follows a first line that asks for the background.
    #[must_use]
    pub fn of_a_waiting_host() -> Self {
        let session = Self::default();
        session.inner.host_waits.store(true, Ordering::Relaxed);
        session
    }

    /// Like [`of_a_waiting_host`](Self::of_a_waiting_host), for a single event: no process is
    /// started ahead of a next one.
    #[must_use]
    pub fn of_one_event() -> Self {
        let session = Self::of_a_waiting_host();
        session.inner.is_last_event.store(true, Ordering::Relaxed);
        session
    }

    /// Creates a session as [`of_one_event`](Self::of_one_event) does, which shares the state in
    /// `store` with other processes.
    #[must_use]
    pub fn of_one_event_in(store: Arc<dyn Store>) -> Self {
        let session = Self::new(store);
        session.inner.host_waits.store(true, Ordering::Relaxed);
        session.inner.is_last_event.store(true, Ordering::Relaxed);
        session
    }

    /// Returns whether the host waits for everything that an event starts.
    pub(crate) fn host_waits(&self) -> bool {
        self.inner.host_waits.load(Ordering::Relaxed)
    }

    /// Ends everything that the session runs beside its events: background steps, workers and spare
    /// processes. Afterwards it starts no process ahead of an event. Dropping the last handle does
    /// the same; call this before you wait for child processes while you still hold a handle.
    pub fn end(&self) {
        self.inner.end_all_background_work();
    }

    /// Stops the computations of the events that are running: rules and conditions that are being
    /// evaluated end within microseconds, and their failure policies decide. Use it to give up on
    /// a firing from another thread: its future cannot be dropped while it computes. Events
    /// that begin later are not affected.
    pub fn cancel(&self) {
        self.inner.cancels.cancel_running_events();
    }

    /// Called at the start of an event. The returned check says later whether the event was
    /// cancelled in the meantime.
    pub(crate) fn cancellation_check(&self) -> Wanted {
        self.inner.cancels.cancellation_check()
    }

    /// How many processes wait for the next event of their hook: at most 16.
    #[must_use]
    pub fn spare_processes(&self) -> usize {
        self.inner.residents.spare_processes()
    }

    /// Returns the part of the session's state that planning `event` may use.
    #[must_use]
    pub fn view(&self, event: &EventName) -> View {
        View::from_shared_sets(
            self.inner.store.claimed(),
            self.inner.off.load_full(),
            self.inner.store.strikes(event),
        )
    }

    /// Claims the one run of a hook, at the start of its step. Returns `false` if it was claimed
    /// before.
    #[must_use]
    pub fn claim(&self, hook: &HookId) -> bool {
        self.inner.store.claim_once(hook)
    }

    /// Claims the one run of a hook for a step; `None` if it was claimed before. If the step ends
    /// without an answer, the claim is given back (N-6).
    pub(crate) fn claim_run(&self, hook: &HookId) -> Option<Claim> {
        Claim::acquire(&self.inner.store, hook)
    }

    /// Switches a hook off, or on again, for the rest of the session, across reloads. A managed
    /// hook always stays on (N-11). Running events keep the hooks with which they began.
    pub fn switch(&self, hook: &HookId, on: bool) {
        self.inner.off.rcu(|off| {
            let mut off = HashSet::clone(off);
            if on {
                off.remove(hook);
            } else {
                off.insert(hook.clone());
            }
            off
        });
    }

    /// Adds a hook for the rest of the session. It runs after the configured hooks of its phase; a
    /// hook of the same name and event is replaced. Running events keep the hooks with which they
    /// began (N-7).
    pub fn add_hook(&self, hook: Hook) {
        self.inner.hooks.rcu(|hooks| {
            let mut all = hooks_except(hooks, &hook.event, &hook.id);
            all.push(hook.clone());
            Ruleset::new(all, Vec::new())
        });
    }

    /// Removes a hook that the session added; `false` if the event has no such hook.
    pub fn remove_hook(&self, event: &EventName, id: &HookId) -> bool {
        let before =
            self.inner.hooks.rcu(|hooks| Ruleset::new(hooks_except(hooks, event, id), Vec::new()));
        before.hooks().iter().any(|hook| hook.event == *event && hook.id == *id)
    }

    /// Removes every hook that the session added, and gives back the claims of those that already
    /// had their only run.
    pub fn clear_hooks(&self) {
        let before = self.inner.hooks.swap(Arc::default());
        for hook in before.hooks() {
            self.inner.store.forget_claim(&hook.id);
        }
    }

    /// Adds faults that the host found in the event that it fires next. They become part of its
    /// outcome, and are recorded with it even if no hook runs for the event.
    pub fn add_faults(&self, faults: Vec<Fault>) {
        self.inner.faults.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
    }

    /// Takes the faults that the host added.
    pub(crate) fn take_faults(&self) -> Vec<Fault> {
        std::mem::take(&mut *self.inner.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds outcomes of background steps of earlier events, each with its step. They become part of
    /// the outcome of the event that the host fires next, unless that event is held back.
    pub fn add_outcomes(&self, outcomes: Vec<Outcome>) {
        self.inner.outcomes.lock().unwrap_or_else(PoisonError::into_inner).extend(outcomes);
    }

    /// Takes the outcomes that the host added.
    pub(crate) fn take_outcomes(&self) -> Vec<Outcome> {
        std::mem::take(&mut *self.inner.outcomes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The hooks that the session added.
    #[must_use]
    pub fn hooks(&self) -> Arc<Ruleset> {
        self.inner.hooks.load_full()
    }

    /// The variables that hooks set for the shell commands of the session, so far.
    #[must_use]
    pub fn env(&self) -> Map<String, Value> {
        self.inner.env.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a receiver of the paths that hooks asked to watch. Each answer replaces the list,
    /// and each change is sent.
    #[must_use]
    pub fn watched(&self) -> watch::Receiver<Vec<String>> {
        self.inner.watched.subscribe()
    }

    /// Returns a watch of the message to show while hooks run.
    #[must_use]
    pub fn status(&self) -> StatusWatch {
        self.inner.status.subscribe()
    }

    /// Returns what an executor keeps running between the session's events.
    pub(crate) fn get_resident<R: Resident + Default>(&self) -> Arc<R> {
        self.inner.residents.get_or_create()
    }

    /// Returns whether a further event is expected, for which a process may be started ahead.
    pub(crate) fn expects_next_event(&self) -> bool {
        !self.inner.is_last_event.load(Ordering::Relaxed)
    }

    /// Returns whether this is the session's first event, and not its last. Call it exactly once
    /// for each event.
    pub(crate) fn take_first_event_flag(&self) -> bool {
        self.expects_next_event() && !self.inner.began.swap(true, Ordering::Relaxed)
    }

    /// Ends what still runs for hooks that none of `rulesets` contains any longer (N-12).
    pub(crate) fn end_unused_residents(&self, rulesets: &[Arc<Ruleset>]) {
        self.inner.residents.end_unused(rulesets);
    }

    /// Shows a step's status until the guard is dropped.
    pub(crate) fn show_status(&self, message: Option<&str>) -> Option<Shown> {
        self.inner.status.show(message)
    }

    /// Returns the session's history for the rules of one event; it is read when a rule asks for it.
    #[cfg(feature = "rule")]
    pub(crate) fn lazy_history(&self) -> Arc<LazyHistory> {
        Arc::new(LazyHistory::new(Arc::new(StoredHistory(Arc::clone(&self.inner.store)))))
    }

    /// Adds lines to the session's history.
    #[cfg(feature = "rule")]
    pub(crate) fn add_to_history(&self, lines: &HistoryLines) -> io::Result<()> {
        match lines.as_str() {
            "" => Ok(()),
            lines => self.inner.store.add_to_history(lines),
        }
    }

    /// Settles an outcome against the current count of denials, not the count at the start of the
    /// event: events of a session may overlap, and each denial counts for the next event (N-3).
    pub(crate) fn settle_outcome(
        &self,
        event: &EventName,
        outcome: Outcome,
        cap: Option<Cap>,
    ) -> Outcome {
        if cap.is_none() {
            // The event keeps no count: there is nothing to settle it against.
            self.store_outcome_changes(event, Strike::Keep, &outcome);
            return outcome;
        }
        let _turn = self.inner.settling.lock().unwrap_or_else(PoisonError::into_inner);
        let (outcome, strike) = apply_denial_cap_to_outcome(outcome, &self.view(event), cap);
        self.store_outcome_changes(event, strike, &outcome);
        outcome
    }

    /// Stores what an outcome changes in the session: the count of denials, variables and watched
    /// paths.
    fn store_outcome_changes(&self, event: &EventName, strike: Strike, outcome: &Outcome) {
        match strike {
            Strike::Keep => {}
            Strike::Add => {
                self.inner.store.add_strike(event);
            }
            Strike::Reset => self.inner.store.reset_strikes(event),
        }
        if !outcome.effects.env.is_empty() {
            let mut env = self.inner.env.lock().unwrap_or_else(PoisonError::into_inner);
            env.extend(outcome.effects.env.clone());
        }
        if let Some(paths) = &outcome.effects.watch_paths {
            self.inner.watched.send_replace(paths.clone());
        }
    }
}

/// Reads the history that a store keeps.
#[cfg(feature = "rule")]
#[derive(Debug)]
struct StoredHistory(Arc<dyn Store>);

#[cfg(feature = "rule")]
impl HistoryReader for StoredHistory {
    fn read_history(&self) -> Result<SessionHistory, UnusableHistory> {
        let because = |why: &dyn std::fmt::Display| {
            UnusableHistory(format!("the session's history cannot be used: {why}"))
        };
        let text = self.0.history().map_err(|error| because(&error))?;
        SessionHistory::read(text).map_err(|why| because(&why))
    }
}

fn hooks_except(hooks: &Ruleset, event: &EventName, id: &HookId) -> Vec<Hook> {
    let others = hooks.hooks().iter().filter(|hook| hook.event != *event || hook.id != *id);
    others.map(|hook| Hook::clone(hook)).collect()
}
