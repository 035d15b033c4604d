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

/// How long a hook may take that says nothing itself (C-47). Every event that waits for hooks has a person behind it: ten
/// seconds are long for a check and short for a hang. What takes longer says so, or runs in the background.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The end of a session holds up somebody who is leaving.
const LEAVING: Duration = Duration::from_millis(1500);

/// After how many denials in a row an event that keeps the agent at work gives way.
const CAP: Cap = Cap::give_way(8);
/// How many denials of a call of the model are tried again: the third in a row ends the turn (ruling 32).
const TRIES: u32 = 2;

/// A row that only observes: nothing there can be prevented any more.
const fn observer(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    EventRow {
        name: Cow::Borrowed(name),
        event: Cow::Borrowed(name),
        subject,
        powers: Powers::of(powers),
        timeout: TIMEOUT,
        failure: OnFailure::Continue,
        cap: None,
        when: Cow::Borrowed(when),
    }
}

/// A row whose denial prevents something, so that a hook which fails blocks (C-46).
const fn gate(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    let mut row = observer(name, subject, powers, when);
    row.failure = OnFailure::Block;
    row
}

/// A gate that keeps the agent at work when it denies, and therefore gives way at last.
const fn keeper(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    let mut row = gate(name, subject, powers, when);
    row.cap = Some(CAP);
    row
}

/// A gate after whose denial the same is tried again, so that denials in a row must end at last, and with them the turn.
const fn retried(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    let mut row = gate(name, subject, powers, when);
    row.cap = Some(Cap::stop(TRIES));
    row
}

/// Where silence already means that the user is asked, a failure means that too.
const fn asking(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    let mut row = gate(name, subject, powers, when);
    row.failure = OnFailure::Ask;
    row
}

