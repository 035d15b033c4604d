//! Kills the processes that a program started, after the program itself was killed.
//!
//! The kernel tells the children of a run that their host died, but not those children's children: a shell
//! dies, and what it runs lives on. A keeper is a second process that holds the reading end of a
//! pipe whose writing end dies with the program, however it dies, and then ends everything that
//! bears the program's [tag](crate::TAG). A process that cleared its environment is not found.

#![expect(
    unsafe_code,
    reason = "a second process that is not another program exists only by raw calls"
)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, waitpid,
};

use super::sweep::list_processes;
use crate::tag::{self, TAG};

/// How long the keeper goes round: a chain of forks is caught by being faster than its next fork.
const LONGEST: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// How many searches in a row must find no process.
const QUIET: u32 = 3;

/// Starts a keeper for this program, so that nothing which it starts through this crate outlives
/// it, not even where it is killed.
///
/// For programs, not for libraries, and for the first thing that they do: it forks, which only a
/// process with one thread may.
///
/// # Errors
///
/// Where there are other threads already, or no process more can be had.
pub fn kill_descendants_on_exit() -> io::Result<()> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("the program has threads already"));
    }
    let mark = tag::prefix_of_run_tags();
    let (reading, writing) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: there is one thread, as was counted, so that no other thread holds a lock.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(writing);
            // A child of the program would be taken for an orphan of its runs: the keeper is its
            // grandchild, and its parent goes at once.
            // SAFETY: as above; this copy has one thread, too.
            if unsafe { libc::fork() } == 0 {
                kill_marked_after_exit(&reading, &mark);
            }
            // SAFETY: ends this copy without what the program does at its end.
            unsafe { libc::_exit(0) }
        }
        child => {
            // Held for as long as the program lives, and closed by its death.
            let _ = KEEPER.set(writing);
            let child = Pid::from_raw(child).ok_or(Errno::CHILD)?;
            waitpid(Some(child), WaitOptions::empty())?;
            Ok(())
        }
    }
}

/// The pipe to the keeper.
static KEEPER: OnceLock<OwnedFd> = OnceLock::new();

/// Tells the keeper that the program ends by itself: then daemons that it started may stay.
pub fn leave_descendants_on_exit() {
    if let Some(keeper) = KEEPER.get() {
        // A keeper that is gone kills nothing either.
        let _ = rustix::io::write(keeper, &[LEAVE]);
    }
}

/// The byte that ends the keeper's watch.
const LEAVE: u8 = b'l';

/// Waits for the end of the program, and kills the processes that have its mark.
fn kill_marked_after_exit(reading: &OwnedFd, mark: &str) {
    // SAFETY: calls on numbers and constants, in a process with one thread.
    unsafe {
        // What the terminal sends is for the program; so are its streams, and its descriptors.
        libc::setsid();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        libc::prctl(libc::PR_SET_NAME, c"keeper".as_ptr());
        libc::chdir(c"/".as_ptr());
        if libc::dup2(reading.as_raw_fd(), 0) < 0 {
            return;
        }
        super::clone::close_descriptors_from(1);
    }
    let mut byte = [0];
    let stdin = rustix::stdio::stdin();
    while matches!(rustix::io::read(stdin, &mut byte), Ok(1) | Err(Errno::INTR)) {
        if byte == [LEAVE] {
            return;
        }
    }
    let until = Instant::now() + LONGEST;
    let mut quiet = 0;
    while quiet < QUIET && Instant::now() < until {
        let ended = list_processes()
            .filter(|pid| is_process_marked(*pid, mark))
            .filter(|pid| kill_process_with_mark(*pid, mark));
        quiet = if ended.count() == 0 { quiet + 1 } else { 0 };
        std::thread::sleep(PAUSE);
    }
}

/// Kills a process, unless its id belongs to another process by now.
fn kill_process_with_mark(pid: Pid, mark: &str) -> bool {
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    is_process_marked(pid, mark) && pidfd_send_signal(pidfd, Signal::KILL).is_ok()
}

/// Returns whether a process descends from a run of the program.
fn is_process_marked(pid: Pid, mark: &str) -> bool {
    let path = Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join("environ");
    // Others' processes cannot be read, and the dead have none.
    let Ok(environ) = std::fs::read(path) else { return false };
    environ.split(|byte| *byte == 0).any(|variable| {
        let value = variable.strip_prefix(TAG.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        let words = value.into_iter().flat_map(|value| value.split(|byte| *byte == b','));
        words.into_iter().any(|word| word.starts_with(mark.as_bytes()))
    })
}
