//! What a program says where it cannot go on: its memory has ended, or it crashed. For programs, not for libraries.
//!
//! A caller that waits for a decision may take silence, or an end by a signal, for consent. So the
//! words are prepared while all is well; saying them takes system calls alone, and allocates
//! nothing.
#![expect(
    unsafe_code,
    reason = "what a signal may read is a pointer, and signals and the end of a process exist only as raw calls"
)]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The text to print, and how the program then ends.
#[derive(Clone, Debug, Default)]
pub struct LastWord {
    /// For standard output.
    pub stdout: Vec<u8>,
    /// For standard error.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: u8,
}

/// The last word of each end that comes unasked.
#[derive(Clone, Debug, Default)]
pub struct LastWords {
    /// Where [`Memory`](crate::Memory) has nothing left.
    pub exhausted: LastWord,
    /// Where a library aborts, a stack overflows or cannot grow, or the program has a defect. A library that found no memory ends so, too.
    pub crashed: LastWord,
}

/// Signals that a process sends to itself, or the kernel when its time is over. The standard
/// library takes some of them to name a full stack, and then aborts.
#[cfg(unix)]
pub(crate) const CRASHES: [libc::c_int; 8] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGSEGV,
    libc::SIGSYS,
    libc::SIGTRAP,
    libc::SIGXCPU,
];

static WORDS: AtomicPtr<LastWords> = AtomicPtr::new(ptr::null_mut());

/// From now on the program ends with these words where it cannot go on, on whatever thread that is; without a call it is aborted.
///
/// They take the place of those of an earlier call, which are not freed: another thread may be saying them. So call it a few times at
/// most. A crash is reported on Unix alone, and on a thread of Rust's own making, for one without a signal stack cannot say that its stack is full.
pub fn set_crash_messages(words: LastWords) {
    let earlier = WORDS.swap(Box::into_raw(Box::new(words)), Ordering::AcqRel);
    #[cfg(unix)]
    if earlier.is_null() {
        unix::install_crash_handlers();
    }
    #[cfg(not(unix))]
    let _ = earlier;
}

fn crash_messages() -> Option<&'static LastWords> {
    // SAFETY: null, or a box that was leaked by `last_words` and is never freed or changed.
    unsafe { WORDS.load(Ordering::Acquire).as_ref() }
}

/// Ends the program when memory is exhausted, if a message for that was set.
pub(crate) fn exit_out_of_memory() {
    #[cfg(unix)]
    if let Some(words) = crash_messages() {
        unix::print_and_exit(&words.exhausted);
    }
}

#[cfg(unix)]
mod unix {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};

    use libc::c_int;

    use super::LastWord;

    /// How long a second thread waits for the words of the first, in milliseconds. Both may be the
    /// same thread.
    const OTHERS: c_int = 1000;

    pub(super) fn install_crash_handlers() {
        for signal in super::CRASHES {
            // SAFETY: the action is zero but for its handler, which calls only what may be called from a signal, its mask, and its flags.
            // One stays unheard where it cannot be set.
            unsafe {
                let mut action = std::mem::zeroed::<libc::sigaction>();
                action.sa_sigaction = on_crash_signal as extern "C" fn(c_int) as usize;
                action.sa_flags = libc::SA_ONSTACK;
                libc::sigfillset(&raw mut action.sa_mask);
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }

    extern "C" fn on_crash_signal(_: c_int) {
        if let Some(words) = super::crash_messages() {
            print_and_exit(&words.crashed);
        }
    }

    pub(super) fn print_and_exit(word: &LastWord) -> ! {
        static ENDING: AtomicBool = AtomicBool::new(false);
        if ENDING.swap(true, Ordering::Relaxed) {
            // SAFETY: waits, and looks at no descriptor.
            unsafe { libc::poll(ptr::null_mut(), 0, OTHERS) };
        } else {
            write_all_to_fd(libc::STDOUT_FILENO, &word.stdout);
            write_all_to_fd(libc::STDERR_FILENO, &word.stderr);
        }
        // SAFETY: ends the process at once. Whatever would run at its exit may need memory.
        unsafe { libc::_exit(word.code.into()) }
    }

    fn write_all_to_fd(fd: c_int, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: reads as many bytes as the slice has; a closed descriptor is an error.
            let wrote = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(wrote) {
                Ok(count) if count > 0 => bytes = bytes.get(count..).unwrap_or_default(),
                _ => break,
            }
        }
    }
}
