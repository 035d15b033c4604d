//! An allocator that ends a program with its last word where there is no memory left. For programs, not for libraries.
//!
//! Rust aborts where memory cannot be had, and what a program may say before that is not stable yet.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::last_word;

/// An allocator, the system's by default, with a last word where it has nothing left; see [`set_crash_messages`](crate::set_crash_messages).
/// The program ends there also where the caller would have taken no for an answer.
///
/// ```
/// #[global_allocator]
/// static MEMORY: tenterhook_process::Memory = tenterhook_process::Memory(std::alloc::System);
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory<A = System>(pub A);

/// Returns `block`, or ends the program if it is null.
fn exit_if_null(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        last_word::exit_out_of_memory();
    }
    block
}

// SAFETY: every call is handed to the allocator within as it came, and its answer back as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Memory<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is the one that is asked for.
        exit_if_null(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        exit_if_null(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise about all three is the one that is asked for.
        exit_if_null(unsafe { self.0.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from the allocator within, by way of one of the three above.
        unsafe { self.0.dealloc(block, layout) }
    }
}
