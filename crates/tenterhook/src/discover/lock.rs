//! Waits for the lock of a file that several processes change, and never for long: a call of a tool waits for it. Reads no file.

use std::fs::TryLockError;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait for other processes.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The time that may be spent on waiting for locks: a second for all clones together, so that a
/// call that needs several locks waits no longer than for one.
#[derive(Clone, Debug)]
pub struct LockPatience(Arc<Mutex<Duration>>);

impl Default for LockPatience {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(LONGEST_WAIT)))
    }
}

impl LockPatience {
    /// Takes a lock with `take`, and waits for a process that has it while time is left. Without time
    /// left, it tries once.
    ///
    /// # Errors
    ///
    /// Fails if another process keeps the lock for longer, or if the file cannot be locked.
    pub fn wait_for_lock(&self, take: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
        let began = Instant::now();
        let left = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = loop {
            match take() {
                Ok(()) => break Ok(()),
                Err(TryLockError::Error(error)) => break Err(error),
                Err(TryLockError::WouldBlock) if began.elapsed() < left => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another process has locked it for over a second";
                    break Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
            }
        };
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(began.elapsed());
        taken
    }
}

/// Takes a lock with `take`, and waits at most a second for a process that has it.
///
/// # Errors
///
/// Fails if another process keeps the lock for longer, or if the file cannot be locked.
pub fn wait_for_lock(take: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
    LockPatience::default().wait_for_lock(take)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SS-25: several locks together take no longer than one.
    #[test]
    fn several_locks_share_one_wait() {
        let (patience, began) = (LockPatience::default(), Instant::now());
        for _ in 0..5 {
            let other = patience.clone();
            assert!(other.wait_for_lock(|| Err(TryLockError::WouldBlock)).is_err());
        }
        let waited = began.elapsed();
        assert!(waited >= LONGEST_WAIT, "{waited:?}");
        assert_eq!(*patience.0.lock().unwrap(), Duration::ZERO);
        assert!(patience.wait_for_lock(|| Ok(())).is_ok(), "a free lock is taken without time");
    }
}
