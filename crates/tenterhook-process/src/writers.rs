//! Does somebody still hold a file open for writing? Such a file cannot be executed (`ETXTBSY`). Asks the kernel; writes nothing.
#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "leases exist only as raw calls"))]

use std::fs::File;
use std::time::{Duration, Instant};

/// A process that is being started holds what its parent had open until it executes its program.
const PAUSE: Duration = Duration::from_micros(200);

/// Waits until no process has `file`, which is open for reading only, open for writing, at most for
/// `within`; returns whether that is so.
///
/// A writer that closed it may not be the last one if a different thread started a process
/// meanwhile. Linux only, and on file systems that know leases: elsewhere no writer is seen. Blocks
/// the thread.
pub fn wait_until_no_writer(file: &File, within: Duration) -> bool {
    let since = Instant::now();
    while has_writer(file) {
        if since.elapsed() >= within {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    true
}

/// `F_SETSIG` of the kernel, which `libc` does not name everywhere.
#[cfg(target_os = "linux")]
const SET_SIGNAL: libc::c_int = 10;

/// Returns whether a process has the file open for writing. The kernel refuses a read lease for the
/// same count for which it refuses to execute.
#[cfg(target_os = "linux")]
fn has_writer(file: &File) -> bool {
    use std::os::fd::AsRawFd as _;
    let ask = |what: libc::c_int, of: libc::c_int| {
        // SAFETY: the descriptor is open as long as `file` is borrowed, and the call takes a number and touches no memory.
        unsafe { libc::fcntl(file.as_raw_fd(), what, of) }
    };
    // A process that opens the file while it is leased causes a signal here: one that kills no process.
    ask(SET_SIGNAL, libc::SIGURG);
    if ask(libc::F_SETLEASE, libc::F_RDLCK) == 0 {
        ask(libc::F_SETLEASE, libc::F_UNLCK);
        return false;
    }
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock
}

#[cfg(not(target_os = "linux"))]
fn has_writer(_: &File) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn waits_until_writer_has_closed() {
        let scene = tenterhook_testkit::Sandbox::new().expect("a scene");
        let path = scene.home().join("file");
        let writer = File::create(&path).expect("a file");
        let second = writer.try_clone().expect("its twin, as a child has one");
        let reader = File::open(&path).expect("it is there");
        drop(writer);
        assert!(!wait_until_no_writer(&reader, Duration::ZERO));
        drop(second);
        assert!(wait_until_no_writer(&reader, Duration::ZERO));
        // Nothing is left of the question.
        assert!(File::options().append(true).open(&path).is_ok());
    }
}
