//! The vocabulary of Crush: its events, payload fields and tools (CR-20). Tables only.

use std::sync::LazyLock;

use super::reply::FORM;
use crate::dialect::kit::call::{Vocabulary, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventRow, Subject};

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Crush",
    name: "event",
    keys: &[],
    tools: TOOLS,
    server_tool: "mcp_SERVER_TOOL",
    rows: || &ROWS,
};

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_powers(&FORM, EVENTS));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PreCompact", "PreCompact", NONE, &[], "the conversation is about to be compacted"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PostToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed"),
    event_row("PermissionRequest", "PermissionRequest", TOOL, &[], "the user is about to be asked for permission"),
    event_row("PermissionResult", "PermissionResult", TOOL, &[], "the user answered"),
    event_row("SessionStart", "SessionStart", NONE, &[], "a session starts"),
    event_row("SessionEnd", "SessionEnd", NONE, &[], "a session ends"),
    event_row("TurnStart", "TurnStart", NONE, &[], "a turn starts"),
    event_row("TurnEnd", "TurnEnd", NONE, &[], "a turn ended"),
    event_row("StopFailure", "StopFailure", NONE, &[], "a turn failed"),
    event_row("Interrupt", "Interrupt", NONE, &[], "the user interrupted a turn"),
    event_row("PostCompact", "PostCompact", NONE, &[], "the conversation was compacted"),
];

#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["bash"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["view"], neutral: "Read", keys: &[] },
    ToolWords { own: &["write"], neutral: "Write", keys: &[] },
    ToolWords { own: &["edit"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["multiedit"], neutral: "MultiEdit", keys: &[] },
    ToolWords { own: &["ls"], neutral: "LS", keys: &[] },
    ToolWords { own: &["glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["agentic_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_fetch"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["agent"], neutral: "Agent", keys: &[] },
];
