//! The replies that Kiro accepts on each event, and how it reads the answers of its hooks (KR-40 to
//! KR-43): exit code 2 denies, text is context on two events, and no object is read. Tables, except
//! for exit codes.

use super::vocabulary::{DEFINITION_TOOLS, DEFINITION_WORDS, TOOLS, WORDS};
use crate::answer::{Answer, Power};
use crate::dialect::kit::call::Vocabulary;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{BLOCK, TEXT};
use crate::dialect::kit::reply::{EventReplies, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Kiro", TOOLS, EVENTS);
static DEFINITION_REPLIES: Replies = Replies::new("Kiro", DEFINITION_TOOLS, DEFINITION_EVENTS);

/// Creates the replies of an event whose action can be denied, by the exit code alone.
const fn denied_by_exit(event: &'static str) -> EventReplies {
    EventReplies { by_exit: true, ..EventReplies::with_phrases(event, &[BLOCK]) }
}

static EVENTS: &[EventReplies] = &[
    denied_by_exit("PreToolUse"),
    denied_by_exit("PreTaskExec"),
    EventReplies {
        by_exit: true,
        ..EventReplies::with_phrases("UserPromptSubmit", &[BLOCK, TEXT])
    },
    EventReplies::with_phrases("SessionStart", &[TEXT]),
];

/// In the command line 2.x, only a tool call can be denied.
static DEFINITION_EVENTS: &[EventReplies] = &[
    denied_by_exit("preToolUse"),
    EventReplies::with_phrases("userPromptSubmit", &[TEXT]),
    EventReplies::with_phrases("agentSpawn", &[TEXT]),
];

pub(super) static FORM: ReplyForm = new_form(&WORDS, &REPLIES, |output| {
    read_text(output).unwrap_or_else(|| output.answer_by_usual_exit_codes())
});

pub(super) static DEFINITION_FORM: ReplyForm =
    new_form(&DEFINITION_WORDS, &DEFINITION_REPLIES, |output| {
        // 2.x denies whatever stands on standard error.
        let denies = output.code == 2 && output.can_be_denied() && output.stderr.is_empty();
        let silent = denies.then(|| Answer::deny("the hook exited with code 2"));
        let answer = silent.or_else(|| read_text(output));
        answer.unwrap_or_else(|| output.answer_by_usual_exit_codes())
    });

const fn new_form(
    words: &'static Vocabulary,
    replies: &'static Replies,
    ended: fn(&Ended<'_>) -> Answer,
) -> ReplyForm {
    ReplyForm {
        counts: |_, _, _| false,
        ended,
        denial: Protocol { halt: Halt::Foreign, ..Protocol::PLAIN },
        ..ReplyForm::new(words, replies)
    }
}

/// Reads the text of a hook that succeeded, which is context where the event takes some.
fn read_text(output: &Ended<'_>) -> Option<Answer> {
    let takes = output.code == 0 && output.row.powers.has(Power::Context);
    (takes && !output.stdout.is_empty()).then(|| Answer::context(output.stdout))
}
