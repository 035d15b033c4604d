//! The replies that Auggie accepts on each event, and how it reads the answers of its hooks (AU-40
//! to AU-43). Tables, except for exit codes.

use serde_json::{Map, Value};

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power::Deny;
use crate::dialect::EventRow;
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{
    ALLOW_CALL, CHANGE_CALL, CONTEXT, DENY_CALL, MESSAGE, NAMED, PowerPhrase,
};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies = Replies::new("Auggie", TOOLS, EVENTS);

const OUT: &str = "hookSpecificOutput";

/// The denial of events that have no permission: Claude Code's block, in the event's own part.
const BLOCK: PowerPhrase =
    (Deny, &[NAMED, (&[OUT, "decision"], Part::Word("block")), (&[OUT, "reason"], Part::Reason)]);

/// `continue: false`, which denies a call.
const HALT: PowerPhrase =
    (Deny, &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)]);

static EVENTS: &[EventReplies] = &[
    EventReplies {
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::with_phrases("PreToolUse", &[DENY_CALL, CHANGE_CALL, MESSAGE])
    },
    EventReplies::with_phrases("PostToolUse", &[BLOCK, CONTEXT, MESSAGE]),
    EventReplies::with_phrases("Stop", &[BLOCK, MESSAGE]),
    EventReplies::with_phrases("SessionStart", &[CONTEXT, MESSAGE]),
];

pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[("PreToolUse", &[ALLOW_CALL, HALT])],
    carried: &["suppressOutput", "additionalContext", "stopReason", "continue"],
    counts: is_answer_object,
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Denies, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Whether Auggie reads `object` as an answer: an own part of an event must name the event.
fn is_answer_object(row: &EventRow, code: i32, object: &Map<String, Value>) -> bool {
    let own = object.get(OUT);
    code == 0
        && own.is_none_or(|own| own.get("hookEventName").is_some_and(|name| *name == *row.name))
}

/// Reads plain output: text is context when a session starts, and exit code 2 denies a call.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    match (&*output.row.event, output.code, output.stdout, output.stderr) {
        ("SessionStart", 0, text, _) if !text.is_empty() => Answer::context(text),
        (_, 0, ..) => Answer::default(),
        ("PreToolUse", 2, _, "") => Answer::deny("the hook exited with code 2"),
        ("PreToolUse", 2, _, reason) => Answer::deny(reason),
        _ => output.failed_answer(),
    }
}
