//! The event table of Gen: 24 events, their matcher subjects and the powers of hooks (G-23). Data
//! only.

use std::time::Duration;

use crate::answer::Power::{
    self, Allow, Ask, Context, Deny, InitialMessage, Input, Message, Permissions, Retry, Watch,
};
use crate::answer::Powers;
use crate::dialect::{Cap, EventRow, Subject};
use crate::event::EventName;

/// The timeout of a hook that sets none.
const TIMEOUT: Duration = Duration::from_mins(10);

const fn new_row(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    // The agent documents that an exit code other than 0 and 2 is an error that blocks nothing.
    EventRow::new((name, name), subject, powers, TIMEOUT, when)
}

/// A row of an event whose hooks the agent does not wait for (G-45).
const fn observer_row(
    name: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    new_row(name, subject, powers, when).fire_and_forget()
}

/// The limit of denials in a row, so that a hook cannot block the end of a turn for ever (ruling
/// 1).
const CAP: Cap = Cap::continue_after(8);

const NONE: Subject = Subject::None;
const TOOL: Subject = Subject::Field("tool_name");
const AGENT: Subject = Subject::Field("agent_type");
const SOURCE: Subject = Subject::Field("source");
const TRIGGER: Subject = Subject::Field("trigger");

/// Events of other agents that fire again after a denial, with their limits of denials in a row.
const RETRIED: &[(&str, Cap)] =
    &[("PreModelCall", Cap::stop_after(2)), ("TeammateIdle", Cap::continue_after(8))];

/// Every event, in the order of the agent's documentation. A hook cannot block an event that the
/// agent does not wait for; its context reaches the model with the next call, if there is one
/// (G-39).
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    new_row("SessionStart", SOURCE, &[Deny, Context, Message, Watch, InitialMessage], "a session begins"),
    observer_row("SessionEnd", Subject::Field("reason"), &[Message], "a session ends"),
    new_row("UserPromptSubmit", NONE, &[Deny, Context, Message], "the user submits a prompt"),
    new_row("PreToolUse", TOOL, &[Deny, Ask, Allow, Input, Context, Message], "a tool is about to run"),
    observer_row("PostToolUse", TOOL, &[Context, Message], "a tool has run"),
    observer_row("PostToolUseFailure", TOOL, &[Context, Message], "a tool has failed"),
    new_row("PermissionRequest", TOOL, &[Deny, Allow, Input, Permissions, Context, Message], "the user is about to be asked for permission"),
    new_row("PermissionDenied", TOOL, &[Retry, Context, Message], "a tool call was denied"),
    new_row("Stop", NONE, &[Deny, Context, Message], "the assistant concludes its response").with_cap(CAP),
    observer_row("StopFailure", Subject::Field("error"), &[Message], "a turn ended with an error"),
    observer_row("Notification", Subject::Field("notification_type"), &[Message], "the user is notified"),
    observer_row("SubagentStart", AGENT, &[Context, Message], "a subagent starts"),
    observer_row("SubagentStop", AGENT, &[Message], "a subagent has finished"),
    new_row("Setup", TRIGGER, &[Context, Message], "the system is set up"),
    observer_row("TaskCreated", NONE, &[Message], "a background task was registered"),
    observer_row("TaskCompleted", NONE, &[Message], "a background task has finished"),
    observer_row("ConfigChange", SOURCE, &[Message], "a configuration file changed"),
    observer_row("InstructionsLoaded", Subject::Field("load_reason"), &[Message], "a file of instructions was loaded"),
    observer_row("CwdChanged", NONE, &[Watch, Message], "the working directory changed"),
    observer_row("FileChanged", Subject::FileName("file_path"), &[Watch, Message], "a watched file changed"),
    new_row("PreCompact", TRIGGER, &[Deny, Context, Message], "the conversation is about to be compacted"),
    observer_row("PostCompact", TRIGGER, &[Message], "the conversation was compacted"),
    observer_row("WorktreeCreate", Subject::Field("name"), &[Message], "a worktree was created"),
    observer_row("WorktreeRemove", Subject::Field("worktree_path"), &[Message], "a worktree was removed"),
];

/// The event with that name.
pub(super) fn find_event_row(name: &str) -> Option<&'static EventRow> {
    ROWS.iter().find(|row| row.name == name)
}

/// The row of an unknown event. Event names are open: exit code 2 blocks such an event too, and its
/// context reaches the model (G-39, rulings 13 and 40).
pub(super) fn unknown_event_row(event: &EventName) -> EventRow {
    let when = "an event that the agent does not name itself";
    let cap = RETRIED.iter().find(|(name, _)| event.as_str() == *name).map(|(_, cap)| *cap);
    let powers = Powers::from_slice(&[Deny, Context, Message]);
    EventRow {
        cap,
        when: when.into(),
        ..EventRow::new_row_of_unknown_event(event, powers, TIMEOUT)
    }
}

/// Whether the event is about a tool call, so that `if` can hold.
pub(super) fn is_tool_event(event: &str) -> bool {
    find_event_row(event).is_some_and(|row| row.subject == TOOL)
}

/// The values of a field that the agent spells differently from the neutral form.
pub(super) struct Spelling {
    /// The event.
    pub(super) event: &'static str,
    /// The field of its payload.
    pub(super) field: &'static str,
    /// The agent's value and the neutral one, the preferred pair first where one value has several.
    pub(super) values: &'static [(&'static str, &'static str)],
}

/// Every field whose values differ from the neutral ones (G-12).
pub(super) const SPELLINGS: &[Spelling] = &[
    Spelling {
        event: "StopFailure",
        field: "error",
        values: &[
            ("auth_failed", "authentication_failed"),
            ("billing", "billing_error"),
            ("server", "server_error"),
            ("server", "overloaded"),
            ("max_tokens", "max_output_tokens"),
        ],
    },
    Spelling {
        event: "SessionEnd",
        field: "reason",
        values: &[("prompt_input_exit", "prompt_input_exit"), ("prompt_input_exit", "other")],
    },
];

/// The spellings of that event.
pub(super) fn event_spelling(event: &str) -> Option<&'static Spelling> {
    SPELLINGS.iter().find(|spelling| spelling.event == event)
}
