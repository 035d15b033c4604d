//! The trace of one firing, and the sink that it goes to. A sink is called when the firing begins,
//! before any hook runs, and when its outcome is known, before the host can act on it (RE-1). This
//! module opens no file; `journal` does, behind the feature `record`.

#[cfg(feature = "record")]
mod caller;
#[cfg(feature = "record")]
mod chain;
#[cfg(feature = "record")]
mod entry;
#[cfg(feature = "record")]
mod error;
#[cfg(feature = "record")]
mod head;
#[cfg(feature = "record")]
mod identity;
#[cfg(feature = "record")]
mod journal;
#[cfg(feature = "record")]
mod private;
#[cfg(feature = "record")]
mod read;
#[cfg(feature = "record")]
mod recover;
#[cfg(feature = "record")]
mod redact;
#[cfg(feature = "record")]
mod segments;
#[cfg(feature = "record")]
mod system_log;
#[cfg(feature = "record")]
mod user_action;
#[cfg(feature = "record")]
mod verify;

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

/// What only the programs use (see [`crate::internal`]).
#[cfg(feature = "record")]
pub(crate) mod internal {
    pub use super::entry::effect_digest;
    pub use super::identity::hook_digest;
    pub use super::journal::Location;
    pub use super::redact::redact_value as redacted;
    pub use super::user_action::{UserAction, UserActionKind};
    pub use super::verify::{Report, verify_records};

    pub mod read {
        //! The entries of a record.

        pub use crate::record::read::*;
    }
}

/// The sequence number of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A firing whose outcome is known, or that its host cancelled.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The number of its `begin` record; `None` if no hook was configured for the event.
    pub begun: Option<Number>,
    /// The event as the host passed it.
    pub event: &'a Event,
    /// What the host gets; `None` if it stopped waiting.
    pub outcome: Option<&'a Outcome>,
    /// The hooks of the outcome's steps, in their order.
    pub hooks: &'a [Arc<Hook>],
    /// From the call of `fire` to its outcome.
    pub took: Duration,
}

/// A step that ended after its event.
#[derive(Clone, Copy, Debug)]
pub struct Late<'a> {
    /// The number of the `begin` record of its event.
    pub begun: Option<Number>,
    /// The event that started it.
    pub event: &'a Event,
    /// The outcome of the step.
    pub outcome: &'a Outcome,
    /// The hook.
    pub hook: &'a Arc<Hook>,
}

/// Why something could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrecorded {
    /// Which file or directory, what is wrong with it, what to do.
    pub why: String,
    /// Whether an unrecorded action must be denied: `required` (RE-21).
    pub is_required: bool,
    /// Whether this was already reported to the user.
    pub is_reported: bool,
}

/// Receives records.
///
/// Its methods are called on the task that fires, so a slow sink must pass its work to another
/// task.
pub trait Sink: Send + Sync + fmt::Debug {
    /// Records that the hooks for `event` are about to run.
    ///
    /// # Errors
    ///
    /// Fails if this could not be recorded.
    fn begin(&self, event: &Event) -> Result<Number, Unrecorded>;

    /// Records the outcome of a firing, before the host receives it.
    ///
    /// # Errors
    ///
    /// Fails if this could not be recorded.
    fn end(&self, record: &Record<'_>) -> Result<(), Unrecorded>;

    /// Records a step that ended after its event.
    ///
    /// # Errors
    ///
    /// Fails if this could not be recorded.
    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded>;
}

impl Unrecorded {
    /// Adds a fault to an outcome that could not be recorded. If a record is required and the event
    /// comes before an effect, the outcome also denies (RE-20, RE-21).
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
