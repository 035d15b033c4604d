//! Which failures a dialect promises nothing about, because they are not the hook's or cannot be understood: it may have said no, and it was not
//! heard. Judges nothing else.

use crate::answer::Failure;
use crate::diagnostic::Code;
use crate::dialect::{Dialect, EventRow};

/// Failures that are the engine's own: the output was lost, or the hook was never asked, because the host lacks something, because
/// what it asks is not what was approved (T-23), or because a request or a reply that the agent would take is refused here (HT-17).
const OURS: &[Code] = &[
    Code::UnknownEnding,
    Code::OutOfResources,
    Code::ChangedSinceApproved,
    Code::HttpUrl,
    Code::HttpAddress,
    Code::HttpHeader,
    Code::HttpTooHeavy,
    Code::HttpClient,
    Code::HttpEncoding,
    Code::HttpTooLarge,
    Code::HttpStale,
];

/// The code of an output that is shaped like an answer and cannot be read as one: it may have said no, and no reader can
/// tell.
const UNREADABLE: Code = Code::UnclearAnswer;

/// Whether a person must be asked.
pub(super) fn asks(failure: &Failure, row: &EventRow, dialect: &Dialect) -> bool {
    let lost = failure.code == UNREADABLE
        || OURS.contains(&failure.code)
        // The agent would have asked the server to which this one sends (HT-14).
        || (failure.code == Code::HttpRedirect && dialect.follows_redirects());
    lost && row.is_before_effect()
}
