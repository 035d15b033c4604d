//! Decides which file may mark calls as copies: the files take turns in their order, on any number of threads. Without turns,
//! each run could pick a different call as the original.

use std::sync::{Condvar, Mutex, PoisonError};

/// The turns of all files.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The number of the file whose turn it is.
    at: Mutex<usize>,
    moved: Condvar,
}

/// The turn of one file. It comes once the turns of all files before it are over. Dropping it waits for it and ends it, so that
/// no early return leaves the other files waiting.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Turns {
    /// Returns the turn of file `number`. Each turn has to be taken once, in ascending order.
    pub(super) const fn turn_of_file(&self, number: usize) -> Turn<'_> {
        Turn { turns: self, number }
    }
}

impl Turn<'_> {
    /// Waits until this turn comes.
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
