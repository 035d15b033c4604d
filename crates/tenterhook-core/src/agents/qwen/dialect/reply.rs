//! The replies that Qwen Code accepts on each event, and how it reads the answers of its hooks
//! (BR-24, QW-40 to QW-45). The form is Claude Code's, but before a tool, a changed call and
//! context have no effect; after a tool, only context has one. Data, except for exit codes.

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ALLOW_REQUEST, ASK_CALL, BLOCK, CONTEXT, DENY_CALL, DENY_REQUEST, LEAVE_REQUEST,
    MESSAGE, STOP,
};
use crate::dialect::kit::reply::{EventReplies, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Qwen Code", TOOLS, EVENTS);

static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("SessionStart", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("UserPromptSubmit", &[BLOCK, STOP, CONTEXT, MESSAGE]),
    EventReplies::with_phrases("PreToolUse", &[DENY_CALL, ASK_CALL, ALLOW_CALL, MESSAGE]),
    EventReplies::with_phrases("PermissionRequest", &[DENY_REQUEST, LEAVE_REQUEST, ALLOW_REQUEST]),
    EventReplies::with_phrases("PostToolUse", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("PostToolUseFailure", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("Stop", &[BLOCK, STOP, MESSAGE]),
    EventReplies::with_phrases("SubagentStop", &[BLOCK, MESSAGE]),
];

/// How it reads answers: the replies above, and further fields.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        // Before a tool, a stop is a denial.
        ("PreToolUse", &[BLOCK, (Power::Deny, STOP.1)]),
        ("SubagentStop", &[STOP]),
    ],
    same: &[("deny", "block"), ("approve", "allow")],
    carried: &[
        "suppressOutput",
        "decision",
        "reason",
        "hookEventName",
        "updatedInput",
        "additionalContext",
    ],
    // Without stdout, an object on stderr is the answer (played by its source, 0.24.4).
    part: |stdout, stderr| match stdout.trim_ascii() {
        b"" => stderr.as_bytes().into(),
        _ => stdout.into(),
    },
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Denies, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads plain output: text is context before a prompt; exit code 2 denies with stderr as the
/// reason.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    let reads = matches!(&*output.row.event, "UserPromptSubmit" | "SessionStart");
    match (output.code, output.stdout) {
        (0, text) if reads && !text.is_empty() => Answer::context(text),
        _ => output.answer_by_usual_exit_codes(),
    }
}
