//! Which failures are not the hook's, so that its dialect promises nothing about them: it may have said no, and it was not
//! heard. Judges nothing else.

use crate::answer::Failure;
use crate::dialect::EventRow;

/// Ways of failing that are this host's own: the hook said something that was lost on the way, or was never asked.
const OURS: &[&str] = &["unknown-ending", "out-of-resources"];

/// Events before something happens that cannot be undone: a tool, a permission, a prompt, a call of a model. Elsewhere
/// nothing is at stake that waits for the answer, and a question would only hold up the session.
const BEFORE_EFFECTS: &[&str] = &[
    "Elicitation",
    "ElicitationResult",
    "PermissionRequest",
    "PreModelCall",
    "PreModelSwitch",
    "PreToolUse",
    "TurnStart",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

/// Whether somebody must be asked.
pub(super) fn asks(failure: &Failure, row: &EventRow) -> bool {
    OURS.contains(&failure.code) && BEFORE_EFFECTS.contains(&&*row.event)
}
