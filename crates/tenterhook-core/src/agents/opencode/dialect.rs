//! OpenCode 1.18 (BR-27): it has plugins and no commands. Ours sends `{"agent": "opencode", "hook_event_name", "session_id",
//! "cwd", "tool_name", "tool_input", "tool_use_id", "prompt", ...}` with OpenCode's own names of tools and arguments, and does
//! what the reply says: throw, change the arguments in place, add a text.

use crate::answer::Power::{self, Context, Deny, Env, Input, Message, Output, Prompt};
use crate::answer::{Answer, Powers};
use crate::dialect::kit::call::{self, Keys, Vocabulary, row};
use crate::dialect::kit::reply::{Part, Phrase, Replies, EventReplies};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect};
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow, Fit, Subject};
pub(crate) use crate::source::ReadConfig;

/// The dialect. There are no files of it to read, and no hook speaks it: what the plugin is told is all there is.
pub(crate) static OPENCODE: Dialect = Dialect {
    calls: Calls { replies: Some(&REPLIES), ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::OPENCODE,
        rows: || ROWS,
        unknown_row: |event| EventRow::unknown(event, Powers::NONE, call::TIMEOUT),
        recognizes: |_, _| Fit::No,
        places: |_| Vec::new(),
        read_config: |_| ReadConfig::default(),
        decode_event: |json, roots| WORDS.decode(json, roots),
        encode_event: |event| WORDS.encode(event),
        read_answer: |_, _, _| Answer::default(),
    })
};

static WORDS: Vocabulary =
    Vocabulary { agent: "OpenCode", name: "hook_event_name", keys: KEYS, tools: TOOLS, rows: || ROWS };

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", Subject::None, &[], ""),
    row("UserPromptSubmit", "UserPromptSubmit", Subject::None, &[Deny], ""),
    row("PreToolUse", "PreToolUse", Subject::None, &[Deny], ""),
    row("PostToolUse", "PostToolUse", Subject::None, &[Deny], ""),
    row("shell_env", "shell_env", Subject::None, &[], ""),
    // It tells of the end of a turn, and goes on whatever is said.
    row("session.idle", "Stop", Subject::None, &[], ""),
];

const KEYS: Keys = &[
    ("sessionID", "session_id"),
    ("directory", "cwd"),
    ("tool", "tool_name"),
    ("args", "tool_input"),
    ("callID", "tool_use_id"),
    ("agent", ""),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read"], neutral: "Read", keys: &[("filePath", "file_path")] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[("filePath", "file_path")] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string"), ("replaceAll", "replace_all")] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[("include", "glob")] },
    ToolWords { own: &["webfetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["task"], neutral: "Agent", keys: &[] },
];

static REPLIES: Replies =
    Replies { agent: "OpenCode", lead: "", hears_stderr: true, tools: TOOLS, events: EVENTS };

const DENY: Phrase = &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)];
const CONTEXT: Phrase = &[(&["context"], Part::Given)];
const MESSAGE: Phrase = &[(&["message"], Part::Given)];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> EventReplies {
    EventReplies { can, input: |event, input| Ok(WORDS.own_input(event, input)), ..EventReplies::empty(event) }
}

const EVENTS: &[EventReplies] = &[
    say("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    say(
        "UserPromptSubmit",
        &[
            (Deny, DENY),
            (Prompt, &[(&["prompt"], Part::Given)]),
            (Context, CONTEXT),
            (Message, MESSAGE),
        ],
    ),
    say("PreToolUse", &[(Deny, DENY), (Input, &[(&["args"], Part::Given)]), (Message, MESSAGE)]),
    say(
        "PostToolUse",
        &[
            (Deny, DENY),
            (Output, &[(&["output"], Part::GivenText)]),
            (Context, CONTEXT),
            (Message, MESSAGE),
        ],
    ),
    say("shell_env", &[(Env, &[(&["env"], Part::Given)])]),
    say("session.idle", &[(Message, MESSAGE)]),
];
