//! How a process ended, from any source. Values only.

use rustix::io::Errno;
use rustix::process::WaitIdStatus;

use super::pidfd::StoredExit;

/// How a leader ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
    Unknown,
    /// It was reported but could not be read.
    Unread(Errno),
}

impl Exit {
    /// Converts a status of `wait`.
    pub(super) const fn from_wait_status(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            Self::Code(libc::WEXITSTATUS(status))
        } else if libc::WIFSIGNALED(status) {
            Self::Signal(libc::WTERMSIG(status))
        } else {
            Self::Unknown
        }
    }
}

impl From<WaitIdStatus> for Exit {
    fn from(status: WaitIdStatus) -> Self {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl From<StoredExit> for Option<Exit> {
    fn from(stored_exit: StoredExit) -> Self {
        match stored_exit {
            StoredExit::Status(status) => Some(Exit::from_wait_status(status)),
            StoredExit::Nothing => Some(Exit::Unknown),
            StoredExit::NotYet => None,
        }
    }
}
