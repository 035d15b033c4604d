//! The table of the eleven events of the agent: the powers of hooks, and the conditions that can
//! hold (CW-20). Data only.

use std::time::Duration;

use crate::answer::Power::{Ask, Context, Deny, Env, Input, Prompt};
use crate::answer::{Power, Powers};
use crate::dialect::{EventRow, Subject};
use crate::event::EventName;

/// The timeout of a hook that sets none.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// How the agent reads the output of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The hook may replace or block the text.
    Submit,
    /// The hook may deny, ask about, or rewrite the call.
    Gate,
    /// The hook prints lines of variables.
    Variables,
    /// The agent ignores the output.
    Observer,
}

/// One event of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// The name in configs.
    pub(super) name: &'static str,
    /// The neutral events that it covers; the hooks are named after the first.
    pub(super) covers: &'static [&'static str],
    pub(super) class: Class,
    /// Whether it is about a tool call, so that conditions on tools can hold.
    pub(super) has_tool: bool,
    /// Whether the event may have the exit code of a tool.
    pub(super) has_exit_code: bool,
    /// Whether hooks receive the mode.
    pub(super) has_mode: bool,
}

const fn observer_spec(name: &'static str, covers: &'static [&'static str]) -> Spec {
    Spec {
        name,
        covers,
        class: Class::Observer,
        has_tool: false,
        has_exit_code: false,
        has_mode: true,
    }
}

const fn tool_spec(name: &'static str, covers: &'static [&'static str], class: Class) -> Spec {
    Spec { class, has_tool: true, ..observer_spec(name, covers) }
}

/// Every event, in the order of a session's life.
pub(super) static EVENTS: &[Spec] = &[
    observer_spec("session_start", &["SessionStart"]),
    Spec { class: Class::Submit, ..observer_spec("message_submit", &["UserPromptSubmit"]) },
    tool_spec("tool_call_before", &["PreToolUse"], Class::Gate),
    Spec { has_mode: false, ..tool_spec("shell_env", &["ShellEnv"], Class::Variables) },
    Spec {
        has_exit_code: true,
        ..tool_spec("tool_call_after", &["PostToolUse", FAILED_TOOL], Class::Observer)
    },
    Spec {
        has_exit_code: true,
        ..tool_spec("on_error", &["HostError", FAILED_TOOL], Class::Observer)
    },
    observer_spec("mode_change", &["ModeChange"]),
    observer_spec("subagent_spawn", &["SubagentStart"]),
    observer_spec("subagent_complete", &["SubagentStop"]),
    observer_spec("turn_end", &["TurnComplete"]),
    observer_spec("session_end", &["SessionEnd"]),
];

/// The row of an entry whose event the agent does not have.
pub(super) static OBSERVER: Spec =
    Spec { has_exit_code: true, ..tool_spec("", &[], Class::Observer) };

/// The neutral event of a failed tool, which two events of the agent cover.
pub(super) const FAILED_TOOL: &str = "PostToolUseFailure";

/// The event that a config calls `name`.
pub(super) fn find_by_config_name(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

/// The event of the agent that covers a neutral event.
pub(super) fn find_by_neutral_name(event: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.covers.contains(&event))
}

const fn new_row(
    name: &'static str,
    event: &'static str,
    subject: Subject,
    powers: &[Power],
    when: &'static str,
) -> EventRow {
    EventRow::new((name, event), subject, powers, TIMEOUT, when)
}

const TOOL: Subject = Subject::Field("tool_name");
const AGENT: Subject = Subject::Field("agent_type");

/// The powers of hooks on each neutral event that the agent has.
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    new_row("session_start", "SessionStart", Subject::Field("source"), &[], "a session begins"),
    new_row("message_submit", "UserPromptSubmit", Subject::None, &[Deny, Prompt], "the user sent a message; a hook may transform or block its text"),
    new_row("tool_call_before", "PreToolUse", TOOL, &[Deny, Ask, Input, Context], "a tool is about to run"),
    new_row("shell_env", "ShellEnv", TOOL, &[Env], "the environment of a shell command is about to be made"),
    new_row("tool_call_after", "PostToolUse", TOOL, &[], "a tool ran"),
    new_row("tool_call_after", FAILED_TOOL, TOOL, &[], "a tool failed; hooks of `on_error` run too"),
    new_row("on_error", "HostError", Subject::None, &[], "the host met an error"),
    new_row("mode_change", "ModeChange", Subject::Field("mode"), &[], "the host went to another mode"),
    new_row("subagent_spawn", "SubagentStart", AGENT, &[], "a subagent begins"),
    new_row("subagent_complete", "SubagentStop", AGENT, &[], "a subagent ended"),
    new_row("turn_end", "TurnComplete", Subject::None, &[], "a turn ended, and its totals are known"),
    new_row("session_end", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
];

/// The row of an event that the agent does not have: its hooks only observe.
pub(super) fn unknown_event_row(event: &EventName) -> EventRow {
    EventRow::new_row_of_unknown_event(event, Powers::NONE, TIMEOUT)
}
