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
    /// Claims the hook's one run; `None` if it was claimed before.
    pub(super) fn acquire(store: &Arc<dyn Store>, hook: &HookId) -> Option<Self> {
        let shared = || Shared {
            store: Arc::clone(store),
            hook: hook.clone(),
            state: AtomicU8::new(ATTACHED),
        };
        store.claim_once(hook).then(|| Self(Arc::new(shared())))
    }

    /// Returns the event's share of the claim.
    pub(crate) fn event_share(&self) -> Watched {
        Watched(Arc::clone(&self.0))
    }

    /// Keeps the claim for good, because the hook has answered.
    pub(crate) fn mark_answered(self) {
        self.0.state.store(SETTLED, Ordering::Release);
    }

    /// Marks that the step continues without its event.
    pub(crate) fn detach(&self) {
        self.0.change_state(ATTACHED, DETACHED);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.return_claim_if_in_state(ATTACHED);
        self.0.return_claim_if_in_state(DETACHED);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.return_claim_if_in_state(ATTACHED);
    }
}

impl Shared {
    /// Returns the claim if it is in the state `from`. It is returned only once, because afterwards
    /// a different event may have claimed the hook.
    fn return_claim_if_in_state(&self, from: u8) {
        if self.change_state(from, SETTLED) {
            self.store.forget_claim(&self.hook);
        }
    }

    fn change_state(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}
