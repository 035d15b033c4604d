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
    /// Adds steps; returns `false` if the event may not spend so many.
    fn charge_steps(&self, steps: usize) -> bool {
        let before = self.0.fetch_add(steps, Ordering::Relaxed);
        before.saturating_add(steps) <= MOST_OF_EVENT
    }

    /// Returns how many steps were spent so far.
    #[cfg(test)]
    pub(crate) fn spent_steps(&self) -> usize {
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
    /// Creates a meter for a result that is computed once for each event, for all callers. `go_on`
    /// is called now and then to check whether time is left.
    #[must_use]
    pub fn new(go_on: &'g dyn Fn() -> bool) -> Self {
        Self::from_parts(None, go_on)
    }

    /// Creates a meter for a result that is computed from a text of that many bytes.
    #[must_use]
    #[cfg(feature = "rule")]
    pub fn for_text(bytes: usize, go_on: &'g dyn Fn() -> bool) -> Self {
        let mut meter = Self::new(go_on);
        meter.most = A_TEXT.saturating_add(A_BYTE.saturating_mul(bytes)).min(MOST_OF_TEXT);
        meter
    }

    /// Creates a meter that shares the account of an event with others.
    #[must_use]
    pub fn new_with_shared_account(account: &'g Account, go_on: &'g dyn Fn() -> bool) -> Self {
        Self::from_parts(Some(account), go_on)
    }

    fn from_parts(account: Option<&'g Account>, go_on: &'g dyn Fn() -> bool) -> Self {
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

    /// Counts steps that are about to be taken; returns `false` if they must not be taken.
    pub fn spend_steps(&self, steps: usize) -> bool {
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
        } else if !self.charge_account() {
            Some(Cut::EventTooCostly)
        } else if !(self.go_on)() {
            Some(Cut::OutOfTime)
        } else {
            None
        };
        self.cut.set(cut);
        cut.is_none()
    }

    /// Charges the account with what was spent since the last report; returns `false` if that is
    /// too much.
    fn charge_account(&self) -> bool {
        let spent = self.spent.get().min(self.most);
        let since = spent.saturating_sub(self.posted.replace(spent));
        self.account.is_none_or(|account| account.charge_steps(since))
    }

    /// Counts the steps of a walk over so many bytes of text.
    #[cfg(feature = "rule")]
    pub fn spend_steps_for_bytes(&self, bytes: usize) -> bool {
        self.spend_steps(1 + bytes / BYTES_A_STEP)
    }

    /// Returns how many steps may be taken.
    #[must_use]
    #[cfg(feature = "rule")]
    pub const fn max_steps(&self) -> usize {
        self.most
    }

    /// Returns why the meter was cut, if it was.
    #[must_use]
    pub const fn why_cut(&self) -> Option<Cut> {
        self.cut.get()
    }

    /// Returns how many steps were spent so far.
    #[must_use]
    #[cfg(feature = "rule")]
    pub const fn spent_steps(&self) -> usize {
        self.spent.get()
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.charge_account();
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
        assert!(meter.spend_steps(MOST_STEPS) && meter.why_cut().is_none());
        assert!(!meter.spend_steps(STEPS_A_LOOK) && !meter.spend_steps(0));
        assert_eq!(meter.why_cut(), Some(Cut::TooCostly));
        let time = Cell::new(true);
        let go_on = || time.get();
        let meter = Meter::new(&go_on);
        assert!(meter.spend_steps(STEPS_A_LOOK));
        time.set(false);
        // It is not asked at every step.
        assert!(meter.spend_steps(1) && !meter.spend_steps(STEPS_A_LOOK));
        assert_eq!(meter.why_cut(), Some(Cut::OutOfTime));
    }

    /// RU-39: who asks for much pays with what others could have asked for, but not with what costs next to nothing.
    #[test]
    fn an_account_is_for_all_and_cheap_things_need_none() {
        let account = Account::default();
        for _ in 0..MOST_OF_EVENT / MOST_STEPS {
            assert!(Meter::new_with_shared_account(&account, &|| true).spend_steps(MOST_STEPS));
        }
        assert_eq!(account.spent_steps(), MOST_OF_EVENT);
        let cheap = Meter::new_with_shared_account(&account, &|| true);
        assert!(cheap.spend_steps(STEPS_A_LOOK - 1));
        assert!(!cheap.spend_steps(1));
        assert_eq!(cheap.why_cut(), Some(Cut::EventTooCostly));
        assert!(Meter::new(&|| true).spend_steps(MOST_STEPS));
    }
}
