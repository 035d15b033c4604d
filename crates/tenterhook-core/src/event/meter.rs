//! How much may it still cost to work out what an event means, and is there still time? Counts; looks at no clock itself.
//!
//! What was cut stays cut: every walk asks before it goes on, ends where it must, and what it had come to is given up
//! as a whole by the caller (RU-37).

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most steps of one thing that is worked out (RU-32, RU-37): some 110 ms on a slow machine, and far more than any line
/// takes that somebody wrote.
pub const MOST_STEPS: usize = 2_000_000;
/// Most steps of working something out of a text (RU-37): some 15 ms on a slow machine.
#[cfg(feature = "rule")]
pub const MOST_OF_TEXT: usize = 800_000;
/// Most of them for each byte of the text and for one without any, as far as [`MOST_OF_TEXT`] goes: five times what lines take that
/// somebody wrote. More takes only what multiplies one part of a line by another.
#[cfg(feature = "rule")]
const A_BYTE: usize = 320;
#[cfg(feature = "rule")]
const A_TEXT: usize = 100_000;
/// Most steps of everything that hooks ask of one event (RU-39). Less would cut lists of rules in earnest: some hundred that
/// look through a megabyte each.
pub const MOST_OF_EVENT: usize = 16_000_000;
/// After how many steps it is asked whether there is still time. What needs fewer is never cut, whatever others have spent.
const STEPS_A_LOOK: usize = 1 << 12;
/// How much text is one step.
#[cfg(feature = "rule")]
const BYTES_A_STEP: usize = 16;

/// What everything that is asked of one event has cost so far, in steps.
#[derive(Debug, Default)]
pub struct Account(AtomicUsize);

impl Account {
    /// Adds steps; `false` where they are more than an event has.
    fn add(&self, steps: usize) -> bool {
        let before = self.0.fetch_add(steps, Ordering::Relaxed);
        before.saturating_add(steps) <= MOST_OF_EVENT
    }

    /// What was spent so far.
    #[cfg(test)]
    pub(crate) fn spent(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The count of one thing that is worked out.
pub struct Meter<'g> {
    go_on: &'g dyn Fn() -> bool,
    account: Option<&'g Account>,
    most: usize,
    spent: Cell<usize>,
    /// What of it the account knows of.
    posted: Cell<usize>,
    look: Cell<usize>,
    cut: Cell<Option<Cut>>,
}

/// Why a walk was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It would take more steps than it may.
    TooCostly,
    /// Everything that is asked of the event takes more than [`MOST_OF_EVENT`].
    EventTooCostly,
    /// There is no more time.
    OutOfTime,
}

impl<'g> Meter<'g> {
    /// For what is worked out once an event, for every caller; `go_on` is asked now and then whether there is still time.
    #[must_use]
    pub fn new(go_on: &'g dyn Fn() -> bool) -> Self {
        Self::with(None, go_on)
    }

    /// The same for what is worked out of a text of that many bytes.
    #[must_use]
    #[cfg(feature = "rule")]
    pub fn of_text(bytes: usize, go_on: &'g dyn Fn() -> bool) -> Self {
        let mut meter = Self::new(go_on);
        meter.most = A_TEXT.saturating_add(A_BYTE.saturating_mul(bytes)).min(MOST_OF_TEXT);
        meter
    }

    /// For one of the many that ask something of an event.
    #[must_use]
    pub fn with_account(account: &'g Account, go_on: &'g dyn Fn() -> bool) -> Self {
        Self::with(Some(account), go_on)
    }

    fn with(account: Option<&'g Account>, go_on: &'g dyn Fn() -> bool) -> Self {
        Self {
            go_on,
            account,
            most: MOST_STEPS,
            spent: Cell::new(0),
            posted: Cell::new(0),
            look: Cell::new(STEPS_A_LOOK),
            cut: Cell::new(None),
        }
    }

    /// Counts steps that are about to be taken; `false` where they must not be.
    pub fn spend(&self, steps: usize) -> bool {
        if self.cut.get().is_some() {
            return false;
        }
        let spent = self.spent.get().saturating_add(steps);
        self.spent.set(spent);
        if spent < self.look.get() {
            return true;
        }
        self.look.set(spent.saturating_add(STEPS_A_LOOK));
        let cut = if spent > self.most {
            Some(Cut::TooCostly)
        } else if !self.post() {
            Some(Cut::EventTooCostly)
        } else if !(self.go_on)() {
            Some(Cut::OutOfTime)
        } else {
            None
        };
        self.cut.set(cut);
        cut.is_none()
    }

    /// Tells the account what was spent since the last report; `false` where that is too much.
    fn post(&self) -> bool {
        let spent = self.spent.get().min(self.most);
        let since = spent.saturating_sub(self.posted.replace(spent));
        self.account.is_none_or(|account| account.add(since))
    }

    /// Counts the steps of a walk over so much text.
    #[cfg(feature = "rule")]
    pub fn read(&self, bytes: usize) -> bool {
        self.spend(1 + bytes / BYTES_A_STEP)
    }

    /// How many steps it may take.
    #[must_use]
    #[cfg(feature = "rule")]
    pub const fn most(&self) -> usize {
        self.most
    }

    /// Why it was cut, where it was.
    #[must_use]
    pub const fn cut(&self) -> Option<Cut> {
        self.cut.get()
    }

    /// What was spent so far.
    #[must_use]
    #[cfg(feature = "rule")]
    pub const fn spent(&self) -> usize {
        self.spent.get()
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.post();
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
        assert!(!meter.spend(STEPS_A_LOOK) && !meter.spend(0));
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

    /// RU-39: who asks for much pays with what others could have asked for, but not with what costs next to nothing.
    #[test]
    fn an_account_is_for_all_and_cheap_things_need_none() {
        let account = Account::default();
        for _ in 0..MOST_OF_EVENT / MOST_STEPS {
            assert!(Meter::with_account(&account, &|| true).spend(MOST_STEPS));
        }
        assert_eq!(account.spent(), MOST_OF_EVENT);
        let cheap = Meter::with_account(&account, &|| true);
        assert!(cheap.spend(STEPS_A_LOOK - 1));
        assert!(!cheap.spend(1));
        assert_eq!(cheap.cut(), Some(Cut::EventTooCostly));
        assert!(Meter::new(&|| true).spend(MOST_STEPS));
    }
}
