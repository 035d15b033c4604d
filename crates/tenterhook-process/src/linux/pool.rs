//! Long-lived threads that do what may block: starts and sweeps.
//!
//! They never end: a child dies with the thread that made it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use super::clone;
use crate::inbox::catch_panic;

type Job = Box<dyn FnOnce() + Send>;

/// Threads with one queue.
pub(crate) struct Pool {
    name: &'static str,
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
    /// How many threads are made for load; more only where all of them are stuck.
    wanted: usize,
}

/// Where so many threads are stuck in starts, the next thread would be too.
const MOST: usize = 64;

impl Pool {
    pub(crate) fn new(name: &'static str, wanted: usize) -> Arc<Self> {
        let state = State { jobs: VecDeque::new(), idle: 0, threads: 0, wanted };
        Arc::new(Self { name, state: Mutex::new(state), wake: Condvar::new() })
    }

    /// Queues `job`. Fails only if there is no thread and none can be created.
    pub(crate) fn submit_job(self: &Arc<Self>, job: Job) -> Result<(), Errno> {
        let mut state = self.lock_state();
        if state.jobs.len() >= state.idle && state.threads < state.wanted {
            // Under the lock, so that two callers do not make one thread too many.
            match self.add_thread() {
                Ok(()) => state.threads += 1,
                Err(errno) if state.threads == 0 => return Err(errno),
                // The others will come to it.
                Err(_) => (),
            }
        }
        state.jobs.push_back(job);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// Adds a thread if jobs wait and no thread is idle, which means that all threads are stuck.
    pub(crate) fn add_thread_if_stuck(self: &Arc<Self>) {
        let mut state = self.lock_state();
        if !state.jobs.is_empty()
            && state.idle == 0
            && state.threads < MOST
            && self.add_thread().is_ok()
        {
            state.threads += 1;
        }
    }

    fn add_thread(self: &Arc<Self>) -> Result<(), Errno> {
        let pool = self.clone();
        let thread = std::thread::Builder::new().name(self.name.into()).stack_size(256 << 10);
        let spawned = thread.spawn(move || pool.run_pool_thread());
        spawned.map(drop).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))
    }

    /// Runs jobs forever, on a thread of the pool.
    fn run_pool_thread(&self) {
        clone::block_signals();
        let mut state = self.lock_state();
        loop {
            match state.jobs.pop_front() {
                Some(job) => {
                    drop(state);
                    catch_panic(job);
                    state = self.lock_state();
                }
                None => {
                    state.idle += 1;
                    state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.idle -= 1;
                }
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn a_job_behind_a_stuck_one_gets_a_thread_of_its_own() {
        let pool = Pool::new("test", 1);
        let (stuck, release) = mpsc::channel::<()>();
        let (sender, receiver) = mpsc::channel();
        let begun = sender.clone();
        let job = move || {
            begun.send("begun").unwrap();
            assert!(release.recv().is_err(), "held until the end of the test");
        };
        pool.submit_job(Box::new(job)).unwrap();
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok("begun"));
        pool.submit_job(Box::new(move || sender.send("second").unwrap())).unwrap();
        assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err(), "one thread for two");
        pool.add_thread_if_stuck();
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok("second"));
        drop(stuck);
    }

    #[test]
    fn a_job_that_panics_costs_no_thread() {
        let pool = Pool::new("test", 1);
        let (sender, receiver) = mpsc::channel();
        pool.submit_job(Box::new(|| panic!("on purpose"))).unwrap();
        pool.submit_job(Box::new(move || sender.send(()).unwrap())).unwrap();
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok(()));
    }
}
