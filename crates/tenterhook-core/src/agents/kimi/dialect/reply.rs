//! The replies that Kimi Code CLI accepts on each event, and how it reads the answers of its hooks
//! (KM-40 to KM-45). Data, except for output without an answer.

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power::{Context, Deny};
use crate::dialect::kit::reply::phrases::PowerPhrase;
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Kimi Code CLI", TOOLS, EVENTS);

const OUT: &str = "hookSpecificOutput";

/// The one form of a denial. Kimi Code CLI reads no name of an event in it.
const DENY: PowerPhrase = (
    Deny,
    &[
        (&[OUT, "permissionDecision"], Part::Word("deny")),
        (&[OUT, "permissionDecisionReason"], Part::Reason),
    ],
);

static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("PreToolUse", &[DENY]),
    EventReplies::with_phrases(
        "UserPromptSubmit",
        &[DENY, (Context, &[(&["message"], Part::GivenText)])],
    ),
    EventReplies::with_phrases("Stop", &[DENY]),
];

/// How it reads answers: the replies above, and further fields.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[("UserPromptSubmit", &[(Context, &[(&[OUT, "message"], Part::GivenText)])])],
    carried: &["message", "hookEventName"],
    ended: read_plain_output,
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads plain output: text is context of a prompt, and exit code 2 denies.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    match (&*output.row.event, output.code, output.stdout, output.stderr) {
        ("UserPromptSubmit", 0, text, _) if !text.is_empty() => Answer::context(text),
        (_, 0, ..) => Answer::default(),
        (_, 2, _, "") if output.can_be_denied() => Answer::deny("the hook exited with code 2"),
        (_, 2, _, reason) if output.can_be_denied() => Answer::deny(reason),
        _ => output.failed_answer(),
    }
}
