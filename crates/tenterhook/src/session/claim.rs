//! Claims on the single run of a `once` hook. A claim is returned if its step ends without an
//! answer, because the hook has not judged the event then (N-6).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Store;
use tenterhook_core::hook::HookId;

/// Its event waits for the step.
const ATTACHED: u8 = 0;
/// The step goes on without its event.
const DETACHED: u8 = 1;
/// The hook has answered, or the claim was given back.
const SETTLED: u8 = 2;

/// The step's claim on the single run of a hook. Dropping it before an answer returns it.
pub(crate) struct Claim(Arc<Shared>);

/// The event's share of the same claim: a step that runs as a separate task is dropped some time
/// after it was cancelled, and the next event must be able to claim the hook at once.
pub(crate) struct Watched(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    hook: HookId,
    state: AtomicU8,
}

impl Claim {
    /// Takes the claim; `None` if it is taken.
    pub(super) fn take(store: &Arc<dyn Store>, hook: &HookId) -> Option<Self> {
        let shared = || Shared {
            store: Arc::clone(store),
            hook: hook.clone(),
            state: AtomicU8::new(ATTACHED),
        };
        store.claim_once(hook).then(|| Self(Arc::new(shared())))
    }

    /// The share of the event.
    pub(crate) fn watched(&self) -> Watched {
        Watched(Arc::clone(&self.0))
    }

    /// The hook has answered.
    pub(crate) fn spend(self) {
        self.0.state.store(SETTLED, Ordering::Release);
    }

    /// The step goes on without its event.
    pub(crate) fn detach(&self) {
        self.0.settle_from(ATTACHED, DETACHED);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.give_back(ATTACHED);
        self.0.give_back(DETACHED);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.give_back(ATTACHED);
    }
}

impl Shared {
    /// Returns the claim only once, because afterwards a different event may have taken it.
    fn give_back(&self, from: u8) {
        if self.settle_from(from, SETTLED) {
            self.store.forget_claim(&self.hook);
        }
    }

    fn settle_from(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}
