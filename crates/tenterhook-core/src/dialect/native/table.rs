//! The event table: what a native hook may do on each event (E-3). A table and nothing else.

use std::borrow::Cow;
use std::time::Duration;

use crate::answer::Power::{
    Allow, Ask, Context, Defer, Deny, Env, InitialMessage, Input, Message, Output, Permissions,
    Prompt, Retry, Stop, Watch,
};
use crate::answer::{Power, Powers};
use crate::dialect::{Cap, EventRow, Subject};
use crate::event::EventName;
use crate::hook::OnFailure;

/// How long a hook may take that says nothing itself (C-47). Every event that waits for hooks has a
/// person behind it: ten seconds are long for a check and short for a hang. What takes longer says
/// so, or runs in the background.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout at the end of a session: short, because the user wants to leave.
const LEAVING: Duration = Duration::from_millis(1500);

/// After how many denials in a row an event that keeps the agent at work gives way.
const CAP: Cap = Cap::continue_after(8);
/// A denied call of the model is tried again, so that denials in a row must end at last: the third
/// ends the turn (ruling 32).
const TRIED: Cap = Cap::stop_after(2);

/// Creates the row of an event that hooks only observe, because nothing can be prevented any more.
const fn new_observe_only_row(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    EventRow::new((name, name), subject, powers, TIMEOUT, when)
}

/// What a failure means where a denial prevents something (C-46), and where silence already means
/// that the user is asked.
const BLOCK: OnFailure = OnFailure::Block;
const ASK: OnFailure = OnFailure::Ask;

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Field("tool_name");
const SOURCE: Subject = Subject::Field("source");
const TRIGGER: Subject = Subject::Field("trigger");
const AGENT: Subject = Subject::Field("agent_type");
const MODEL: Subject = Subject::Field("to_model");
const SERVER: Subject = Subject::Field("mcp_server_name");

