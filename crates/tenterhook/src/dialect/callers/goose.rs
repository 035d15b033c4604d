//! Goose 1.52 (BR-25): it can be told to block a call and to go on with a turn, and nothing else.

use serde_json::{Map, Value};

use super::{Caller, caller, decode, end, named, row};
use crate::answer::Power::Deny;
use crate::dialect::kit::reply::{Part, Phrase, Replies, Say};
use crate::dialect::parts::Dialect;
use crate::dialect::tools::ToolWords;
use crate::dialect::{DialectId, EventFault, EventRow, Roots};
use crate::event::Event;

pub(super) static GOOSE: Dialect = Dialect {
    says_stopped_before: false,
    ..caller(Caller { id: DialectId::GOOSE, rows: || ROWS, decode: read, replies: &REPLIES })
};

#[rustfmt::skip]
static ROWS: &[EventRow] = &[
    row("SessionStart", "SessionStart", &[]),
    row("SessionEnd", "SessionEnd", &[]),
    row("UserPromptSubmit", "UserPromptSubmit", &[]),
    row("PreToolUse", "PreToolUse", &[Deny]),
    row("PostToolUse", "PostToolUse", &[]),
    row("PostToolUseFailure", "PostToolUseFailure", &[]),
    end("Stop", "Stop"),
];

const KEYS: super::Keys = &[
    ("working_dir", "cwd"),
    ("message", "prompt"),
    ("tool_call_id", "tool_use_id"),
    ("event", ""),
    ("matcher_context", ""),
];

#[rustfmt::skip]
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["shell", "developer__shell"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[("path", "file_path")] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[("path", "file_path"), ("before", "old_string"), ("after", "new_string")] },
    ToolWords { own: &["read_image"], neutral: "Read", keys: &[("path", "file_path")] },
    ToolWords { own: &["delegate"], neutral: "Task", keys: &[] },
];

fn read(json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
    let mut event = decode(named(json, "event", "Goose")?, json, KEYS, TOOLS, ROWS, roots)?;
    // A tool of an MCP server is `server__tool` there.
    if let Some(name) = event.text("tool_name").filter(|it| it.contains("__")) {
        let name = format!("mcp__{name}");
        event.payload.insert("tool_name".to_owned(), name.into());
    }
    Ok(event)
}

static REPLIES: Replies =
    Replies { agent: "Goose", lead: "", hears_stderr: true, tools: TOOLS, events: EVENTS };

const BLOCK: Phrase = &[(&["decision"], Part::Word("block")), (&["reason"], Part::Reason)];

const EVENTS: &[Say] = &[
    Say { can: &[(Deny, BLOCK)], ..Say::of("PreToolUse") },
    Say { can: &[(Deny, BLOCK)], ..Say::of("Stop") },
];
