//! Gemini CLI 0.61 (BR-23). What it reads on standard output it looks for on standard error, too, where there is nothing: it
//! hears no warnings there.

use super::{Caller, caller, decode, end, named, own_input, row};
use crate::answer::Failure;
use crate::answer::Power::{self, Context, Deny, Input, Message, Output, Stop};
use crate::diagnostic::Code;
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow};
use crate::hook::OnFailure;

pub(super) static GEMINI: Dialect = Dialect { without_answer, ..CALLER };

const CALLER: Dialect = caller(Caller {
    id: DialectId::GEMINI,
    rows: || ROWS,
    decode: |json, roots| {
        decode(named(json, "hook_event_name", "Gemini CLI")?, json, KEYS, TOOLS, ROWS, roots)
    },
    replies: &REPLIES,
});

/// Whatever exits with another code than 0 and 1, and says something, blocks there.
fn without_answer(event: &str, failure: &Failure) -> OnFailure {
    let one = "it exited with code 1";
    let is_one = failure.message == one || failure.message.starts_with(&format!("{one}:"));
    let blocks =
        matches!(event, "PreToolUse" | "UserPromptSubmit") && failure.code == Code::ExitCode;
    if blocks && !is_one { OnFailure::Block } else { OnFailure::Continue }
}

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", &[]),
    row("SessionEnd", "SessionEnd", &[]),
    row("BeforeAgent", "UserPromptSubmit", &[Deny]),
    end("AfterAgent", "Stop"),
    row("BeforeModel", "PreModelCall", &[Deny]),
    row("AfterModel", "PostModelCall", &[]),
    row("BeforeToolSelection", "BeforeToolSelection", &[]),
    row("BeforeTool", "PreToolUse", &[Deny]),
    row("AfterTool", "PostToolUse", &[Deny]),
    row("PreCompress", "PreCompact", &[]),
    row("Notification", "Notification", &[]),
];

const KEYS: super::Keys = &[("prompt_response", "last_assistant_message")];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_shell_command"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["write_file"], neutral: "Write", keys: &[] },
    ToolWords { own: &["replace"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[("dir_path", "path")] },
    ToolWords { own: &["grep_search", "search_file_content"], neutral: "Grep", keys: &[("dir_path", "path")] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["google_web_search"], neutral: "WebSearch", keys: &[] },
];

static REPLIES: Replies =
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
    Say { can, input: |event, input| Ok(own_input(TOOLS, event, input)), ..Say::of(event) }
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
