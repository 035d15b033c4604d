//! What the owner of a run and its supervisor share: orders one way, the report the other.
//!
//! Holds no descriptor and no process; a lock is never held while somebody's code runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::cancel::Cancel;
use crate::live;
use crate::report::Report;
use crate::stream::Sink;

/// Whom to tell.
pub(crate) type Done = Box<dyn FnOnce(Report) + Send>;

/// What the owner of a run wants of it.
pub(crate) enum Order {
    Deadline(Option<Instant>),
    Follow(Sink),
    Resume,
    Cancel,
}

/// The meeting point of one run's owner and its supervisor.
pub(crate) struct Inbox {
    pub(crate) id: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    orders: Vec<Order>,
    done: Option<Done>,
    report: Option<Report>,
    settled: bool,
    /// The tokens that have this run on their lists.
    listed_by: Vec<Cancel>,
}

impl Inbox {
    /// Makes the inbox of a new run, with an id that no other run of this process has.
    pub(crate) fn new() -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        live::increment_live_runs();
        Arc::new(Self { id, state: Mutex::default() })
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an order. Returns whether the run will still read it.
    pub(crate) fn push_order(&self, order: Order) -> bool {
        let mut state = self.lock_state();
        if !state.settled {
            state.orders.push(order);
        }
        !state.settled
    }

    pub(crate) fn take_orders(&self) -> Vec<Order> {
        std::mem::take(&mut self.lock_state().orders)
    }

    #[cfg_attr(
        any(not(target_os = "linux"), tenterhook_portable),
        expect(dead_code, reason = "only the supervisor of Linux asks")
    )]
    pub(crate) fn has_orders(&self) -> bool {
        !self.lock_state().orders.is_empty()
    }

    /// Returns whether the owner has cancelled the run.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock_state().orders.iter().any(|order| matches!(order, Order::Cancel))
    }

    /// The deadline that its owner set last, where that order was not taken yet.
    #[cfg_attr(
        any(not(target_os = "linux"), tenterhook_portable),
        expect(dead_code, reason = "only the supervisor of Linux asks")
    )]
    pub(crate) fn last_ordered_deadline(&self) -> Option<Option<Instant>> {
        let state = self.lock_state();
        state.orders.iter().rev().find_map(|order| match order {
            Order::Deadline(at) => Some(*at),
            _ => None,
        })
    }

    /// Returns whether the report was delivered.
    pub(crate) fn is_reported(&self) -> bool {
        self.lock_state().settled
    }

    /// Stores the token that lists this run, so that the run is removed from it at its end.
    pub(crate) fn add_cancel_token(&self, cancel: &Cancel) {
        let mut state = self.lock_state();
        if state.settled {
            drop(state);
            cancel.remove_run(self.id);
        } else {
            state.listed_by.push(cancel.clone());
        }
    }

    /// Delivers the report. Only the first one is delivered; a later one is dropped.
    pub(crate) fn deliver_report(&self, report: Report) {
        let mut state = self.lock_state();
        if state.settled {
            return;
        }
        state.settled = true;
        live::decrement_live_runs();
        // Orders hold sinks, whose owners wait for them to go.
        let orders = std::mem::take(&mut state.orders);
        let listed_by = std::mem::take(&mut state.listed_by);
        let done = state.done.take();
        let report = match done {
            Some(_) => Some(report),
            None => {
                state.report = Some(report);
                None
            }
        };
        drop(state);
        listed_by.iter().for_each(|cancel| cancel.remove_run(self.id));
        if let (Some(done), Some(report)) = (done, report) {
            call_with_report(done, report);
        }
        catch_panic(|| drop(orders));
    }

    /// Sets the function that receives the report. Calls it at once if the run is already over.
    pub(crate) fn on_report(&self, done: Done) {
        let mut state = self.lock_state();
        match state.report.take() {
            Some(report) => {
                drop(state);
                call_with_report(done, report);
            }
            None => state.done = Some(done),
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        if !self.is_reported() {
            live::decrement_live_runs();
        }
    }
}

fn call_with_report(done: Done, report: Report) {
    catch_panic(|| done(report));
}

/// Calls a function of the run's owner and catches its panic, so that no other run is affected.
pub(crate) fn catch_panic<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}
