//! Waits for the lock of a file that several processes change, and never for long: a call of a tool waits for it. Reads no file.

use std::fs::TryLockError;
use std::io;
use std::time::{Duration, Instant};

/// How long to wait for another process.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Takes a lock with `take`, and waits at most a second for a process that has it.
///
/// # Errors
///
/// Fails if another process keeps the lock for longer, or if the file cannot be locked.
pub fn wait_for_lock(take: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match take() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() < LONGEST_WAIT => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => {
                let message = "another process has locked it for over a second";
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
        }
    }
}
