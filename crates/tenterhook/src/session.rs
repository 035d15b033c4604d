//! The state that spans events: what was claimed, how often an event was denied, what still runs in the background.
//!
//! `View` and [`settle`] are pure; the [`Session`] handle applies what they say to a [`Store`] of atomic verbs and owns
//! the detached steps. Nothing here plans, judges or merges.

pub mod store;

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub use store::{Memory, Store};

use crate::answer::Restraint;
use crate::event::EventName;
use crate::hook::HookId;
use crate::outcome::{Fault, Outcome, Step};
use crate::verdict::Verdict;

#[cfg(test)]
mod tests;

/// What planning and settling may know of the session: a snapshot.
#[derive(Clone, Debug, Default)]
pub struct View {
    claimed: Arc<HashSet<HookId>>,
    strikes: u32,
}

impl View {
    /// A view in which `claimed` hooks have had their one run, and the event was denied `strikes` times in a row.
    #[must_use]
    pub fn new(claimed: impl IntoIterator<Item = HookId>, strikes: u32) -> Self {
        Self { claimed: Arc::new(claimed.into_iter().collect()), strikes }
    }

    /// Whether a hook that runs once has run.
    #[must_use]
    pub fn claimed(&self, hook: &HookId) -> bool {
        self.claimed.contains(hook)
    }
}

/// What an outcome changes in the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strike {
    /// Nothing: the event keeps no count.
    #[default]
    Keep,
    /// One more denial in a row.
    Add,
    /// The row is broken.
    Reset,
}

/// Settles an outcome against the session: an event that was denied `cap` times in a row gives way (N-3).
///
/// Without this, a gate on the end of a turn that never relents keeps the model at work for ever.
#[must_use]
pub fn settle(mut outcome: Outcome, view: &View, cap: Option<u32>) -> (Outcome, Strike) {
    let Some(cap) = cap else { return (outcome, Strike::Keep) };
    if !outcome.blocked() {
        return (outcome, Strike::Reset);
    }
    if view.strikes < cap {
        return (outcome, Strike::Add);
    }
    let reason = outcome.reason().unwrap_or_default();
    let message = format!(
        "denied {cap} times in a row, so this time it gives way; the last reason was: {reason}"
    );
    outcome.restraint = Restraint::Silent;
    outcome.reasons.clear();
    outcome.effects.messages.push(message.clone());
    outcome.faults.push(Fault { code: "cap-reached", hook: None, message });
    (outcome, Strike::Reset)
}

/// A background step that has ended: it took the same road as every other, but too late for its event's outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The event that started it.
    pub event: EventName,
    /// Its record.
    pub step: Step,
    /// What it wanted. A denial of a step that may wake the agent is a rewake: its reason is for the model.
    pub verdict: Verdict,
    /// Whether its denial wakes an idle agent.
    pub wakes: bool,
}

/// One session of one host. Cheap to clone; every clone is the same session.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    tasks: Mutex<JoinSet<()>>,
    sender: mpsc::UnboundedSender<Finished>,
    receiver: tokio::sync::Mutex<mpsc::UnboundedReceiver<Finished>>,
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
        let (sender, receiver) = mpsc::unbounded_channel();
        let receiver = tokio::sync::Mutex::new(receiver);
        Self { inner: Arc::new(Inner { store, tasks: Mutex::default(), sender, receiver }) }
    }

    /// What planning `event` may know.
    #[must_use]
    pub fn view(&self, event: &EventName) -> View {
        View { claimed: self.inner.store.claimed(), strikes: self.inner.store.strikes(event) }
    }

    /// Claims the one run of a hook, at the start of its step. `false`: somebody else had it.
    #[must_use]
    pub fn claim(&self, hook: &HookId) -> bool {
        self.inner.store.claim_once(hook)
    }

    /// Keeps the count of denials.
    pub(crate) fn strike(&self, event: &EventName, strike: Strike) {
        match strike {
            Strike::Keep => {}
            Strike::Add => {
                self.inner.store.add_strike(event);
            }
            Strike::Reset => self.inner.store.reset_strikes(event),
        }
    }

    /// Takes over a detached step.
    pub(crate) fn adopt(&self, step: impl Future<Output = Finished> + Send + 'static) {
        let sender = self.inner.sender.clone();
        let mut tasks = self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            // A host that no longer listens has ended the session; there is nobody left to tell.
            let _ = sender.send(step.await);
        });
    }

    /// The next background step that ends. Pends while none does; cancel safe.
    pub async fn next_finished(&self) -> Option<Finished> {
        self.inner.receiver.lock().await.recv().await
    }

    /// Waits until every background step has ended and returns what they left that nobody took.
    pub async fn drain(&self) -> Vec<Finished> {
        loop {
            let mut tasks = std::mem::take(&mut *self.tasks());
            if tasks.is_empty() {
                break;
            }
            while tasks.join_next().await.is_some() {}
        }
        let mut receiver = self.inner.receiver.lock().await;
        let mut finished = Vec::new();
        while let Ok(one) = receiver.try_recv() {
            finished.push(one);
        }
        finished
    }

    fn tasks(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
