//! What Gemini CLI can be told on each of its events, and what it hears (BR-23, GM-40 to GM-46). Data, but for exit codes. What it
//! reads on standard output it looks for on standard error, too, where there is nothing: it hears no warnings there.

use std::borrow::Cow;

use super::vocabulary::{TOOLS, WORDS};
use crate::answer::Power::{Ask, Deny, Input, Output, Stop};
use crate::answer::{Answer, Effects};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::reply_form::{Ended, ReplyForm, always};
use crate::dialect::kit::reply::phrases::{CONTEXT, MESSAGE, NAMED, STOP, PowerPhrase};
use crate::dialect::kit::reply::{Part, Replies, EventReplies};

pub(super) static REPLIES: Replies =
    Replies { agent: "Gemini CLI", lead: "", hears_stderr: false, tools: TOOLS, events: EVENTS };

const DENY: PowerPhrase = (Deny, &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)]);
/// The reason of a denial stands in for the output.
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

const fn say(event: &'static str, can: &'static [PowerPhrase]) -> EventReplies {
    EventReplies { can, input: |event, input| Ok(WORDS.own_input(event, input)), ..EventReplies::empty(event) }
}

/// It asks in a terminal alone; without one it hangs: no question is put.
const EVENTS: &[EventReplies] = &[
    say("SessionStart", &[CONTEXT, MESSAGE]),
    say("SessionEnd", &[MESSAGE]),
    say("BeforeAgent", &[DENY, STOP, CONTEXT, MESSAGE]),
    say("AfterAgent", &[DENY, STOP, MESSAGE]),
    say("BeforeModel", &[DENY, STOP, MESSAGE]),
    say("AfterModel", &[STOP, MESSAGE]),
    say("BeforeTool", &[DENY, STOP_TOOL, CHANGE, MESSAGE]),
    say("AfterTool", &[DENY, STOP, OUTPUT, CONTEXT, MESSAGE]),
    say("PreCompress", &[MESSAGE]),
    say("Notification", &[MESSAGE]),
];

/// What it takes of its hooks beside.
pub(super) static FORM: ReplyForm = ReplyForm {
    words: &WORDS,
    replies: &REPLIES,
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
    input: |words, event, input| words.neutral_input(event, input),
    counts: always,
    ended,
    denial: Protocol { halt: Halt::Stops, any_exit: true, tells: true, ..Protocol::PLAIN },
};

/// Text is shown to the user; with another exit code than 0 and 1 it denies.
fn ended(output: &Ended<'_>) -> Answer {
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let shown = || match text {
        "" => Effects::default(),
        text => Effects::default().message(text),
    };
    match output.code {
        0 => Answer::default().with(shown()),
        1 => output.failed().with(shown()),
        _ if output.denies() && !text.is_empty() => denied(output, text),
        _ => output.failed(),
    }
}

/// After a tool, the reason stands in for the output (GM-43).
fn denied(output: &Ended<'_>, text: &str) -> Answer {
    let effects = match output.row.powers.has(Output) {
        true => Effects::default().updated_output(text),
        false => Effects::default(),
    };
    Answer::deny(text).with(effects)
}
