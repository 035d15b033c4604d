//! What a pidfd knows that an id does not: how its process ended, even if other code reaped it, and
//! which processes are in its group, whatever became of the id. Decides nothing.
//!
//! A host may take the exit of a child of ours before we look: it ignores `SIGCHLD`, so that the kernel reaps, or waits for
//! children that are not its own. The kernel then has nothing left for `waitid`, but since Linux 6.15 it keeps the exit
//! status beside the pidfd, where no other process can take it.
#![expect(unsafe_code, reason = "rustix has neither of the two calls")]

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::io::Errno;
use rustix::ioctl::{self, Opcode, Updater};
use rustix::process::Signal;

/// `struct pidfd_info` of the kernel in its first version, which every later kernel still takes.
#[repr(C)]
#[derive(Default)]
struct Info {
    mask: u64,
    cgroup: u64,
    ids: [u32; 11],
    status: i32,
}

const GET_INFO: Opcode = ioctl::opcode::read_write::<Info>(0xff, 11);
/// Asks for, and says that there is, an exit status.
const EXIT: u64 = 1 << 3;
/// `PIDFD_SIGNAL_PROCESS_GROUP`, since Linux 6.9.
const GROUP: libc::c_uint = 1 << 2;

/// What the kernel keeps of an end that somebody else has reaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredExit {
    /// The status, as `wait` has it.
    Status(i32),
    /// None yet: it is being reaped at this moment.
    NotYet,
    /// None, and there will be none: this kernel is older than 6.15.
    Nothing,
}

/// Returns how the process of `pidfd` ended, as stored by the kernel.
pub(crate) fn stored_exit(pidfd: &OwnedFd) -> StoredExit {
    let info = match read_info(pidfd) {
        // The process was reaped while the kernel answered: it looks for the status first, and stores
        // it before the id is gone, so that the next answer has it. Kernels without it say this again.
        Err(Errno::SRCH) => read_info(pidfd),
        info => info,
    };
    match info {
        Ok(info) if info.mask & EXIT != 0 => StoredExit::Status(info.status),
        Ok(_) => StoredExit::NotYet,
        Err(_) => StoredExit::Nothing,
    }
}

fn read_info(pidfd: &OwnedFd) -> Result<Info, Errno> {
    let mut info = Info { mask: EXIT, ..Info::default() };
    // SAFETY: the opcode says the size of `Info`, which is plain numbers, and the kernel writes at most that much.
    unsafe { ioctl::ioctl(pidfd, Updater::<GET_INFO, Info>::new(&mut info)) }?;
    Ok(info)
}

/// Sends a signal to the group whose leader is `pidfd`. It never reaches another group that got the
/// same id after the leader was reaped.
pub(crate) fn signal_group(pidfd: &OwnedFd, signal: Signal) -> Result<(), Errno> {
    let (fd, number) = (pidfd.as_raw_fd(), signal.as_raw());
    let none = ptr::null::<libc::siginfo_t>();
    // SAFETY: numbers, and a null pointer where the kernel would read what a queued signal carries.
    let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, number, none, GROUP) };
    if sent == 0 {
        return Ok(());
    }
    let errno = std::io::Error::last_os_error().raw_os_error();
    Err(Errno::from_raw_os_error(errno.unwrap_or(libc::EIO)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_reads_what_we_write() {
        assert_eq!(size_of::<Info>(), 64, "the first version of the structure");
    }
}
