//! The replies that Droid accepts on each event, and how it reads the answers of its hooks (BR-24,
//! DR-40 to DR-45). Data, except for exit codes.

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::{Answer, Effects, Stop};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, ASK_CALL, BLOCK, CHANGE_CALL, CONTEXT, DENY_CALL, MESSAGE, STOP,
};
use crate::dialect::kit::reply::{EventReplies, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Droid", TOOLS, EVENTS);

/// Replies by event. A headless Droid does not ask, and Droid loses the reason of a block after
/// a tool unless it is on standard error with exit code 2.
static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("SessionStart", &[CONTEXT, MESSAGE]),
    EventReplies::with_phrases("UserPromptSubmit", &[BLOCK, CONTEXT, MESSAGE]),
    EventReplies {
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::with_phrases(
            "PreToolUse",
            &[DENY_CALL, STOP, ALLOW_CALL, CHANGE_CALL, MESSAGE],
        )
    },
    EventReplies { by_exit: true, ..EventReplies::with_phrases("PostToolUse", &[BLOCK, CONTEXT]) },
    EventReplies::with_phrases("Stop", &[BLOCK, MESSAGE]),
    EventReplies::with_phrases("SubagentStop", &[BLOCK, MESSAGE]),
];

/// How it reads answers: the replies above, and further fields.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        ("PreToolUse", &[ASK_CALL]),
        ("UserPromptSubmit", &[STOP]),
        ("Stop", &[STOP]),
        ("SubagentStop", &[STOP]),
    ],
    carried: &["suppressOutput", "decision", "reason", "hookEventName"],
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Stops, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads plain output: text is context when a session starts; exit code 2 denies with stderr as the
/// reason, and exit code 3 before a tool ends the run.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    let reads = matches!(&*output.row.event, "UserPromptSubmit" | "SessionStart");
    match (output.code, output.stdout) {
        (0, text) if reads && !text.is_empty() => Answer::context(text),
        (3, _) if output.row.event == "PreToolUse" => {
            let stop = Some(Stop { reason: stderr_reason(output.stderr) });
            Answer::default().with(Effects { stop, ..Effects::default() })
        }
        (2, _) if output.can_be_denied() => {
            Answer::deny(stderr_reason(output.stderr).unwrap_or_else(|| NO_REASON.to_owned()))
        }
        _ => output.answer_by_usual_exit_codes(),
    }
}

/// The reason of a denial that gives none.
const NO_REASON: &str = "the hook exited with code 2";

fn stderr_reason(stderr: &str) -> Option<String> {
    (!stderr.is_empty()).then(|| stderr.to_owned())
}
