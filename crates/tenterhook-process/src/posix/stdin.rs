//! The input that a run is still to be fed, stored until its thread takes it; writes nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::notify_run_of_orders;

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
    /// Makes the input of run `id`.
    pub(crate) fn new(id: u64) -> Arc<Self> {
        Arc::new(Self { id, fed: Mutex::default() })
    }

    /// Queues `bytes` after everything queued before.
    pub(crate) fn queue_bytes(&self, bytes: Arc<[u8]>) {
        self.change_and_notify(|fed| fed.queue.push_back(bytes));
    }

    /// Queues `bytes` and closes standard input after them.
    pub(crate) fn queue_last_bytes(&self, bytes: Arc<[u8]>) {
        self.change_and_notify(|fed| {
            fed.queue.push_back(bytes);
            fed.close = true;
        });
    }

    /// Closes standard input after the last byte that was queued.
    pub(crate) fn close_when_empty(&self) {
        self.change_and_notify(|fed| fed.close = true);
    }

    fn change_and_notify(&self, change: impl FnOnce(&mut Fed)) {
        change(&mut self.lock_state());
        notify_run_of_orders(self.id);
    }

    pub(super) fn lock_state(&self) -> MutexGuard<'_, Fed> {
        self.fed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
