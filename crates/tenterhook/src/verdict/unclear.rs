//! Which failures a dialect promises nothing about, because they are not the hook's or cannot be understood: it may have said no, and it was not
//! heard. Judges nothing else.

use crate::answer::Failure;
use crate::diagnostic::Code;
use crate::dialect::EventRow;

/// Ways of failing that are this host's own: the hook said something that was lost on the way, or was never asked, because the host
/// lacks something, or because what it asks is not what was approved (T-23).
const OURS: &[Code] = &[Code::UnknownEnding, Code::OutOfResources, Code::ChangedSinceApproved];

/// The code of an output that is shaped like an answer and cannot be read as one: it may have said no, and nobody can
/// tell.
const UNREADABLE: Code = Code::UnclearAnswer;

/// Whether somebody must be asked.
pub(super) fn asks(failure: &Failure, row: &EventRow) -> bool {
    (failure.code == UNREADABLE || OURS.contains(&failure.code)) && row.is_before_effect()
}
