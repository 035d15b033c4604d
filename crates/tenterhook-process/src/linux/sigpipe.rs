//! Writes to a pipe on a thread of the host's, where a closed pipe must be an error and not a signal.
//!
//! A host written in Rust ignores `SIGPIPE`; one that embeds us in another language may die of it. Linux 5.4 has no write
//! to a pipe without the signal, so it is held back and taken off the thread.
#![expect(unsafe_code, reason = "signals of a thread exist only as raw calls")]

use std::ptr;

/// One bit for each signal, as the kernel counts them.
type Signals = u64;

const SIZE: usize = size_of::<Signals>();
const PIPE: Signals = 1 << (libc::SIGPIPE - 1);

/// Runs `work` with `SIGPIPE` blocked, and restores the signal mask and the pending signals
/// afterwards.
pub(crate) fn run_with_sigpipe_blocked(work: impl FnOnce()) {
    let before = change_signal_mask(libc::SIG_BLOCK, PIPE);
    // One that waits already, because somebody else blocks it, is not ours to take.
    let theirs = before & PIPE != 0 && pending_signals() & PIPE != 0;
    work();
    if !theirs {
        take_pending_sigpipe();
    }
    if before & PIPE == 0 {
        change_signal_mask(libc::SIG_UNBLOCK, PIPE);
    }
}

/// Changes the signal mask of this thread. Returns the previous one.
fn change_signal_mask(how: i32, signals: Signals) -> Signals {
    let mut before: Signals = 0;
    let (new, old) = (&raw const signals, &raw mut before);
    // SAFETY: one mask is read and one written, each of as many bytes as the size says.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, new, old, SIZE) };
    before
}

/// Returns the pending signals of this thread.
fn pending_signals() -> Signals {
    let mut signals: Signals = 0;
    // SAFETY: one mask is written, of as many bytes as the size says.
    unsafe { libc::syscall(libc::SYS_rt_sigpending, &raw mut signals, SIZE) };
    signals
}

/// Consumes a pending `SIGPIPE` of this thread, if there is one.
fn take_pending_sigpipe() {
    let signals = PIPE;
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let none = ptr::null_mut::<libc::siginfo_t>();
    // SAFETY: a mask and a time are read, of as many bytes as their types say; nothing is written.
    unsafe {
        libc::syscall(libc::SYS_rt_sigtimedwait, &raw const signals, none, &raw const now, SIZE)
    };
}
