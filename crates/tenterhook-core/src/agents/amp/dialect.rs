//! The dialect of Amp 0.0.1790142911, whose plugin API is written in its program: it loads plugins
//! instead of running hook commands. The plugin of Tenterhook sends Amp's names of tools and
//! arguments.
//!
//! Implements `docs/spec/dialect-amp.md` (AM-). Amp was not run against a model here.

use crate::answer::Power::{Context, Deny, Input, Message};
use crate::dialect::DialectId;
use crate::dialect::kit::call::{NEUTRAL_SERVER_TOOL, Vocabulary};
use crate::dialect::kit::plugin::{
    ARGS, CONTEXT, DENY, MESSAGE, Plugin, RESULT, ROWS, new_vocabulary,
};
use crate::dialect::kit::reply::{EventReplies, Replies};
pub(crate) use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;

pub(crate) static AMP: Dialect = Plugin {
    id: DialectId::AMP,
    rows: || ROWS,
    decode_event: |json, roots| WORDS.decode_event(json, roots),
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary = new_vocabulary("Amp", TOOLS, NEUTRAL_SERVER_TOOL);

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
    EventReplies::with_phrases("PostToolUse", RESULT),
    EventReplies::with_phrases("PostToolUseFailure", RESULT),
    EventReplies::with_phrases("Stop", &[(Deny, DENY), (Message, MESSAGE)]),
];
