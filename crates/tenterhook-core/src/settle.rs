//! What an outcome means against the session's past: pure, no handle, no store.

use std::collections::HashSet;
use std::sync::Arc;

use crate::answer::{Restraint, Stop};
use crate::diagnostic::Code;
use crate::dialect::{Cap, Then};
use crate::hook::HookId;
use crate::outcome::{Fault, Outcome};

/// What planning and settling may know of the session: a snapshot.
#[derive(Clone, Debug, Default)]
pub struct View {
    claimed: Arc<HashSet<HookId>>,
    off: Arc<HashSet<HookId>>,
    strikes: u32,
}

impl View {
    /// Creates a view in which the `claimed` hooks have had their only run, and the event was
    /// denied `strikes` times in a row.
    #[must_use]
    pub fn new(claimed: impl IntoIterator<Item = HookId>, strikes: u32) -> Self {
        Self::from_shared_sets(Arc::new(claimed.into_iter().collect()), Arc::default(), strikes)
    }

    /// Creates a view over sets that the session shares.
    pub const fn from_shared_sets(
        claimed: Arc<HashSet<HookId>>,
        off: Arc<HashSet<HookId>>,
        strikes: u32,
    ) -> Self {
        Self { claimed, off, strikes }
    }

    /// Returns true if the user switched a hook off for the session.
    #[must_use]
    pub fn is_hook_switched_off(&self, hook: &HookId) -> bool {
        self.off.contains(hook)
    }

    /// Returns true if a hook that runs once has already run.
    #[must_use]
    pub fn has_hook_had_only_run(&self, hook: &HookId) -> bool {
        self.claimed.contains(hook)
    }
}

/// What an outcome changes in the session's count of denials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strike {
    /// Nothing: the event keeps no count.
    #[default]
    Keep,
    /// One more denial in a row.
    Add,
    /// The row is broken.
    Reset,
}

/// Settles an outcome against the session: past its cap a denial does not hold (N-3).
///
/// Without this, a gate on the end of a turn that never relents keeps the model at work for ever.
pub fn apply_denial_cap_to_outcome(
    mut outcome: Outcome,
    view: &View,
    cap: Option<Cap>,
) -> (Outcome, Strike) {
    let Some(cap) = cap else { return (outcome, Strike::Keep) };
    if !outcome.blocked() {
        return (outcome, Strike::Reset);
    }
    if view.strikes < cap.denials {
        return (outcome, Strike::Add);
    }
    let consequence = match cap.then {
        Then::GiveWay => "it gives way this time",
        Then::Stop => "everything ends",
    };
    let message = format!(
        "denied {} times in a row, so {consequence}; the last reason was: {}",
        cap.denials.saturating_add(1),
        outcome.reason().unwrap_or_default()
    );
    outcome.restraint = Restraint::Silent;
    outcome.reasons.clear();
    if cap.then == Then::Stop {
        outcome.effects.stop.get_or_insert_with(|| Stop { reason: Some(message.clone()) });
    }
    outcome.effects.messages.push(message.clone());
    outcome.faults.push(Fault { code: Code::CapReached, hook: None, message });
    (outcome, Strike::Reset)
}
