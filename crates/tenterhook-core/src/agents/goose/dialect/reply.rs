//! What Goose can be told, and what it hears (BR-25, GO-40 to GO-44): a call can be blocked and a turn go on. Data, but for what is no
//! answer there.

use serde_json::{Map, Value};

use super::words::WORDS;
use crate::answer::{Answer, Power};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply_form::{Ended, ReplyForm, all};
use crate::dialect::kit::reply::phrases::BLOCK;
use crate::dialect::kit::reply::{Replies, EventReplies};

pub(super) static REPLIES: Replies =
    Replies { agent: "Goose", lead: "", hears_stderr: true, tools: WORDS.tools, events: EVENTS };

static EVENTS: &[EventReplies] = &[EventReplies::can("PreToolUse", &[BLOCK]), EventReplies::can("Stop", &[BLOCK])];

pub(super) static FORM: ReplyForm = ReplyForm {
    words: &WORDS,
    replies: &REPLIES,
    more: &[],
    same: &[],
    carried: &[],
    part: all,
    input: |words, event, input| words.neutral_input(event, input),
    counts,
    ended,
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
};

/// Where something can be blocked, a block is an answer at any exit code, consent at 0 alone, and no other object is one (GO-42).
fn counts(row: &EventRow, code: i32, object: &Map<String, Value>) -> bool {
    match object.get("decision").and_then(Value::as_str) {
        _ if !row.powers.has(Power::Deny) => true,
        Some("block") => true,
        Some("allow") => code == 0,
        _ => false,
    }
}

/// Silence passes; exit code 2 blocks; whatever else is printed or said is a failure (GO-42).
fn ended(output: &Ended<'_>) -> Answer {
    match (output.code, output.stdout, output.stderr) {
        (0, "", _) => Answer::default(),
        (0, ..) if !output.denies() => Answer::default(),
        (0, ..) => {
            Answer::failed(Code::UnreadableAnswer, "it printed something that is not an answer")
        }
        (2, _, "") if output.denies() => Answer::deny("denied by plugin hook"),
        (2, _, words) if output.denies() => Answer::deny(words),
        _ => output.failed(),
    }
}
