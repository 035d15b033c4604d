//! What Qwen Code can be told on each of its events, and what it hears (BR-24, QW-40 to QW-45): Claude Code's form, of which a changed
//! call and context before a tool had no effect, and nothing after one but context. Data, but for exit codes.

use super::words::{TOOLS, WORDS};
use crate::answer::Answer;
use crate::answer::Power::{self, Allow, Ask, Context, Deny, Message, Stop};
use crate::dialect::kit::denial::{Halt, Protocol};
use crate::dialect::kit::heard::{Ended, Hears, all};
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};

pub(super) static REPLIES: Replies =
    Replies { agent: "Qwen Code", lead: "", hears_stderr: true, tools: TOOLS, events: EVENTS };

const OUT: &str = "hookSpecificOutput";
const NAMED: (&[&str], Part) = (&[OUT, "hookEventName"], Part::Event);
const BLOCK: Phrase = &[(&["decision"], Part::Word("block")), (&["reason"], Part::Reason)];
const STOP: Phrase = &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)];
const CONTEXT: Phrase = &[NAMED, (&[OUT, "additionalContext"], Part::Given)];
const MESSAGE: Phrase = &[(&["systemMessage"], Part::Given)];

macro_rules! permission {
    ($word:literal) => {
        &[
            NAMED,
            (&[OUT, "permissionDecision"], Part::Word($word)),
            (&[OUT, "permissionDecisionReason"], Part::Reason),
        ]
    };
}

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, ..Say::of(event) }
}

const EVENTS: &[Say] = &[
    say("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    say("UserPromptSubmit", &[(Deny, BLOCK), (Stop, STOP), (Context, CONTEXT), (Message, MESSAGE)]),
    say(
        "PreToolUse",
        &[
            (Deny, permission!("deny")),
            (Ask, permission!("ask")),
            (Allow, permission!("allow")),
            (Message, MESSAGE),
        ],
    ),
    say(
        "PermissionRequest",
        &[
            (
                Deny,
                &[
                    NAMED,
                    (&[OUT, "decision", "behavior"], Part::Word("deny")),
                    (&[OUT, "decision", "message"], Part::Reason),
                ],
            ),
            // Silence: the user is about to be asked.
            (Ask, &[]),
            (Allow, &[NAMED, (&[OUT, "decision", "behavior"], Part::Word("allow"))]),
        ],
    ),
    say("PostToolUse", &[(Context, CONTEXT), (Message, MESSAGE)]),
    say("PostToolUseFailure", &[(Context, CONTEXT), (Message, MESSAGE)]),
    say("Stop", &[(Deny, BLOCK), (Stop, STOP), (Message, MESSAGE)]),
    say("SubagentStop", &[(Deny, BLOCK), (Message, MESSAGE)]),
];

/// What it takes of its hooks beside.
pub(super) static HEARS: Hears = Hears {
    words: &WORDS,
    replies: &REPLIES,
    more: &[
        // Before a tool, the end of everything is a denial.
        (
            "PreToolUse",
            &[
                (Deny, BLOCK),
                (Deny, &[(&["continue"], Part::Flag(false)), (&["stopReason"], Part::Reason)]),
            ],
        ),
        ("SubagentStop", &[(Stop, STOP)]),
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
    part: all,
    input: |words, event, input| words.neutral_input(event, input),
    ended,
    denial: Protocol { halt: Halt::Denies, any_exit: true, tells: true, ..Protocol::PLAIN },
};

/// Text is context where the model is about to read anew; exit code 2 denies with its words.
fn ended(it: &Ended<'_>) -> Answer {
    let reads = matches!(&*it.row.event, "UserPromptSubmit" | "SessionStart");
    match (it.code, it.stdout) {
        (0, text) if reads && !text.is_empty() => Answer::context(text),
        _ => it.two_with_words(),
    }
}
