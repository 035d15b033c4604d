//! The dialect of OpenCode 1.18 (BR-27) and of agents with its plugins, which load modules instead of
//! running hook commands. The plugin of Tenterhook sends OpenCode's names of tools and arguments.

use crate::answer::Power::{self, Context, Deny, Env, Input, Message, Output, Prompt};
use crate::dialect::kit::call::{Keys, NEUTRAL_SERVER_TOOL, Vocabulary, event_row};
use crate::dialect::kit::plugin::{ARGS, CONTEXT, DENY, ENV, MESSAGE, OUTPUT, PROMPT, Plugin};
use crate::dialect::kit::reply::{EventReplies, Phrase, Replies};
pub(crate) use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventRow, Subject};

pub(crate) static OPENCODE: Dialect = Plugin {
    id: DialectId::OPENCODE,
    rows: || ROWS,
    decode_event: |json, roots| WORDS.decode_event(json, roots),
    encode_event: |event| WORDS.encode_event(event),
    replies: &REPLIES,
}
.into_dialect();

static WORDS: Vocabulary = new_vocabulary("OpenCode");
static REPLIES: Replies = new_replies("OpenCode");

/// Returns the vocabulary of an agent with OpenCode's plugins.
pub(in crate::agents) const fn new_vocabulary(agent: &'static str) -> Vocabulary {
    Vocabulary {
        agent,
        name: "hook_event_name",
        keys: KEYS,
        tools: TOOLS,
        server_tool: NEUTRAL_SERVER_TOOL,
        rows: || ROWS,
    }
}

/// Returns the replies to an agent with OpenCode's plugins.
pub(in crate::agents) const fn new_replies(agent: &'static str) -> Replies {
    Replies::new(agent, TOOLS, EVENTS)
}

#[rustfmt::skip]
pub(in crate::agents) static ROWS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::None, &[], ""),
    event_row("UserPromptSubmit", "UserPromptSubmit", Subject::None, &[Deny], ""),
    event_row("PreToolUse", "PreToolUse", Subject::None, &[Deny], ""),
    event_row("PostToolUse", "PostToolUse", Subject::None, &[Deny], ""),
    event_row("shell_env", "ShellEnv", Subject::None, &[], ""),
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
        &[(Deny, DENY), (Prompt, PROMPT), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    new_event_replies("PreToolUse", &[(Deny, DENY), (Input, ARGS), (Message, MESSAGE)]),
    new_event_replies(
        "PostToolUse",
        &[(Deny, DENY), (Output, OUTPUT), (Context, CONTEXT), (Message, MESSAGE)],
    ),
    new_event_replies("shell_env", &[(Env, ENV)]),
    new_event_replies("session.idle", &[(Message, MESSAGE)]),
];
