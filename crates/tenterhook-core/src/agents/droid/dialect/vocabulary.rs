//! The names of Droid: its events and its tools (DR-20, DR-30). Tables only.

use std::sync::LazyLock;
use std::time::Duration;

use super::reply::FORM;
use crate::dialect::kit::call::{Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventRow, Subject};

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Droid",
    name: "hook_event_name",
    keys: &[],
    tools: TOOLS,
    server_tool: "SERVER___TOOL",
    rows: || &ROWS,
};

/// The default timeout of a hook.
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);
const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::Field("source"), &[], "a session starts or resumes"),
    event_row("SessionEnd", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
    event_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
    end_of_turn_row("SubagentStop", "SubagentStop", NONE, "a subagent is about to finish"),
    event_row("PreCompact", "PreCompact", Subject::Field("trigger"), &[], "the conversation is about to be compacted"),
    event_row("Notification", "Notification", NONE, &[], "the user is shown a notification"),
];

/// The tools, as in the schemas of `@factory/cli-linux-x64` 0.225.2.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["Execute"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["Read"], neutral: "Read", keys: &[] },
    ToolWords { own: &["Create"], neutral: "Write", keys: &[] },
    ToolWords { own: &["Edit"], neutral: "Edit", keys: &[("old_str", "old_string"), ("new_str", "new_string"), ("change_all", "replace_all")] },
    ToolWords { own: &["MultiEdit"], neutral: "MultiEdit", keys: &[] },
    ToolWords { own: &["ApplyPatch"], neutral: "apply_patch", keys: &[] },
    ToolWords { own: &["LS"], neutral: "LS", keys: &[("directory_path", "path")] },
    ToolWords { own: &["Glob"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["Grep"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["FetchUrl"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["WebSearch"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["TodoWrite"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["Task"], neutral: "Agent", keys: &[] },
];
