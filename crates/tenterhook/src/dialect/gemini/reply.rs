//! What Gemini CLI can be told on each of its events, and what it hears (BR-23, GM-40 to GM-46). Data, but for exit codes. What it
//! reads on standard output it looks for on standard error, too, where there is nothing: it hears no warnings there.

use std::borrow::Cow;

use super::words::{TOOLS, WORDS};
use crate::answer::Power::{self, Ask, Context, Deny, Input, Message, Output, Stop};
use crate::answer::{Answer, Effects};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::heard::{Ended, Hears};
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};

pub(super) static REPLIES: Replies =
    Replies { agent: "Gemini CLI", lead: "", hears_stderr: false, tools: TOOLS, events: EVENTS };

const OUT: &str = "hookSpecificOutput";
const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);
const DENY: Phrase = &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)];
const STOP: Phrase = &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)];
const CONTEXT: Phrase = &[NAMED, (&[OUT, "additionalContext"], Part::Given)];
const MESSAGE: Phrase = &[(&["systemMessage"], Part::Given)];
/// The reason of a denial stands in for the output.
const OUTPUT: Phrase = &[(&["decision"], Part::Word("deny")), (&["reason"], Part::GivenText)];
const STOP_TOOL: Phrase = &[
    (&["continue"], Part::Flag(false)),
    (&["stopReason"], Part::Reason),
    (&["decision"], Part::Word("deny")),
    (&["reason"], Part::Reason),
];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, input: |event, input| Ok(WORDS.own_input(event, input)), ..Say::of(event) }
}

/// It asks in a terminal alone; without one it hangs: no question is put.
const EVENTS: &[Say] = &[
    say("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    say("SessionEnd", &[(Message, MESSAGE)]),
    say("BeforeAgent", &[(Deny, DENY), (Stop, STOP), (Context, CONTEXT), (Message, MESSAGE)]),
    say("AfterAgent", &[(Deny, DENY), (Stop, STOP), (Message, MESSAGE)]),
    say("BeforeModel", &[(Deny, DENY), (Stop, STOP), (Message, MESSAGE)]),
    say("AfterModel", &[(Stop, STOP), (Message, MESSAGE)]),
    say(
        "BeforeTool",
        &[
            (Deny, DENY),
            (Stop, STOP_TOOL),
            (Input, &[NAMED, (&[OUT, "tool_input"], Part::Given)]),
            (Message, MESSAGE),
        ],
    ),
    say(
        "AfterTool",
        &[(Deny, DENY), (Stop, STOP), (Output, OUTPUT), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    say("PreCompress", &[(Message, MESSAGE)]),
    say("Notification", &[(Message, MESSAGE)]),
];

/// What it takes of its hooks beside.
pub(super) static HEARS: Hears = Hears {
    words: &WORDS,
    replies: &REPLIES,
    more: &[
        (
            "BeforeTool",
            &[
                (Ask, &[(&["decision"], Part::Word("ask")), (&["reason"], Part::Reason)]),
                (Stop, STOP),
            ],
        ),
        ("AfterModel", &[(Deny, DENY)]),
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
    ended,
    denial: Protocol { halt: Halt::Stops, any_exit: true, tells: true, ..Protocol::PLAIN },
};

/// Text is shown to the user; with another exit code than 0 and 1 it denies.
fn ended(it: &Ended<'_>) -> Answer {
    let text = if it.stdout.is_empty() { it.stderr } else { it.stdout };
    let shown = || match text {
        "" => Effects::default(),
        text => Effects::default().message(text),
    };
    match it.code {
        0 => Answer::default().with(shown()),
        1 => it.failed().with(shown()),
        _ if it.denies() && !text.is_empty() => Answer::deny(text),
        _ => it.failed(),
    }
}
