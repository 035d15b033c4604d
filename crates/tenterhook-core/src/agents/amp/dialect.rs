//! The dialect of Amp 0.0.1790142911, whose plugin API is written in its program: it loads plugins
//! instead of running hook commands. The plugin of Tenterhook sends Amp's names of tools and
//! arguments.
//!
//! Implements `docs/spec/dialect-amp.md` (AM-). Amp was not run against a model here.

use crate::answer::Power::{Context, Deny, Input, Message, Output};
use crate::dialect::kit::call::{Keys, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::plugin::{ARGS, CONTEXT, DENY, MESSAGE, OUTPUT, Plugin};
use crate::dialect::kit::reply::{EventReplies, Replies};
pub(crate) use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow, Subject};

pub(crate) static AMP: Dialect = Plugin {
    id: DialectId::AMP,
    rows: || ROWS,
    decode_event: |json, roots| WORDS.decode_event(json, roots),
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary =
    Vocabulary { agent: "Amp", name: "hook_event_name", keys: KEYS, tools: TOOLS, rows: || ROWS };

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::None, &[], ""),
    event_row("UserPromptSubmit", "UserPromptSubmit", Subject::None, &[Deny], ""),
    event_row("PreToolUse", "PreToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUse", "PostToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUseFailure", "PostToolUseFailure", Subject::None, &[Deny], ""),
    end_of_turn_row("Stop", "Stop", Subject::None, ""),
];

const KEYS: Keys = &[("agent", "")];
const PATH: (&str, &str) = ("path", "file_path");

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["shell_command", "Bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["Read", "read_file"], neutral: "Read", keys: &[PATH] },
    ToolWords { own: &["create_file"], neutral: "Write", keys: &[PATH] },
    ToolWords { own: &["edit_file"], neutral: "Edit", keys: &[PATH, ("old_str", "old_string"), ("new_str", "new_string")] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["Grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["read_web_page"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
];

static REPLIES: Replies = Replies::new("Amp", TOOLS, EVENTS);

const EVENTS: &[EventReplies] = &[
    EventReplies::with_phrases("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    EventReplies::with_phrases(
        "UserPromptSubmit",
        &[(Deny, DENY), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    EventReplies {
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::with_phrases(
            "PreToolUse",
            &[(Deny, DENY), (Input, ARGS), (Message, MESSAGE)],
        )
    },
    EventReplies::with_phrases(
        "PostToolUse",
        &[(Deny, DENY), (Output, OUTPUT), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    EventReplies::with_phrases(
        "PostToolUseFailure",
        &[(Deny, DENY), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    EventReplies::with_phrases("Stop", &[(Deny, DENY), (Message, MESSAGE)]),
];
