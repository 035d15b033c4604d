//! How much may it still cost to work out what a call would do, and is there still time? Counts; looks at no clock itself.
//!
//! What was cut stays cut: every walk asks before it goes on, ends where it is told to, and what it had come to is given up
//! as a whole by whoever began (RU-37).

use std::cell::Cell;

/// Most steps for one event (RU-37): some 50 ms on a slow machine, and far more than any line takes that somebody wrote.
pub const MOST_STEPS: usize = 2_000_000;
/// After how many steps it is asked whether there is still time.
const STEPS_A_LOOK: usize = 1 << 12;
/// How much text is one step.
const BYTES_A_STEP: usize = 16;

/// The account of one event.
pub struct Meter<'g> {
    go_on: &'g dyn Fn() -> bool,
    spent: Cell<usize>,
    look: Cell<usize>,
    cut: Cell<Option<Cut>>,
}

/// Why a walk was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It would take more than [`MOST_STEPS`].
    TooCostly,
    /// There is no more time.
    OutOfTime,
}

impl<'g> Meter<'g> {
    /// A new account; `go_on` is asked now and then whether there is still time.
    #[must_use]
    pub fn new(go_on: &'g dyn Fn() -> bool) -> Self {
        Self { go_on, spent: Cell::new(0), look: Cell::new(STEPS_A_LOOK), cut: Cell::new(None) }
    }

    /// Counts steps that are about to be taken; `false` where they must not be.
    pub fn spend(&self, steps: usize) -> bool {
        if self.cut.get().is_some() {
            return false;
        }
        let spent = self.spent.get().saturating_add(steps);
        self.spent.set(spent);
        if spent > MOST_STEPS {
            self.cut.set(Some(Cut::TooCostly));
            return false;
        }
        if spent >= self.look.get() {
            self.look.set(spent + STEPS_A_LOOK);
            if !(self.go_on)() {
                self.cut.set(Some(Cut::OutOfTime));
                return false;
            }
        }
        true
    }

    /// Counts the steps of a walk over so much text.
    pub fn read(&self, bytes: usize) -> bool {
        self.spend(1 + bytes / BYTES_A_STEP)
    }

    /// Why it was cut, where it was.
    #[must_use]
    pub const fn cut(&self) -> Option<Cut> {
        self.cut.get()
    }

    /// What was spent so far.
    #[must_use]
    pub const fn spent(&self) -> usize {
        self.spent.get()
    }
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").field("spent", &self.spent).field("cut", &self.cut).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_stays_cut() {
        let meter = Meter::new(&|| true);
        assert!(meter.spend(MOST_STEPS) && meter.cut().is_none());
        assert!(!meter.spend(1) && !meter.spend(0));
        assert_eq!(meter.cut(), Some(Cut::TooCostly));
        let time = Cell::new(true);
        let go_on = || time.get();
        let meter = Meter::new(&go_on);
        assert!(meter.spend(STEPS_A_LOOK));
        time.set(false);
        // It is not asked at every step.
        assert!(meter.spend(1) && !meter.spend(STEPS_A_LOOK));
        assert_eq!(meter.cut(), Some(Cut::OutOfTime));
    }
}
