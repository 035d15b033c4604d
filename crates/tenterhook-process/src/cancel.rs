//! How does a caller give up runs? With a token that any thread may pull.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend;
use crate::inbox::{Inbox, Order};

/// Cancels the runs that it was given to.
///
/// Cheap to clone; all clones are one token. Dropping it cancels nothing and never blocks.
#[derive(Clone, Default)]
pub struct Cancel {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    pulled: bool,
    runs: Vec<Arc<Inbox>>,
}

impl Cancel {
    /// Makes a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every run of this token, now and in the future. Returns at once; the runs end
    /// through TERM, grace and KILL, as at their deadline.
    pub fn cancel(&self) {
        let mut state = self.lock_state();
        state.pulled = true;
        let runs = std::mem::take(&mut state.runs);
        drop(state);
        for run in runs {
            if run.push_order(Order::Cancel) {
                backend::notify_run_of_orders(run.id);
            }
        }
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.lock_state().pulled
    }

    /// Adds `run` to the runs that this token cancels. Cancels it at once if the token was
    /// cancelled before.
    pub(crate) fn add_run(&self, run: &Arc<Inbox>) {
        let mut state = self.lock_state();
        if state.pulled {
            drop(state);
            if run.push_order(Order::Cancel) {
                backend::notify_run_of_orders(run.id);
            }
            return;
        }
        state.runs.push(run.clone());
        drop(state);
        run.add_cancel_token(self);
    }

    pub(crate) fn remove_run(&self, id: u64) {
        self.lock_state().runs.retain(|run| run.id != id);
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Cancel").field("cancelled", &self.is_cancelled()).finish()
    }
}
