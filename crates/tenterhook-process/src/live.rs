//! How many runs of this process are not over: for a program that is about to end.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static LIVE: Mutex<usize> = Mutex::new(0);
static NONE_LEFT: Condvar = Condvar::new();

fn lock_live_run_count() -> MutexGuard<'static, usize> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds one to the count of live runs.
pub(crate) fn increment_live_runs() {
    *lock_live_run_count() += 1;
}

/// Takes one from the count of live runs.
pub(crate) fn decrement_live_runs() {
    let mut live = lock_live_run_count();
    *live = live.saturating_sub(1);
    if *live == 0 {
        NONE_LEFT.notify_all();
    }
}

/// Waits until every run of this process is over and its process gone, at most `within`. Says whether that is so.
///
/// Cancelling a run, or dropping its [`Child`](crate::Child), only asks for its end: the group gets
/// TERM, a grace, then KILL, from a thread that ends with the process. A program that has
/// cancelled its runs waits here before it exits, or descendants may be left behind.
#[must_use]
pub fn wait_for_all_runs(within: Duration) -> bool {
    let until = Instant::now() + within;
    let mut live = lock_live_run_count();
    while *live > 0 {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        live = NONE_LEFT.wait_timeout(live, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    true
}
