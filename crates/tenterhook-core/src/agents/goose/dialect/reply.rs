//! The replies that Goose reads, and how it reads the answers of hooks (BR-25, GO-40 to GO-44): a
//! hook can block a tool call or keep a turn going. Tables, except for output without an answer.

use serde_json::{Map, Value};

use super::vocabulary::WORDS;
use crate::answer::{Answer, Power};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::BLOCK;
use crate::dialect::kit::reply::{EventReplies, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Goose", WORDS.tools, EVENTS);

static EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("PreToolUse", &[BLOCK]),
    EventReplies::with_phrases("Stop", &[BLOCK]),
];

pub(super) static FORM: ReplyForm = ReplyForm {
    counts: is_answer_object,
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Foreign, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Whether Goose reads `object` as an answer. On an event that can be denied, `block` is an answer
/// at every exit code, `allow` only at exit code 0, and any other object is no answer (GO-42).
fn is_answer_object(row: &EventRow, code: i32, object: &Map<String, Value>) -> bool {
    match object.get("decision").and_then(Value::as_str) {
        _ if !row.powers.has(Power::Deny) => true,
        Some("block") => true,
        Some("allow") => code == 0,
        _ => false,
    }
}

/// Reads output without an answer: empty output passes, exit code 2 blocks, and anything else is a
/// failure (GO-42).
fn read_plain_output(output: &Ended<'_>) -> Answer {
    match (output.code, output.stdout, output.stderr) {
        (0, "", _) => Answer::default(),
        (0, ..) if !output.can_be_denied() => Answer::default(),
        (0, ..) => {
            Answer::failed(Code::UnreadableAnswer, "it printed something that is not an answer")
        }
        (2, _, "") if output.can_be_denied() => Answer::deny("denied by plugin hook"),
        (2, _, reason) if output.can_be_denied() => Answer::deny(reason),
        _ => output.failed_answer(),
    }
}
