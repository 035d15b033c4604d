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
        live::begun();
        Arc::new(Self { id, state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves an order. Says whether anybody will still read it.
    pub(crate) fn order(&self, order: Order) -> bool {
        let mut state = self.lock();
        if !state.settled {
            state.orders.push(order);
        }
        !state.settled
    }

    pub(crate) fn take_orders(&self) -> Vec<Order> {
        std::mem::take(&mut self.lock().orders)
    }

    #[cfg_attr(
        any(not(target_os = "linux"), tenterhook_portable),
        expect(dead_code, reason = "only the supervisor of Linux asks")
    )]
    pub(crate) fn has_orders(&self) -> bool {
        !self.lock().orders.is_empty()
    }

    /// Whether its owner has given up the run.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock().orders.iter().any(|order| matches!(order, Order::Cancel))
    }

    /// The deadline that its owner set last, where that order was not taken yet.
    #[cfg_attr(
        any(not(target_os = "linux"), tenterhook_portable),
        expect(dead_code, reason = "only the supervisor of Linux asks")
    )]
    pub(crate) fn deadline(&self) -> Option<Option<Instant>> {
        let state = self.lock();
        state.orders.iter().rev().find_map(|order| match order {
            Order::Deadline(at) => Some(*at),
            _ => None,
        })
    }

    /// Whether the report is out.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().settled
    }

    /// Remembers the token that has this run on its list, to be taken off when it is over.
    pub(crate) fn listed_by(&self, cancel: &Cancel) {
        let mut state = self.lock();
        if state.settled {
            drop(state);
            cancel.forget(self.id);
        } else {
            state.listed_by.push(cancel.clone());
        }
    }

    /// Hands over the report, once; a second one is dropped.
    pub(crate) fn settle(&self, report: Report) {
        let mut state = self.lock();
        if state.settled {
            return;
        }
        state.settled = true;
        live::over();
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
        listed_by.iter().for_each(|cancel| cancel.forget(self.id));
        if let (Some(done), Some(report)) = (done, report) {
            deliver(done, report);
        }
        shielded(|| drop(orders));
    }

    /// Says whom to tell; at once, where the run is over already.
    pub(crate) fn finish(&self, done: Done) {
        let mut state = self.lock();
        match state.report.take() {
            Some(report) => {
                drop(state);
                deliver(done, report);
            }
            None => state.done = Some(done),
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        if !self.is_settled() {
            live::over();
        }
    }
}

fn deliver(done: Done, report: Report) {
    shielded(|| done(report));
}

/// Runs the owner's code; its panic stays with it, so that no other run suffers.
pub(crate) fn shielded<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}
