//! Makes the outcome's texts safe to inject and to show, once, before the host sees them. Decides nothing.

use crate::event::Event;
use crate::executor::Ambient;
use crate::outcome::Outcome;

/// Cleans and bounds every text (decision 6).
pub(super) fn polish(outcome: Outcome, _ambient: &Ambient, _event: &Event) -> Outcome {
    outcome
}
