//! The workers of a session: one for each hook and directory, started by their events, ended with
//! the session.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::session::Resident;
use tenterhook_core::config::Ruleset;
use tenterhook_core::hook::Hook;

use super::slot::{WorkerKey, WorkerSlot};

/// The workers of one session. Dropping them ends their processes.
#[derive(Debug)]
pub(super) struct Workers {
    slots: Mutex<Vec<Arc<WorkerSlot>>>,
    next: AtomicU64,
}

impl Default for Workers {
    fn default() -> Self {
        // Not from 1: a number that a worker made up must not match an event's.
        let start = RandomState::new().build_hasher().finish() >> 32;
        Self { slots: Mutex::default(), next: AtomicU64::new(start) }
    }
}

impl Workers {
    /// Returns the slot of a hook's worker, which is created at the first call.
    pub(super) fn slot_of_hook(&self, hook: &Arc<Hook>, key: &WorkerKey) -> Arc<WorkerSlot> {
        let mut slots = self.lock_slots();
        let found = slots.iter().find(|slot| slot.has_key(key)).cloned();
        let slot = found.unwrap_or_else(|| {
            let slot = Arc::new(WorkerSlot::new(key.clone()));
            slots.push(Arc::clone(&slot));
            slot
        });
        drop(slots);
        slot.register_hook(hook);
        slot
    }

    /// Returns a number that no other event of the session has.
    pub(super) fn next_request_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn lock_slots(&self) -> MutexGuard<'_, Vec<Arc<WorkerSlot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resident for Workers {
    fn end_unused(&self, rulesets: &[Arc<Ruleset>]) {
        let mut slots = self.lock_slots();
        if !slots.is_empty() {
            let hooks = || rulesets.iter().flat_map(|ruleset| ruleset.hooks());
            slots.retain(|slot| slot.is_still_needed(hooks()));
        }
    }

    /// Ends them even if their hooks are still referenced. A worker with a request ends with its
    /// event.
    fn end_all(&self) {
        let slots = std::mem::take(&mut *self.lock_slots());
        drop(slots);
    }
}
