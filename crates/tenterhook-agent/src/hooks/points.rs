//! Every event that this agent fires: where it can happen, and the values that its matchers can meet. A table and nothing else.
//!
//! Which events there are, and what hooks may do there, the engine says; what stands here is what this host keeps of that.

use tenterhook::dialect::{DIALECTS, DialectId};
use tenterhook::event::EventName;

/// In which faces an event can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Faces {
    /// In all: the terminal, lines of JSON, one prompt of the command line.
    All,
    /// In those where somebody is there: the terminal, and lines of JSON.
    Attended,
}

/// One event.
#[derive(Debug)]
pub(super) struct Point {
    /// Its neutral name.
    pub(super) event: &'static str,
    /// Where it can happen.
    pub(super) faces: Faces,
    /// What matchers can meet, where it is a closed list.
    pub(super) values: &'static [&'static str],
}

const fn point(event: &'static str, faces: Faces, values: &'static [&'static str]) -> Point {
    Point { event, faces, values }
}

use Faces::{All, Attended};

/// In the order of a session's life.
#[rustfmt::skip]
pub(super) static POINTS: &[Point] = &[
    point("Setup", All, &["init", "maintenance"]),
    point("InstructionsLoaded", All, &["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
    point("SessionStart", All, &["startup", "resume", "clear", "compact"]),
    point("UserPromptSubmit", All, &[]),
    point("UserPromptExpansion", All, &[]),
    point("UserPromptCommitted", All, &[]),
    point("TurnStart", All, &[]),
    point("PreModelCall", All, &[]),
    point("PostModelCall", All, &[]),
    point("MessageDisplay", All, &[]),
    point("PreToolUse", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task"]),
    point("PermissionRequest", All, &["Bash", "Write", "Edit"]),
    point("PermissionDenied", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task"]),
    point("ShellEnv", All, &["Bash"]),
    point("PostToolUse", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task"]),
    point("PostToolUseFailure", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task"]),
    point("PostToolBatch", All, &[]),
    point("TaskCreated", All, &[]),
    point("SubagentStart", All, &[]),
    point("SubagentStop", All, &[]),
    point("TaskCompleted", All, &[]),
    point("WorktreeCreate", All, &[]),
    point("WorktreeRemove", All, &[]),
    point("PreCompact", All, &["manual", "auto"]),
    point("PostCompact", All, &["manual", "auto"]),
    point("Stop", All, &[]),
    point("StopFailure", All, &["rate_limit", "authentication_failed", "billing_error", "overloaded", "server_error", "model_not_found", "invalid_request", "max_output_tokens", "unknown"]),
    point("HostError", All, &[]),
    point("TurnComplete", All, &[]),
    point("Notification", Attended, &["permission_prompt", "idle_prompt"]),
    point("ModeChange", All, &["default", "acceptEdits", "plan", "bypassPermissions"]),
    point("PreModelSwitch", Attended, &[]),
    point("PostModelSwitch", Attended, &[]),
    point("CwdChanged", Attended, &[]),
    point("DirectoryAdded", Attended, &["slash_command"]),
    point("ConfigChange", All, &["user_settings", "project_settings", "local_settings"]),
    point("FileChanged", All, &[]),
    point("SessionEnd", All, &["clear", "resume", "prompt_input_exit", "other"]),
];

/// The row of an event that this agent fires.
pub(super) fn find(event: &str) -> Option<&'static Point> {
    POINTS.iter().find(|it| it.event == event)
}

/// Whether hooks wait in vain for an event: the engine knows it, and this agent never fires it.
pub(super) fn never(event: &EventName) -> bool {
    let native = DIALECTS.iter().find(|it| it.id() == DialectId::NATIVE);
    let known = native.is_some_and(|it| it.rows().iter().any(|row| row.event == event.as_str()));
    known && find(event.as_str()).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ruling 21: what the agent produces is in the table; what it does not is here, with the reason.
    #[test]
    fn every_event_and_value_is_produced_or_its_absence_is_argued() {
        let native = DIALECTS.iter().find(|it| it.id() == DialectId::NATIVE).unwrap();
        let without: Vec<_> = native
            .rows()
            .iter()
            .filter(|row| find(&row.event).is_none())
            .map(|row| &*row.event)
            .collect();
        // No teammates, and no MCP server that could ask.
        assert_eq!(without, ["TeammateIdle", "Elicitation", "ElicitationResult"]);
        for row in POINTS {
            assert!(
                native.rows().iter().any(|it| it.event == row.event),
                "{} is the engine's",
                row.event
            );
        }
    }
}
