//! What to do about a hook that gave no answer, where its own message does not say it. A table; decides nothing.

use crate::dialect::DialectId;

/// The codes whose messages say what happened and no more, with a remedy each.
const REMEDIES: &[(&str, &str)] = &[
    ("signalled", "see what ended it"),
    ("output-too-large", "print one short answer"),
    ("worker-ended", "catch what it throws, and reply with `error`"),
    ("worker-protocol", "reply with one line that has the `id` of the event, and log to stderr"),
    ("entry-unusable", "`tenterhook check` says what to write"),
    ("file-unread", "`tenterhook check` shows more"),
];

/// What happened, and what to do about it, in the words of the file in which the hook stands.
pub(super) fn with(dialect: DialectId, code: &str, message: &str) -> String {
    if code == "timed-out" {
        let key = dialect.dialect().timeout_key();
        return format!("{message}; raise its `{key}`, or see what it waits for");
    }
    match REMEDIES.iter().find(|(it, _)| *it == code) {
        Some((_, remedy)) => format!("{message}; {remedy}"),
        None => message.to_owned(),
    }
}
