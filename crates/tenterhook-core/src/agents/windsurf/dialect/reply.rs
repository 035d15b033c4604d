//! The replies that Windsurf accepts on each event, and how it reads the answers of its hooks
//! (WS-40 to WS-42): exit code 2 denies, and it reads no object. Tables, except for exit codes.

use super::vocabulary::WORDS;
use crate::answer::Answer;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::BLOCK;
use crate::dialect::kit::reply::{EventReplies, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Windsurf", &[], EVENTS);

/// Creates the replies of an event whose action can be denied, by the exit code alone.
const fn denied_by_exit(event: &'static str) -> EventReplies {
    EventReplies { by_exit: true, ..EventReplies::with_phrases(event, &[BLOCK]) }
}

static EVENTS: &[EventReplies] = &[
    denied_by_exit("pre_run_command"),
    denied_by_exit("pre_read_code"),
    denied_by_exit("pre_write_code"),
    denied_by_exit("pre_mcp_tool_use"),
    denied_by_exit("pre_user_prompt"),
];

pub(super) static FORM: ReplyForm = ReplyForm {
    counts: |_, _, _| false,
    ended: read_exit_code,
    denial: Protocol { halt: Halt::Foreign, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads an exit code: 2 denies an action that is about to happen, with stderr as the reason; any
/// other code but 0 is a failure, and the action goes on.
fn read_exit_code(output: &Ended<'_>) -> Answer {
    match (output.code, output.stderr) {
        (0, _) => Answer::default(),
        (2, "") if output.can_be_denied() => Answer::deny("the hook exited with code 2"),
        (2, reason) if output.can_be_denied() => Answer::deny(reason),
        _ => output.failed_answer(),
    }
}
