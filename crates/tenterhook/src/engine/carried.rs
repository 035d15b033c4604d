//! Outcomes of background steps of earlier events, in the outcome of an event that can carry them
//! (BR-159). Decides nothing but whether this event carries them.

use super::recording::may_precede_effect;
use tenterhook_core::answer::Restraint;
use tenterhook_core::event::Event;
use tenterhook_core::outcome::{Outcome, Reason, Step};
use tenterhook_core::verdict::Verdict;

/// Adds the outcomes of earlier background steps to those of the event's own hooks, unless these
/// hold back what the event is about: an agent may drop the texts with it.
pub(super) fn carry_earlier_outcomes(
    carried: Vec<Outcome>,
    event: &Event,
    verdicts: &mut Vec<Verdict>,
    records: &mut Vec<Step>,
) {
    let holds =
        |verdict: &Verdict| verdict.restraint > Restraint::Allow || verdict.effects.stop.is_some();
    if may_precede_effect(event) && verdicts.iter().any(holds) {
        return;
    }
    for outcome in carried {
        let text = outcome.reason();
        let Outcome { restraint, mut reasons, effects, faults, steps } = outcome;
        let reason = reasons.pop().zip(text).map(|(last, text)| Reason { text, ..last });
        verdicts.push(Verdict { restraint, reason, if_denied: None, effects, faults });
        records.extend(steps);
    }
}
