//! What a program says when there is no memory left. For programs, not for libraries.
//!
//! Rust aborts where memory cannot be had, and what a program may say before that is not stable yet. A program whose silence
//! would be misread needs a last word all the same. It is prepared while there is memory; saying it takes two system
//! calls and allocates nothing.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// An allocator, the system's if nothing else is said, with a last word where it has nothing left; see [`when_exhausted`].
///
/// ```
/// #[global_allocator]
/// static MEMORY: tenterhook_process::Memory = tenterhook_process::Memory(std::alloc::System);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory<A = System>(pub A);

/// What is said, and how the program then ends.
#[derive(Debug)]
pub struct LastWord {
    /// For standard output.
    pub stdout: Vec<u8>,
    /// For standard error.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: u8,
}

static LAST_WORD: OnceLock<LastWord> = OnceLock::new();

/// Says what the program says when [`Memory`] has nothing left, whoever asked for it: it ends there, also where the
/// caller would have taken no for an answer. Only the first call counts; without one, the program is aborted as ever.
pub fn when_exhausted(word: LastWord) {
    // A second one is dropped.
    let _ = LAST_WORD.set(word);
}

/// `block`, or the end of the program.
fn or_end(block: *mut u8) -> *mut u8 {
    if block.is_null()
        && let Some(word) = LAST_WORD.get()
    {
        end(word);
    }
    block
}

#[cfg(unix)]
fn end(word: &LastWord) {
    // Said once: whoever else finds no memory waits for the end here.
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Ordering::Relaxed) {
        std::thread::park();
    }
    for (fd, mut bytes) in
        [(libc::STDOUT_FILENO, &*word.stdout), (libc::STDERR_FILENO, &*word.stderr)]
    {
        while !bytes.is_empty() {
            // SAFETY: reads as many bytes as the slice has; a closed descriptor is an error.
            let wrote = unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(wrote) {
                Ok(count) if count > 0 => bytes = bytes.get(count..).unwrap_or_default(),
                _ => break,
            }
        }
    }
    // SAFETY: ends the process at once. Whatever would run at its exit may need memory.
    unsafe { libc::_exit(word.code.into()) }
}

/// Here it stays with the abort, which is no success either.
#[cfg(not(unix))]
fn end(_: &LastWord) {}

// SAFETY: every call is handed to the allocator within as it came, and its answer back as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Memory<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is the one that is asked for.
        or_end(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise about all three is the one that is asked for.
        or_end(unsafe { self.0.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from the allocator within, by way of one of the three above.
        unsafe { self.0.dealloc(block, layout) }
    }
}
