//! Every event that this agent fires: where it can happen, and the values that its matchers can meet; and what it never fires,
//! with the reason. Two tables and nothing else.
//!
//! The engine defines the events and what hooks may do there; these tables hold what this host supports.

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

const fn new_point(event: &'static str, faces: Faces, values: &'static [&'static str]) -> Point {
    Point { event, faces, values }
}

use Faces::{All, Attended};

/// In the order of a session's life.
#[rustfmt::skip]
pub(super) static POINTS: &[Point] = &[
    new_point("Setup", All, &["init", "maintenance"]),
    new_point("InstructionsLoaded", All, &["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
    new_point("SessionStart", All, &["startup", "resume", "clear", "compact", "fork"]),
    new_point("UserPromptSubmit", All, &[]),
    new_point("UserPromptExpansion", All, &[]),
    new_point("UserPromptCommitted", All, &[]),
    new_point("TurnStart", All, &[]),
    new_point("PreModelCall", All, &[]),
    new_point("PostModelCall", All, &[]),
    new_point("MessageDisplay", All, &[]),
    new_point("PreToolUse", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task", "mcp__SERVER__TOOL"]),
    new_point("PermissionRequest", All, &["Bash", "Write", "Edit", "mcp__SERVER__TOOL"]),
    new_point("PermissionDenied", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task", "mcp__SERVER__TOOL"]),
    new_point("ShellEnv", All, &["Bash"]),
    new_point("PostToolUse", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task", "mcp__SERVER__TOOL"]),
    new_point("PostToolUseFailure", All, &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Task", "mcp__SERVER__TOOL"]),
    new_point("PostToolBatch", All, &[]),
    new_point("TaskCreated", All, &[]),
    new_point("SubagentStart", All, &[]),
    new_point("SubagentStop", All, &[]),
    new_point("TaskCompleted", All, &[]),
    new_point("WorktreeCreate", All, &[]),
    new_point("WorktreeRemove", All, &[]),
    new_point("PreCompact", All, &["manual", "auto"]),
    new_point("PostCompact", All, &["manual", "auto"]),
    new_point("Stop", All, &[]),
    new_point("StopFailure", All, &["rate_limit", "authentication_failed", "billing_error", "overloaded", "server_error", "model_not_found", "invalid_request", "max_output_tokens", "unknown"]),
    new_point("HostError", All, &[]),
    new_point("TurnComplete", All, &[]),
    new_point("Notification", Attended, &["permission_prompt", "idle_prompt"]),
    new_point("ModeChange", All, &["default", "acceptEdits", "plan", "bypassPermissions"]),
    new_point("PreModelSwitch", All, &[]),
    new_point("PostModelSwitch", All, &[]),
    new_point("CwdChanged", All, &[]),
    new_point("DirectoryAdded", All, &["slash_command"]),
    new_point("ConfigChange", All, &["user_settings", "project_settings", "local_settings"]),
    new_point("FileChanged", All, &[]),
    new_point("SessionEnd", All, &["clear", "resume", "prompt_input_exit", "other"]),
];

/// What other agents fire and this one never does.
#[derive(Debug)]
pub(super) struct Absence {
    /// The event's neutral name.
    pub(super) event: &'static str,
    /// The values of its matchers that never come; none where the event itself never does.
    pub(super) values: &'static [&'static str],
    /// Why.
    pub(super) why: &'static str,
}

const fn new_absence(
    event: &'static str,
    values: &'static [&'static str],
    why: &'static str,
) -> Absence {
    Absence { event, values, why }
}

const NO_LOGIN: &str = "there is no login: keys come from the environment";
const NO_MCP: &str = "an MCP server may not ask here";

/// In the same order.
#[rustfmt::skip]
pub(super) static ABSENCES: &[Absence] = &[
    new_absence("PreSkillShellCommand", &[], "it runs no shell lines of skills"),
    new_absence("TeammateIdle", &[], "it has no teammates: a subagent ends with its task"),
    new_absence("Elicitation", &[], NO_MCP),
    new_absence("ElicitationResult", &[], NO_MCP),
    new_absence("StopFailure", &["oauth_org_not_allowed", "account_on_hold", "verification_required", "cloud_credential_error"], NO_LOGIN),
    new_absence("Notification", &["auth_success"], NO_LOGIN),
    new_absence("Notification", &["elicitation_dialog", "elicitation_url_dialog", "elicitation_complete", "elicitation_response"], NO_MCP),
    new_absence("Notification", &["agent_needs_input", "agent_completed"], "a subagent works inside the turn of the agent that asked it"),
    new_absence("DirectoryAdded", &["register_repo_root"], "`/add-dir` alone adds directories"),
    new_absence("ConfigChange", &["policy_settings"], "it is not managed: it reads no policy"),
    new_absence("ConfigChange", &["skills"], "it reads no hooks from skills"),
    new_absence("SessionEnd", &["logout"], NO_LOGIN),
    new_absence("SessionEnd", &["bypass_permissions_disabled"], "no policy takes a mode away"),
];

/// Returns the row of an event that this agent fires.
pub(super) fn find_event_point(event: &str) -> Option<&'static Point> {
    POINTS.iter().find(|point| point.event == event)
}

/// Returns the reason why this agent never fires an event, if it does not.
pub(super) fn why_absent(event: &str) -> Option<&'static str> {
    ABSENCES
        .iter()
        .find(|absence| absence.event == event && absence.values.is_empty())
        .map(|absence| absence.why)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tenterhook_core::dialect::{DIALECTS, DialectId};

    use super::*;

    /// Where the absences stand for people.
    const GUIDE: &str = include_str!("../../../../docs/guide/agent.md");

    /// Ruling 21: what the engine knows the agent fires, or says why it does not, and the guide says the same.
    #[test]
    fn every_event_and_value_is_produced_or_its_absence_is_argued() {
        let native = DIALECTS.iter().find(|dialect| dialect.id() == DialectId::NATIVE).unwrap();
        for row in native.event_rows() {
            let (fires, absent) =
                (find_event_point(&row.event).is_some(), why_absent(&row.event).is_some());
            assert!(fires != absent, "{}: fires {fires}, argued {absent}", row.event);
        }
        let known = |event: &str| native.event_rows().iter().any(|row| row.event == event);
        for event in POINTS
            .iter()
            .map(|point| point.event)
            .chain(ABSENCES.iter().map(|absence| absence.event))
        {
            assert!(known(event), "{event} is the engine's");
        }
        for dialect in DIALECTS {
            for row in dialect.event_rows() {
                let Some(point) = find_event_point(&row.event) else { continue };
                let absent = ABSENCES.iter().filter(|absence| absence.event == point.event);
                let absent: BTreeSet<_> = absent.flat_map(|absence| absence.values).collect();
                for value in dialect.possible_subject_values(&row.event) {
                    let produced = point.values.contains(value);
                    let shown = format!("{:?}: {} on `{value}`", dialect.id(), row.event);
                    assert!(produced != absent.contains(value), "{shown}: produced {produced}");
                }
            }
        }
        for Absence { event, values, why } in ABSENCES {
            let says = |row: &&str| {
                let mut words = std::iter::once(event).chain(*values);
                row.starts_with('|')
                    && row.contains(why)
                    && words.all(|word| row.contains(&format!("`{word}`")))
            };
            assert!(GUIDE.lines().any(|row| says(&row)), "the guide on {event} {values:?}");
        }
    }
}
