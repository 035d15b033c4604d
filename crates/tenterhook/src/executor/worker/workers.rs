//! Which workers a session has: one for each hook and place, started by their events, ended with the session.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::session::Resident;
use tenterhook_core::config::Ruleset;
use tenterhook_core::hook::Hook;

use super::slot::{Place, WorkerSlot};

/// The workers of one session. Dropping them ends their processes.
#[derive(Debug)]
pub(super) struct Workers {
    slots: Mutex<Vec<Arc<WorkerSlot>>>,
    next: AtomicU64,
}

impl Default for Workers {
    fn default() -> Self {
        // Not from 1: a worker that writes a number of its own making must not meet an event's.
        let start = RandomState::new().build_hasher().finish() >> 32;
        Self { slots: Mutex::default(), next: AtomicU64::new(start) }
    }
}

impl Workers {
    /// The worker of a hook.
    pub(super) fn slot(&self, hook: &Arc<Hook>, place: &Place) -> Arc<WorkerSlot> {
        let mut slots = self.slots();
        let found = slots.iter().find(|slot| slot.is_at(place)).cloned();
        let slot = found.unwrap_or_else(|| {
            let slot = Arc::new(WorkerSlot::new(place.clone()));
            slots.push(Arc::clone(&slot));
            slot
        });
        drop(slots);
        slot.serve(hook);
        slot
    }

    /// A number for an event that no other one of the session has.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Arc<WorkerSlot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resident for Workers {
    fn prune(&self, rulesets: &[Arc<Ruleset>]) {
        let mut slots = self.slots();
        if !slots.is_empty() {
            let hooks = || rulesets.iter().flat_map(|ruleset| ruleset.hooks());
            slots.retain(|slot| slot.is_wanted(hooks()));
        }
    }

    /// Whoever still holds their hooks. One that is asked right now ends with its event.
    fn end(&self) {
        let slots = std::mem::take(&mut *self.slots());
        drop(slots);
    }
}
