//! The dialect of OpenCode 1.18 (BR-27), which has plugins instead of hook commands. The plugin of
//! Tenterhook sends `{"agent": "opencode", "hook_event_name", "session_id", "cwd", "tool_name",
//! "tool_input", "tool_use_id", "prompt", ...}` with OpenCode's names of tools and arguments, and
//! applies the reply: it throws, changes the arguments in place, or adds a text.

use crate::answer::Power::{self, Context, Deny, Env, Input, Message, Output, Prompt};
use crate::answer::{Answer, Powers};
use crate::dialect::kit::call::{self, Keys, Vocabulary, event_row};
use crate::dialect::kit::reply::{EventReplies, Part, Phrase, Replies};
pub(crate) use crate::dialect::parts::{Calls, Core, Dialect};
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow, Fit, Subject};
pub(crate) use crate::source::ReadConfig;

/// The dialect. It has no config files and no hooks; it only translates the events and replies of
/// the plugin.
pub(crate) static OPENCODE: Dialect = Dialect {
    calls: Calls { replies: Some(&REPLIES), ..Calls::DEFAULT },
    ..Dialect::new(Core {
        id: DialectId::OPENCODE,
        rows: || ROWS,
        unknown_row: |event| EventRow::new_row_of_unknown_event(event, Powers::NONE, call::TIMEOUT),
        recognizes: |_, _| Fit::No,
        places: |_| Vec::new(),
        read_config: |_| ReadConfig::default(),
        decode_event: |json, roots| WORDS.decode_event(json, roots),
        encode_event: |event| WORDS.encode_event(event),
        read_answer: |_, _, _| Answer::default(),
    })
};

static WORDS: Vocabulary = Vocabulary {
    agent: "OpenCode",
    name: "hook_event_name",
    keys: KEYS,
    tools: TOOLS,
    rows: || ROWS,
};

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::None, &[], ""),
    event_row("UserPromptSubmit", "UserPromptSubmit", Subject::None, &[Deny], ""),
    event_row("PreToolUse", "PreToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUse", "PostToolUse", Subject::None, &[Deny], ""),
    event_row("shell_env", "shell_env", Subject::None, &[], ""),
    // OpenCode reports the end of a turn and ignores the reply.
    event_row("session.idle", "Stop", Subject::None, &[], ""),
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

const fn new_event_replies(event: &'static str, can: &'static [(Power, Phrase)]) -> EventReplies {
    EventReplies {
        can,
        input: |event, input| Ok(WORDS.to_agent_input(event, input)),
        ..EventReplies::empty(event)
    }
}

const EVENTS: &[EventReplies] = &[
    new_event_replies("SessionStart", &[(Context, CONTEXT), (Message, MESSAGE)]),
    new_event_replies(
        "UserPromptSubmit",
        &[
            (Deny, DENY),
            (Prompt, &[(&["prompt"], Part::Given)]),
            (Context, CONTEXT),
            (Message, MESSAGE),
        ],
    ),
    new_event_replies(
        "PreToolUse",
        &[(Deny, DENY), (Input, &[(&["args"], Part::Given)]), (Message, MESSAGE)],
    ),
    new_event_replies(
        "PostToolUse",
        &[
            (Deny, DENY),
            (Output, &[(&["output"], Part::GivenText)]),
            (Context, CONTEXT),
            (Message, MESSAGE),
        ],
    ),
    new_event_replies("shell_env", &[(Env, &[(&["env"], Part::Given)])]),
    new_event_replies("session.idle", &[(Message, MESSAGE)]),
];
