//! The event table: the eleven events of the agent, what their hooks may do, and which conditions can hold there (CW-20).

use std::time::Duration;

use crate::answer::Power::{Ask, Context, Deny, Env, Input, Prompt};
use crate::answer::{Power, Powers};
use crate::dialect::{EventRow, Subject};
use crate::event::EventName;

/// How long a hook may take that says nothing itself.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// What the agent makes of what a hook prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The text may be replaced, or held back.
    Submit,
    /// The call may be refused, asked about, or rewritten.
    Gate,
    /// Lines of variables.
    Variables,
    /// Nothing.
    Observer,
}

/// One event in the agent's words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// The name in configs.
    pub(super) name: &'static str,
    /// The neutral events that it covers; the first is the one that its hooks are called by.
    pub(super) covers: &'static [&'static str],
    pub(super) class: Class,
    /// Whether it is about a tool call, so that conditions on tools can hold.
    pub(super) has_tool: bool,
    /// Whether a tool may have given an exit code.
    pub(super) has_exit_code: bool,
    /// Whether hooks are told the mode.
    pub(super) has_mode: bool,
}

const fn observer(name: &'static str, covers: &'static [&'static str]) -> Spec {
    Spec {
        name,
        covers,
        class: Class::Observer,
        has_tool: false,
        has_exit_code: false,
        has_mode: true,
    }
}

const fn tool(name: &'static str, covers: &'static [&'static str], class: Class) -> Spec {
    Spec { class, has_tool: true, ..observer(name, covers) }
}

/// Every event, in the order of a session's life.
pub(super) static EVENTS: &[Spec] = &[
    observer("session_start", &["SessionStart"]),
    Spec { class: Class::Submit, ..observer("message_submit", &["UserPromptSubmit"]) },
    tool("tool_call_before", &["PreToolUse"], Class::Gate),
    Spec { has_mode: false, ..tool("shell_env", &["ShellEnv"], Class::Variables) },
    Spec {
        has_exit_code: true,
        ..tool("tool_call_after", &["PostToolUse", FAILED_TOOL], Class::Observer)
    },
    Spec { has_exit_code: true, ..tool("on_error", &["HostError", FAILED_TOOL], Class::Observer) },
    observer("mode_change", &["ModeChange"]),
    observer("subagent_spawn", &["SubagentStart"]),
    observer("subagent_complete", &["SubagentStop"]),
    observer("turn_end", &["TurnComplete"]),
    observer("session_end", &["SessionEnd"]),
];

/// What an entry is whose event the agent does not have.
pub(super) static OBSERVER: Spec = Spec { has_exit_code: true, ..tool("", &[], Class::Observer) };

/// A tool that failed is told to hooks of two events of the agent.
pub(super) const FAILED_TOOL: &str = "PostToolUseFailure";

/// The event of that name in a config.
pub(super) fn spec(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

/// The event that the agent would call a neutral one.
pub(super) fn of_neutral(event: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.covers.contains(&event))
}

const fn row(
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

/// What hooks may do on each neutral event that the agent has.
#[rustfmt::skip]
pub(super) static ROWS: &[EventRow] = &[
    row("session_start", "SessionStart", Subject::Field("source"), &[], "a session begins"),
    row("message_submit", "UserPromptSubmit", Subject::None, &[Deny, Prompt], "the user sent a message; a hook may transform or block its text"),
    row("tool_call_before", "PreToolUse", TOOL, &[Deny, Ask, Input, Context], "a tool is about to run"),
    row("shell_env", "ShellEnv", TOOL, &[Env], "the environment of a shell command is about to be made"),
    row("tool_call_after", "PostToolUse", TOOL, &[], "a tool ran"),
    row("tool_call_after", FAILED_TOOL, TOOL, &[], "a tool failed; hooks of `on_error` hear of it too"),
    row("on_error", "HostError", Subject::None, &[], "the host met an error"),
    row("mode_change", "ModeChange", Subject::Field("mode"), &[], "the host went to another mode"),
    row("subagent_spawn", "SubagentStart", AGENT, &[], "a subagent begins"),
    row("subagent_complete", "SubagentStop", AGENT, &[], "a subagent ended"),
    row("turn_end", "TurnComplete", Subject::None, &[], "a turn ended, and everything about it is counted"),
    row("session_end", "SessionEnd", Subject::Field("reason"), &[], "a session ends"),
];

/// What hooks of this agent do on events that it does not have: they observe.
pub(super) fn unknown(event: &EventName) -> EventRow {
    EventRow::unknown(event, Powers::NONE, TIMEOUT)
}
