//! The names of Qwen Code: its events, the fields of its payloads, its tools (QW-20, QW-30). Tables
//! only.

use std::sync::LazyLock;
use std::time::Duration;

use super::reply::FORM;
use crate::dialect::kit::call::{NEUTRAL_SERVER_TOOL, Vocabulary, end_of_turn_row, event_row};
use crate::dialect::kit::reply_form;
use crate::dialect::tools::ToolWords;
use crate::dialect::{EventRow, Subject};

pub(super) static WORDS: Vocabulary = Vocabulary {
    agent: "Qwen Code",
    name: "hook_event_name",
    keys: &[],
    tools: TOOLS,
    server_tool: NEUTRAL_SERVER_TOOL,
    rows: || &ROWS,
};

/// The default timeout of a hook.
pub(super) const TIMEOUT: Duration = Duration::from_mins(1);
const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Tool(TOOLS);
const AGENT: Subject = Subject::Field("agent_type");
const TRIGGER: Subject = Subject::Field("trigger");

/// Every event.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| reply_form::rows_with_timeout(&FORM, EVENTS, TIMEOUT));

#[rustfmt::skip]
static EVENTS: &[EventRow] = &[
    event_row("SessionStart", "SessionStart", Subject::Field("source"), &[], "a session starts or resumes"),
    event_row("SessionEnd", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
    event_row("UserPromptSubmit", "UserPromptSubmit", NONE, &[], "the user sent a prompt"),
    event_row("PreToolUse", "PreToolUse", TOOL, &[], "a tool is about to run"),
    event_row("PermissionRequest", "PermissionRequest", TOOL, &[], "the user is about to be asked for permission"),
    event_row("PermissionDenied", "PermissionDenied", TOOL, &[], "a permission was denied"),
    event_row("PostToolUse", "PostToolUse", TOOL, &[], "a tool ran"),
    event_row("PostToolUseFailure", "PostToolUseFailure", TOOL, &[], "a tool failed"),
    event_row("PostToolBatch", "PostToolBatch", NONE, &[], "the tools of one message ran"),
    end_of_turn_row("Stop", "Stop", NONE, "the model is about to end its turn"),
    event_row("StopFailure", "StopFailure", NONE, &[], "a turn ended with an error"),
    event_row("SubagentStart", "SubagentStart", AGENT, &[], "a subagent starts"),
    end_of_turn_row("SubagentStop", "SubagentStop", AGENT, "a subagent is about to finish"),
    event_row("PreCompact", "PreCompact", TRIGGER, &[], "the conversation is about to be compacted"),
    event_row("PostCompact", "PostCompact", TRIGGER, &[], "the conversation was compacted"),
    event_row("Notification", "Notification", Subject::Field("notification_type"), &[], "the user is shown a notification"),
    event_row("MessageDisplay", "MessageDisplay", NONE, &[], "text of the model is shown"),
    event_row("InstructionsLoaded", "InstructionsLoaded", NONE, &[], "a file with instructions was loaded"),
    event_row("UserPromptExpansion", "UserPromptExpansion", NONE, &[], "a command of the user became a prompt"),
    event_row("SessionDelete", "SessionDelete", NONE, &[], "a session is deleted"),
    event_row("TodoCreated", "TodoCreated", NONE, &[], "a task is put on the list"),
    event_row("TodoCompleted", "TodoCompleted", NONE, &[], "a task of the list is done"),
];

/// The tools with all names that matchers know, by the package 0.24.4.
#[rustfmt::skip]
pub(super) static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["run_shell_command", "Shell", "ShellTool"], neutral: "Bash", keys: &[] },
    ToolWords { own: &["read_file", "ReadFile", "ReadFileTool"], neutral: "Read", keys: &[("file_path", "file_path"), ("absolute_path", "file_path"), ("path", "file_path")] },
    ToolWords { own: &["write_file", "WriteFile", "WriteFileTool"], neutral: "Write", keys: &[] },
    ToolWords { own: &["edit", "replace", "EditTool"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["notebook_edit", "NotebookEditTool"], neutral: "NotebookEdit", keys: &[] },
    ToolWords { own: &["glob", "GlobTool", "FindFiles"], neutral: "Glob", keys: &[] },
    ToolWords { own: &["grep_search", "search_file_content", "GrepTool", "SearchFiles"], neutral: "Grep", keys: &[] },
    ToolWords { own: &["web_fetch", "WebFetchTool"], neutral: "WebFetch", keys: &[] },
    ToolWords { own: &["web_search", "WebSearchTool"], neutral: "WebSearch", keys: &[] },
    ToolWords { own: &["todo_write", "TodoList", "TodoWriteTool"], neutral: "TodoWrite", keys: &[] },
    ToolWords { own: &["agent", "task", "Task", "AgentTool", "TaskTool"], neutral: "Agent", keys: &[] },
    ToolWords { own: &["list_directory", "ListFiles", "ListFilesTool", "ReadFolder"], neutral: "list_directory", keys: &[] },
    ToolWords { own: &["skill", "SkillTool"], neutral: "Skill", keys: &[] },
    ToolWords { own: &["ask_user_question", "AskUserQuestionTool"], neutral: "AskUserQuestion", keys: &[] },
    ToolWords { own: &["exit_plan_mode", "ExitPlanModeTool"], neutral: "ExitPlanMode", keys: &[] },
    ToolWords { own: &["enter_plan_mode", "EnterPlanModeTool"], neutral: "EnterPlanMode", keys: &[] },
];
