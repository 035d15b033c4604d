//! Qwen Code 0.24.4 (BR-24): Claude Code's form, of which a changed call and context before a tool had no effect, and nothing
//! after one but context.

use serde_json::{Map, Value};

use super::{Caller, caller, decode, end, named, row};
use crate::answer::Power::{self, Allow, Ask, Context, Deny, Message, Stop};
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventFault, EventRow, Roots};
use crate::event::Event;

pub(super) static QWEN: Dialect = Dialect {
    // It says so on the first stop, too.
    says_stopped_before: false,
    // After the results of tools it sends an empty prompt, which nobody typed.
    is_noise: |event| event.name.as_str() == "UserPromptSubmit" && event.text("prompt") == Some(""),
    ..caller(Caller { id: DialectId::QWEN, rows: || ROWS, decode: read, replies: &REPLIES })
};

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", &[]),
    row("SessionEnd", "SessionEnd", &[]),
    row("UserPromptSubmit", "UserPromptSubmit", &[Deny]),
    row("PreToolUse", "PreToolUse", &[Deny, Ask]),
    row("PermissionRequest", "PermissionRequest", &[Deny]),
    row("PostToolUse", "PostToolUse", &[]),
    row("PostToolUseFailure", "PostToolUseFailure", &[]),
    row("PostToolBatch", "PostToolBatch", &[]),
    end("Stop", "Stop"),
    row("SubagentStart", "SubagentStart", &[]),
    end("SubagentStop", "SubagentStop"),
    row("PreCompact", "PreCompact", &[]),
    row("PostCompact", "PostCompact", &[]),
    row("Notification", "Notification", &[]),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_shell_command"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[] },
    ToolWords { own: &["write_file"], neutral: "Write", keys: &[] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["notebook_edit"], neutral: "NotebookEdit", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep_search"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
];

fn read(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    decode(named(json, "hook_event_name", "Qwen Code")?, json, &[], TOOLS, ROWS, roots)
}

static REPLIES: Replies =
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
