//! The replies that Gemini CLI reads on each event, and how it reads the answers of hooks (BR-23,
//! GM-40 to GM-46). Tables, except for exit codes. If standard output is empty, Gemini CLI reads an
//! answer from standard error, so warnings cannot be printed there.

use std::borrow::Cow;

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Power::{Ask, Deny, Input, Output, Stop};
use crate::answer::{Answer, Effects};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply::phrases::{CONTEXT, MESSAGE, NAMED, PowerPhrase, STOP};
use crate::dialect::kit::reply::{EventReplies, Part, Replies};
use crate::dialect::kit::reply_form::{Ended, ReplyForm};

pub(super) static REPLIES: Replies =
    Replies { hears_stderr: false, ..Replies::new("Gemini CLI", TOOLS, EVENTS) };

const DENY: PowerPhrase =
    (Deny, &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)]);
/// Gemini CLI shows the reason of a denial in place of the tool's output.
const OUTPUT: PowerPhrase =
    (Output, &[(&["decision"], Part::Word("deny")), (&["reason"], Part::GivenText)]);
const CHANGE: PowerPhrase = (Input, &[NAMED, (&["hookSpecificOutput", "tool_input"], Part::Given)]);
const STOP_TOOL: PowerPhrase = (
    Stop,
    &[
        (&["continue"], Part::Flag(false)),
        (&["stopReason"], Part::Reason),
        (&["decision"], Part::Word("deny")),
        (&["reason"], Part::Reason),
    ],
);

const fn new_event_replies(event: &'static str, can: &'static [PowerPhrase]) -> EventReplies {
    EventReplies {
        can,
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::empty(event)
    }
}

/// Replies by event. No reply asks the user: Gemini CLI asks only in a terminal, and hangs without
/// one.
const EVENTS: &[EventReplies] = &[
    new_event_replies("SessionStart", &[CONTEXT, MESSAGE]),
    new_event_replies("SessionEnd", &[MESSAGE]),
    new_event_replies("BeforeAgent", &[DENY, STOP, CONTEXT, MESSAGE]),
    new_event_replies("AfterAgent", &[DENY, STOP, MESSAGE]),
    new_event_replies("BeforeModel", &[DENY, STOP, MESSAGE]),
    new_event_replies("AfterModel", &[STOP, MESSAGE]),
    new_event_replies("BeforeTool", &[DENY, STOP_TOOL, CHANGE, MESSAGE]),
    new_event_replies("AfterTool", &[DENY, STOP, OUTPUT, CONTEXT, MESSAGE]),
    new_event_replies("PreCompress", &[MESSAGE]),
    new_event_replies("Notification", &[MESSAGE]),
];

/// How Gemini CLI reads the answers of its hooks.
pub(super) static FORM: ReplyForm = ReplyForm {
    more: &[
        (
            "BeforeTool",
            &[(Ask, &[(&["decision"], Part::Word("ask")), (&["reason"], Part::Reason)]), STOP],
        ),
        ("AfterModel", &[DENY]),
    ],
    same: &[("block", "deny")],
    carried: &[
        "suppressOutput",
        "decision",
        "reason",
        "hookEventName",
        "llm_request",
        "llm_response",
        "toolConfig",
        "tailToolCallRequest",
        "clearContext",
    ],
    part: |stdout, stderr| match stdout.trim_ascii() {
        [] => Cow::Borrowed(stderr.as_bytes()).into_owned().into(),
        _ => stdout.into(),
    },
    ended: read_plain_output,
    denial: Protocol { halt: Halt::Stops, any_exit: true, tells: true, ..Protocol::PLAIN },
    ..ReplyForm::new(&WORDS, &REPLIES)
};

/// Reads output without an answer: text is shown to the user, and an exit code other than 0 and 1
/// denies.
fn read_plain_output(output: &Ended<'_>) -> Answer {
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let shown = || match text {
        "" => Effects::default(),
        text => Effects::default().message(text),
    };
    match output.code {
        0 => Answer::default().with(shown()),
        1 => output.failed_answer().with(shown()),
        _ if output.can_be_denied() && !text.is_empty() => denial_answer(output, text),
        _ => output.failed_answer(),
    }
}

/// Returns a denial. After a tool call, the reason also replaces the tool's output (GM-43).
fn denial_answer(output: &Ended<'_>, text: &str) -> Answer {
    let effects = match output.row.powers.has(Output) {
        true => Effects::default().updated_output(text),
        false => Effects::default(),
    };
    Answer::deny(text).with(effects)
}
