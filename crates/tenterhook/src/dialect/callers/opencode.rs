//! OpenCode 1.18 (BR-27): it has plugins and no commands. Ours sends `{"agent": "opencode", "hook_event_name", "session_id",
//! "cwd", "tool_name", "tool_input", "tool_use_id", "prompt", ...}` with OpenCode's own names of tools and arguments, and does
//! what the reply says: throw, change the arguments in place, add a text.

use serde_json::{Map, Value};

use super::{Caller, caller, decode, named, own_input, row};
use crate::answer::Power::{self, Context, Deny, Env, Input, Message, Output, Prompt};
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventFault, EventRow, Roots};
use crate::event::Event;

pub(super) static OPENCODE: Dialect =
    caller(Caller { id: DialectId::OPENCODE, rows: || ROWS, decode: read, replies: &REPLIES });

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", &[]),
    row("UserPromptSubmit", "UserPromptSubmit", &[Deny]),
    row("PreToolUse", "PreToolUse", &[Deny]),
    row("PostToolUse", "PostToolUse", &[Deny]),
    row("shell_env", "shell_env", &[]),
    // It tells of the end of a turn, and goes on whatever is said.
    row("session.idle", "Stop", &[]),
];

const KEYS: super::Keys = &[
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
    ToolWords { own: &["task"], neutral: "Task", keys: &[] },
];

fn read(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    decode(named(json, "hook_event_name", "OpenCode")?, json, KEYS, TOOLS, ROWS, roots)
}

static REPLIES: Replies =
    Replies { agent: "OpenCode", lead: "", hears_stderr: true, tools: TOOLS, events: EVENTS };

const DENY: Phrase = &[(&["decision"], Part::Word("deny")), (&["reason"], Part::Reason)];
const CONTEXT: Phrase = &[(&["context"], Part::Given)];
const MESSAGE: Phrase = &[(&["message"], Part::Given)];

const fn say(event: &'static str, can: &'static [(Power, Phrase)]) -> Say {
    Say { can, input: |event, input| Ok(own_input(TOOLS, event, input)), ..Say::of(event) }
}

const EVENTS: &[Say] = &[
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
