//! Droid: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::{
    Agent, Event, Form, Guarded, Installation, Scope, gate_event, new_config_path, observer_event,
    tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "droid",
    title: "Droid",
    programs: &["droid"],
    packages: &["@factory/cli"],
    is_part_of_words: true,
    guarded: Guarded {
        files: &[
            ".factory/hooks.json",
            ".factory/hooks/",
            ".factory/settings.json",
            ".factory/settings.local.json",
            ".factory/plugins/",
            "/etc/factory/",
        ],
        variables: &["FACTORY_HOME_OVERRIDE"],
        options: &["--skip-permissions-unsafe", "--auto=high"],
        ..Guarded::NONE
    },
    installation: Installation {
        seen: &[".factory"],
        home: ".factory",
        places: &[
            new_config_path(Scope::User, "hooks.json"),
            new_config_path(Scope::Project, ".factory/hooks.json"),
        ],
        form: Form::Groups,
        bare: true,
        comments: true,
        events: EVENTS,
        time: ("timeout", 1),
        switches: &[(&["hooksDisabled"], true)],
        matcher: Some("*"),
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a hook cannot ask: that becomes a denial",
            "`droid exec` calls no hook for a prompt (0.225.2)",
        ],
        next: "Droid reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// The events for which Droid calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    observer_event("Stop", 600),
    observer_event("SubagentStop", 600),
    observer_event("PreCompact", 60),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
    observer_event("Notification", 60),
];
