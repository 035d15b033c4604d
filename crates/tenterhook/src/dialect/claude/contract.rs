//! What Claude Code does with an answer that slipped, under exact reading.

use crate::answer::SlipKind;
use crate::dialect::SlipPolicy;

/// The agent honours no slip: whatever the near-miss table finds, the agent's own reading of the same report stands,
/// which `answer` keeps as the plain reading beside every slip.
///
/// Observed of 2.1.197 and 2.1.330: text after the object, a broken object, an array and a string are log text; a wrong or
/// missing `hookEventName`, a word that is no decision and a value of the wrong type reject the answer whole, and the
/// action goes on; an unknown key or a decision in another event's place is passed over; exit code 2 of a permission
/// request is passed over. Which of these it was, the plain reading says in its own failure or remark.
pub(super) const fn slip_policy(_: SlipKind) -> SlipPolicy {
    SlipPolicy::PlainText
}
