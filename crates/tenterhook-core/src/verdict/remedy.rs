//! What to do about a hook that gave no answer, where its own message does not say it. A table; decides nothing.

use crate::diagnostic::Code;
use crate::dialect::DialectId;

/// The codes whose messages say what happened and no more, with a remedy each.
const REMEDIES: &[(Code, &str)] = &[
    (Code::Signalled, "see what ended it"),
    (Code::OutputTooLarge, "print one short answer"),
    (Code::WorkerEnded, "catch what it throws, and reply with `error`"),
    (Code::WorkerProtocol, "reply with one line that has the `id` of the event, and log to stderr"),
    (Code::EntryUnusable, "`tenterhook check` says what to write"),
    (Code::FileUnread, "`tenterhook check` shows more"),
];

/// Returns what happened and what to do about it, in the terms of the file that configures the
/// hook.
pub(super) fn message_with_remedy(dialect: DialectId, code: Code, message: &str) -> String {
    if code == Code::TimedOut {
        let key = dialect.dialect().timeout_key();
        return format!("{message}; raise its `{key}`, or see what it waits for");
    }
    match REMEDIES.iter().find(|(other, _)| *other == code) {
        Some((_, remedy)) => format!("{message}; {remedy}"),
        None => message.to_owned(),
    }
}
