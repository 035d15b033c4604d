//! In whose turn it is to say which calls are copies: that of the files in their order, on however many threads they are read. What is first
//! would be another one in each run otherwise.

use std::sync::{Condvar, Mutex, PoisonError};

/// The turns of all files.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The number of the file whose turn it is.
    at: Mutex<usize>,
    moved: Condvar,
}

/// The turn of one file: it comes once those of all files before it are over. Whoever has one and drops it waits for it and ends it, so
/// that no way out of a file leaves the others waiting.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Turns {
    /// The turn of this file. Each number has to be taken once, and the lower ones first.
    pub(super) const fn of(&self, number: usize) -> Turn<'_> {
        Turn { turns: self, number }
    }
}

impl Turn<'_> {
    /// Waits until it has come.
    pub(super) fn wait(&self) {
        let at = self.turns.at.lock().unwrap_or_else(PoisonError::into_inner);
        let before = |at: &mut usize| *at < self.number;
        drop(self.turns.moved.wait_while(at, before).unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.wait();
        *self.turns.at.lock().unwrap_or_else(PoisonError::into_inner) = self.number + 1;
        self.turns.moved.notify_all();
    }
}