/// Every event that the dialect knows, in the order of a session's life.
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    new_observe_only_row("Setup", TRIGGER, &[Context, Message, Env], "a repository is set up, once, on request"),
    new_observe_only_row("SessionStart", SOURCE, &[Context, Message, Watch, InitialMessage, Env], "a session begins, resumes, or goes on after a clear or a compaction"),
    new_observe_only_row("InstructionsLoaded", Subject::Field("load_reason"), &[Message], "an instruction file was loaded"),
    new_observe_only_row("UserPromptSubmit", NONE, &[Deny, Prompt, Context, Message, Stop], "the user sent a prompt; the model has not seen it").on_failure(BLOCK),
    new_observe_only_row("UserPromptCommitted", NONE, &[Message], "the final text of a prompt is about to go to the model"),
    new_observe_only_row("UserPromptExpansion", Subject::Field("command_name"), &[Deny, Prompt, Context, Message, Stop], "a typed command is about to become a prompt").on_failure(BLOCK),
    new_observe_only_row("TurnStart", NONE, &[Deny, Context, Message, Stop], "a turn begins; a denial ends it").on_failure(BLOCK),
    new_observe_only_row("PreModelCall", NONE, &[Deny, Prompt, Context, Message, Stop], "the model is about to be called; a denial is a message, and the call is tried again").on_failure(BLOCK).with_cap(TRIED),
    new_observe_only_row("PostModelCall", NONE, &[Message], "the model answered"),
    new_observe_only_row("ShellEnv", TOOL, &[Env, Message], "the environment of a shell command is about to be made"),
    new_observe_only_row("PreToolUse", TOOL, &[Deny, Ask, Defer, Allow, Input, Context, Message, Stop], "a tool is about to run").on_failure(BLOCK),
    new_observe_only_row("PreSkillShellCommand", TOOL, &[Deny, Ask, Message, Stop], "a shell line of a skill is about to run").on_failure(BLOCK),
    new_observe_only_row("PermissionRequest", TOOL, &[Deny, Ask, Allow, Input, Permissions, Message, Stop], "the user is about to be asked for permission").on_failure(ASK),
    new_observe_only_row("PermissionDenied", TOOL, &[Retry, Context, Message], "a tool call was refused by the host"),
    new_observe_only_row("PostToolUse", TOOL, &[Deny, Output, Context, Message, Stop], "a tool ran; a denial is an objection that the model reads"),
    new_observe_only_row("PostToolUseFailure", TOOL, &[Deny, Context, Message, Stop], "a tool failed; a denial is an objection that the model reads"),
    new_observe_only_row("PostToolBatch", NONE, &[Deny, Context, Message, Stop], "all tool calls of one turn ran; a denial ends the loop").on_failure(BLOCK),
    new_observe_only_row("MessageDisplay", NONE, &[Output, Message], "text of the model is about to be shown; only what is shown changes"),
    new_observe_only_row("Notification", Subject::Field("notification_type"), &[Message], "the host tells the user something"),
    new_observe_only_row("SubagentStart", AGENT, &[Context, Message], "a subagent begins"),
    new_observe_only_row("SubagentStop", AGENT, &[Deny, Context, Message, Stop], "a subagent is about to end; a denial keeps it at work").on_failure(BLOCK).with_cap(CAP),
    new_observe_only_row("TaskCreated", NONE, &[Deny, Message], "a task is about to be created").on_failure(BLOCK),
    new_observe_only_row("TaskCompleted", NONE, &[Deny, Message, Stop], "a task is about to be marked as done").on_failure(BLOCK),
    new_observe_only_row("TeammateIdle", NONE, &[Deny, Context, Message, Stop], "a teammate is about to go idle; a denial keeps it at work").on_failure(BLOCK).with_cap(CAP),
    new_observe_only_row("Stop", NONE, &[Deny, Context, Message, Stop], "the agent is about to end its turn; a denial keeps it at work").on_failure(BLOCK).with_cap(CAP),
    new_observe_only_row("TurnComplete", NONE, &[Message], "a turn ended, whatever it ended with"),
    new_observe_only_row("StopFailure", Subject::Field("error"), &[Message], "a turn ended because the model could not be reached"),
    new_observe_only_row("HostError", NONE, &[Message], "the host met an error"),
    new_observe_only_row("ModeChange", Subject::Field("mode"), &[Message], "the host went to another mode"),
    new_observe_only_row("ConfigChange", SOURCE, &[Deny, Message], "a configuration file changed; a denial keeps the old one").on_failure(BLOCK),
    new_observe_only_row("CwdChanged", NONE, &[Watch, Env, Message], "the agent went to another directory"),
    new_observe_only_row("DirectoryAdded", SOURCE, &[Context, Message], "a directory was added to the session"),
    new_observe_only_row("FileChanged", Subject::FileName("file_path"), &[Watch, Env, Message], "a watched file changed on disk"),
    new_observe_only_row("WorktreeCreate", NONE, &[Deny, Output, Message], "a worktree is about to be created; `output` is the path of one").on_failure(BLOCK),
    new_observe_only_row("WorktreeRemove", NONE, &[Message], "a worktree is about to be removed"),
    new_observe_only_row("PreCompact", TRIGGER, &[Deny, Context, Message], "the conversation is about to be compacted; context joins the instructions").on_failure(BLOCK),
    new_observe_only_row("PostCompact", TRIGGER, &[Message], "the conversation was compacted"),
    new_observe_only_row("PreModelSwitch", MODEL, &[Deny, Ask, Allow, Message], "the model is about to be switched").on_failure(BLOCK),
    new_observe_only_row("PostModelSwitch", MODEL, &[Context, Message], "the model was switched"),
    new_observe_only_row("Elicitation", SERVER, &[Deny, Allow, Output, Message], "an MCP server asks the user; `output` is the answer").on_failure(BLOCK),
    new_observe_only_row("ElicitationResult", SERVER, &[Deny, Allow, Output, Message], "the user's answer is about to go to an MCP server").on_failure(BLOCK),
    EventRow::new(("SessionEnd", "SessionEnd"), Subject::Field("reason"), &[Message], LEAVING, "a session ends"),
];

/// Returns the row of an undeclared event: hooks only observe it (C-49, E-4).
pub(super) fn undeclared_row(event: &EventName) -> EventRow {
    let when = Cow::Borrowed("an event that no configuration declares; hooks only observe it");
    EventRow {
        when,
        ..EventRow::new_row_of_unknown_event(event, Powers::from_slice(&[Message]), TIMEOUT)
    }
}

/// Returns the row of a built-in event.
pub(super) fn built_in_row(event: &str) -> Option<&'static EventRow> {
    ROWS.iter().find(|row| row.event == event)
}

/// The values that matchers of a subject can meet, where they are a closed list; used to find
/// matchers that are dead.
#[rustfmt::skip]
pub(super) const VALUES: &[(&str, &[&str])] = &[
    ("Setup", &["init", "maintenance"]),
    ("SessionStart", &["startup", "resume", "clear", "compact", "fork"]),
    ("PreCompact", &["manual", "auto"]),
    ("PostCompact", &["manual", "auto"]),
    ("SessionEnd", &["clear", "resume", "logout", "prompt_input_exit", "other"]),
];

/// Returns the values that the subject of an event can have, if they are a closed list.
pub(super) fn possible_subject_values(event: &str) -> &'static [&'static str] {
    VALUES.iter().find(|(name, _)| *name == event).map_or(&[], |(_, values)| values)
}

/// The names of tools that agents share, in the neutral spelling.
pub(super) const TOOLS: &[&str] = &[
    "Bash",
    "PowerShell",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "WebSearch",
    "WebFetch",
    "Agent",
    "Task",
];
