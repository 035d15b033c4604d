//! Are the events that are under way still wanted? A host that gives up on them from another thread says so here, because a
//! future that computes at this moment can only be dropped when it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a session's events were cancelled.
#[derive(Debug, Default)]
pub(super) struct Cancels(Arc<AtomicUsize>);

impl Cancels {
    pub(super) fn cancel_running_events(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn cancellation_check(&self) -> Wanted {
        Wanted { cancels: Arc::clone(&self.0), began: self.0.load(Ordering::Relaxed) }
    }
}

/// Whether an event is still wanted. Cheap to ask.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    cancels: Arc<AtomicUsize>,
    began: usize,
}

impl Wanted {
    /// Returns whether the event was not cancelled since it began.
    #[must_use]
    pub(crate) fn is_still_wanted(&self) -> bool {
        self.cancels.load(Ordering::Relaxed) == self.began
    }
}
