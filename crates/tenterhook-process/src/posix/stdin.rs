//! The input that a run is still to be fed, stored until its thread takes it; writes nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::nudge;

/// What a run is fed, until its thread takes it.
pub(crate) struct Stdin {
    id: u64,
    fed: Mutex<Fed>,
}

#[derive(Default)]
pub(super) struct Fed {
    pub(super) queue: VecDeque<Arc<[u8]>>,
    pub(super) close: bool,
}

impl Stdin {
    /// The input of run `id`.
    pub(crate) fn new(id: u64) -> Arc<Self> {
        Arc::new(Self { id, fed: Mutex::default() })
    }

    /// Writes `bytes` after all that was fed before.
    pub(crate) fn feed(&self, bytes: Arc<[u8]>) {
        self.owner(|fed| fed.queue.push_back(bytes));
    }

    /// Writes `bytes` likewise, and closes after them.
    pub(crate) fn feed_last(&self, bytes: Arc<[u8]>) {
        self.owner(|fed| {
            fed.queue.push_back(bytes);
            fed.close = true;
        });
    }

    /// Closes after the last byte that was fed.
    pub(crate) fn close_when_empty(&self) {
        self.owner(|fed| fed.close = true);
    }

    fn owner(&self, change: impl FnOnce(&mut Fed)) {
        change(&mut self.lock());
        nudge(self.id);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Fed> {
        self.fed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
