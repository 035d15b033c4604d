//! The trace of one firing, and where it goes: told when it begins, before any hook runs, and when its outcome is known, before
//! the host can act on it (RE-1). Opens no file; [`journal`] does, behind the feature `record`.

#[cfg(feature = "record")]
mod chain;
#[cfg(feature = "record")]
mod entry;
#[cfg(feature = "record")]
#[doc(hidden)]
pub use entry::effect_digest;
#[cfg(feature = "record")]
mod error;
#[cfg(feature = "record")]
mod head;
#[cfg(feature = "record")]
mod identity;
#[cfg(feature = "record")]
#[doc(hidden)]
pub mod journal;
#[cfg(feature = "record")]
mod private;
#[cfg(feature = "record")]
#[doc(hidden)]
pub mod read;
#[cfg(feature = "record")]
mod recover;
#[cfg(feature = "record")]
mod redact;
#[cfg(feature = "record")]
mod segments;
#[cfg(feature = "record")]
#[doc(hidden)]
pub mod user_action;
#[cfg(feature = "record")]
#[doc(hidden)]
pub mod verify;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tenterhook_core::answer::Restraint;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, HookId};
use tenterhook_core::outcome::{Fault, Outcome, Reason};

#[cfg(feature = "record")]
pub use journal::Journal;

/// The same value without what looks like a secret (RE-31), for whoever shows what was recorded.
#[cfg(feature = "record")]
#[doc(hidden)]
#[must_use]
pub fn redacted(value: serde_json::Value) -> serde_json::Value {
    redact::value(value)
}

/// The number of one record, which says where it stands among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One firing whose outcome is known, or whose host gave it up.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The record of its beginning; `None` where no hook was configured for the event, so that nothing began.
    pub begun: Option<Number>,
    /// The event as the host handed it over.
    pub event: &'a Event,
    /// What the host gets; `None` where it gave up waiting, and got nothing.
    pub outcome: Option<&'a Outcome>,
    /// The hooks of the outcome's steps, in their order.
    pub hooks: &'a [Arc<Hook>],
    /// From the call of `fire` to its outcome.
    pub took: Duration,
}

/// A step that ended when its event was long over.
#[derive(Clone, Copy, Debug)]
pub struct Late<'a> {
    /// The record of its event's beginning.
    pub begun: Option<Number>,
    /// The event that started it.
    pub event: &'a Event,
    /// What it left.
    pub outcome: &'a Outcome,
    /// The hook.
    pub hook: &'a Arc<Hook>,
}

/// Why something is not on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrecorded {
    /// Which file or directory, what is wrong with it, what to do.
    pub why: String,
    /// Whether nothing may happen that is not on record: `required` (RE-21).
    pub is_required: bool,
    /// Whether people were told of this already.
    pub is_reported: bool,
}

/// Where records go.
///
/// Called on the task that fires: a sink that is slow must hand on what it is told.
pub trait Sink: Send + Sync + fmt::Debug {
    /// An event was handed over for which hooks are configured; none of them has run.
    ///
    /// # Errors
    ///
    /// When this is not on record.
    fn begin(&self, event: &Event) -> Result<Number, Unrecorded>;

    /// Its outcome is known, and the host does not have it yet.
    ///
    /// # Errors
    ///
    /// When this is not on record.
    fn end(&self, record: &Record<'_>) -> Result<(), Unrecorded>;

    /// A step ended behind its event.
    ///
    /// # Errors
    ///
    /// When this is not on record.
    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded>;
}

impl Unrecorded {
    /// What an outcome becomes that is not on record: it has a fault that says so, and where a record is required and the event
    /// comes before an effect, it denies (RE-20, RE-21).
    pub fn settle(&self, mut outcome: Outcome, is_before_effect: bool) -> Outcome {
        let message = format!("this is not on record: {}", self.why);
        if self.is_required && is_before_effect {
            outcome.restraint = Restraint::Deny;
            let text = format!("blocked, because `[record] required` holds and {message}");
            outcome.reasons.push(Reason { hook: HookId::new("tenterhook"), text });
        } else if self.is_reported {
            return outcome;
        }
        outcome.faults.push(Fault { code: Code::Unrecorded, hook: None, message });
        outcome
    }
}
