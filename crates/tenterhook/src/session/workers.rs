//! Which workers a session has: one for each hook and place, started by their events, ended with the session.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::Ruleset;
use crate::executor::worker::{Desk, Place};
use crate::hook::Hook;

/// The workers of one session. Dropping them ends their processes.
#[derive(Debug)]
pub(crate) struct Workers {
    desks: Mutex<Vec<Arc<Desk>>>,
    next: AtomicU64,
}

impl Default for Workers {
    fn default() -> Self {
        // Not from 1: a worker that writes a number of its own making must not meet an event's.
        let start = RandomState::new().build_hasher().finish() >> 32;
        Self { desks: Mutex::default(), next: AtomicU64::new(start) }
    }
}

impl Workers {
    /// The worker of a hook.
    pub(crate) fn desk(&self, hook: &Arc<Hook>, place: &Place) -> Arc<Desk> {
        let mut desks = self.desks();
        let found = desks.iter().find(|desk| desk.is_at(place)).cloned();
        let desk = found.unwrap_or_else(|| {
            let desk = Arc::new(Desk::new(place.clone()));
            desks.push(Arc::clone(&desk));
            desk
        });
        drop(desks);
        desk.serve(hook);
        desk
    }

    /// A number for an event that no other one of the session has.
    pub(crate) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends all, whoever still holds their hooks. One that is asked right now ends with its event.
    pub(super) fn end(&self) {
        let desks = std::mem::take(&mut *self.desks());
        drop(desks);
    }

    /// Ends the workers of hooks that are in none of `rulesets` any more.
    pub(super) fn keep_only(&self, rulesets: &[Arc<Ruleset>]) {
        let mut desks = self.desks();
        if !desks.is_empty() {
            let hooks = || rulesets.iter().flat_map(|ruleset| ruleset.hooks());
            desks.retain(|desk| desk.is_wanted(hooks()));
        }
    }

    fn desks(&self) -> MutexGuard<'_, Vec<Arc<Desk>>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
