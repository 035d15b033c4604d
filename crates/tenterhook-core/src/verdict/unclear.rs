//! The failures for which a dialect has no policy, because the engine caused them or the output is
//! unclear: the hook may have denied, and the denial was lost. Judges nothing else.

use crate::answer::Failure;
use crate::diagnostic::Code;
use crate::dialect::{Dialect, EventRow};

/// Failures of the engine: the output was lost, or the hook did not run, because the host lacks
/// resources, the hook changed since its approval (T-23), or the engine refuses a request or a
/// reply that the agent would accept (HT-17).
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

/// The code of an output that resembles an answer and cannot be parsed: it may be a denial.
const UNREADABLE: Code = Code::UnclearAnswer;

/// Returns true if the user must be asked.
pub(super) fn must_ask_user(failure: &Failure, row: &EventRow, dialect: &Dialect) -> bool {
    let lost = failure.code == UNREADABLE
        || OURS.contains(&failure.code)
        // The agent would have asked the server to which this one sends (HT-14).
        || (failure.code == Code::HttpRedirect && dialect.follows_redirects());
    lost && row.is_before_effect()
}