const fn leaving(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    let mut row = observer(name, subject, powers, when);
    row.timeout = LEAVING;
    row
}

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
    observer("Setup", TRIGGER, &[Context, Message, Env], "a repository is set up, once, on request"),
    observer("SessionStart", SOURCE, &[Context, Message, Watch, InitialMessage, Env], "a session begins, resumes, or goes on after a clear or a compaction"),
    observer("InstructionsLoaded", Subject::Field("load_reason"), &[Message], "an instruction file was loaded"),
    gate("UserPromptSubmit", NONE, &[Deny, Prompt, Context, Message, Stop], "the user sent a prompt; the model has not seen it"),
    observer("UserPromptCommitted", NONE, &[Message], "the final text of a prompt is about to go to the model"),
    gate("UserPromptExpansion", Subject::Field("command_name"), &[Deny, Prompt, Context, Message, Stop], "a typed command is about to become a prompt"),
    gate("TurnStart", NONE, &[Deny, Context, Message, Stop], "a turn begins; a denial ends it"),
    retried("PreModelCall", NONE, &[Deny, Prompt, Context, Message, Stop], "the model is about to be called; a denial is a message, and the call is tried again"),
    observer("PostModelCall", NONE, &[Message], "the model answered"),
    observer("ShellEnv", TOOL, &[Env, Message], "the environment of a shell command is about to be made"),
    gate("PreToolUse", TOOL, &[Deny, Ask, Defer, Allow, Input, Context, Message, Stop], "a tool is about to run"),
    asking("PermissionRequest", TOOL, &[Deny, Ask, Allow, Input, Permissions, Message, Stop], "the user is about to be asked for permission"),
    observer("PermissionDenied", TOOL, &[Retry, Context, Message], "a tool call was refused by the host"),
    observer("PostToolUse", TOOL, &[Deny, Output, Context, Message, Stop], "a tool ran; a denial is an objection that the model reads"),
    observer("PostToolUseFailure", TOOL, &[Deny, Context, Message, Stop], "a tool failed; a denial is an objection that the model reads"),
    gate("PostToolBatch", NONE, &[Deny, Context, Message, Stop], "all tool calls of one turn ran; a denial ends the loop"),
    observer("MessageDisplay", NONE, &[Output, Message], "text of the model is about to be shown; only what is shown changes"),
    observer("Notification", Subject::Field("notification_type"), &[Message], "the host tells the user something"),
    observer("SubagentStart", AGENT, &[Context, Message], "a subagent begins"),
    keeper("SubagentStop", AGENT, &[Deny, Context, Message, Stop], "a subagent is about to end; a denial keeps it at work"),
    gate("TaskCreated", NONE, &[Deny, Message], "a task is about to be created"),
    gate("TaskCompleted", NONE, &[Deny, Message, Stop], "a task is about to be marked as done"),
    keeper("TeammateIdle", NONE, &[Deny, Context, Message, Stop], "a teammate is about to go idle; a denial keeps it at work"),
    keeper("Stop", NONE, &[Deny, Context, Message, Stop], "the agent is about to end its turn; a denial keeps it at work"),
    observer("TurnComplete", NONE, &[Message], "a turn ended, whatever it ended with"),
    observer("StopFailure", Subject::Field("error"), &[Message], "a turn ended because the model could not be reached"),
    observer("HostError", NONE, &[Message], "the host met an error"),
    observer("ModeChange", Subject::Field("mode"), &[Message], "the host went to another mode"),
    gate("ConfigChange", SOURCE, &[Deny, Message], "a configuration file changed; a denial keeps the old one"),
    observer("CwdChanged", NONE, &[Watch, Env, Message], "the agent went to another directory"),
    observer("DirectoryAdded", SOURCE, &[Context, Message], "a directory was added to the session"),
    observer("FileChanged", Subject::FileName("file_path"), &[Watch, Env, Message], "a watched file changed on disk"),
    gate("WorktreeCreate", NONE, &[Deny, Output, Message], "a worktree is about to be created; `output` is the path of one"),
    observer("WorktreeRemove", NONE, &[Message], "a worktree is about to be removed"),
    gate("PreCompact", TRIGGER, &[Deny, Context, Message], "the conversation is about to be compacted; context joins the instructions"),
    observer("PostCompact", TRIGGER, &[Message], "the conversation was compacted"),
    gate("PreModelSwitch", MODEL, &[Deny, Ask, Allow, Message], "the model is about to be switched"),
    observer("PostModelSwitch", MODEL, &[Context, Message], "the model was switched"),
    gate("Elicitation", SERVER, &[Deny, Allow, Output, Message], "an MCP server asks the user; `output` is the answer"),
    gate("ElicitationResult", SERVER, &[Deny, Allow, Output, Message], "the user's answer is about to go to an MCP server"),
    leaving("SessionEnd", Subject::Field("reason"), &[Message], "a session ends"),
];

/// An event that nobody declared only observes (C-49, E-4).
pub(super) fn unknown(event: &EventName) -> EventRow {
    EventRow {
        name: Cow::Owned(event.to_string()),
        event: Cow::Owned(event.to_string()),
        subject: Subject::None,
        powers: Powers::of(&[Message]),
        timeout: TIMEOUT,
        failure: OnFailure::Continue,
        cap: None,
        when: Cow::Borrowed("an event that no configuration declares; hooks only observe it"),
    }
}

/// The row of a built-in event.
pub(super) fn row(event: &str) -> Option<&'static EventRow> {
    ROWS.iter().find(|row| row.event == event)
}

/// The values that matchers of a subject can meet, where they are a closed list; used to find matchers that are dead.
#[rustfmt::skip]
pub(super) const VALUES: &[(&str, &[&str])] = &[
    ("Setup", &["init", "maintenance"]),
    ("SessionStart", &["startup", "resume", "clear", "compact", "fork"]),
    ("PreCompact", &["manual", "auto"]),
    ("PostCompact", &["manual", "auto"]),
    ("SessionEnd", &["clear", "resume", "logout", "prompt_input_exit", "other"]),
];

/// Those of an event.
pub(super) fn values(event: &str) -> &'static [&'static str] {
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
