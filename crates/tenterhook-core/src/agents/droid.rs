//! Droid: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    Consent, MCP_SERVERS_UNLESS_DISABLED, RepositoryFile, hook_file, key, settings_file,
};
use super::{
    Agent, Below, Event, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout,
    Protection, Sessions, SwitchFile, Syntax, Wrapper, gate_event, observer_event, tool_gate_event,
    tool_observer_event,
};
use crate::syntax::NotStrict;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "droid",
    title: "Droid",
    programs: &["droid"],
    packages: &["@factory/cli"],
    is_part_of_words: true,
    sessions: Some(Sessions {
        variable: Some("FACTORY_HOME_OVERRIDE"),
        home: "",
        directories: &[".factory/sessions"],
    }),
    guarded: Guarded {
        files: &[
            ".factory/hooks.json",
            ".factory/hooks/",
            ".factory/settings.json",
            ".factory/settings.local.json",
            ".factory/plugins/",
            "/etc/factory/",
        ],
        variables: &["FACTORY_HOME_OVERRIDE", "FACTORY_RUNTIME_SETTINGS_PATH"],
        options: &["--skip-permissions-unsafe", "--auto=high"],
        commands: &[&["plugin", "install"]],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".factory"],
        home: ".factory",
        user_file: Some("hooks.json"),
        project_file: Some(HOOK_FILE.path),
        form: Form::Shared(&HOOK_FILE),
        matcher: Some("*"),
        events: EVENTS,
        switches: &[(&["hooksDisabled"], true)],
        switches_elsewhere: &[
            new_switch_file(Below::Project, ".factory/hooks.json", &["hooksDisabled"]),
            new_switch_file(Below::Project, ".factory/hooks/hooks.json", &["hooksDisabled"]),
            new_switch_file(Below::Project, ".factory/settings.json", &["hooks", "hooksDisabled"]),
            new_switch_file(Below::Root, "etc/factory/settings.json", &["hooks", "hooksDisabled"]),
            new_switch_file(Below::AgentHome, "hooks/hooks.json", &["hooksDisabled"]),
            new_switch_file(Below::AgentHome, "settings.json", &["hooks", "hooksDisabled"]),
        ],
        switch_variables: &["FACTORY_HOME_OVERRIDE"],
        protection: Protection {
            only_managed: Some(new_switch_file(
                Below::Root,
                "etc/factory/settings.json",
                &["allowManagedHooksOnly"],
            )),
            ..Protection::NONE
        },
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a hook cannot ask: that becomes a denial",
            "`droid exec` calls no hook for a prompt (0.225.2)",
            "a repository's hook can change a call after yours judged it",
            "`hooksDisabled` in a repository's `.factory` or in a plugin switches yours off, too",
        ],
        next: "Droid reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".factory/hooks.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Comment]),
        wrapper: Wrapper::Root,
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
    ],
};

/// What Droid 0.225.2 runs of a project: its hooks unasked, also with `--auto low`.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".factory/hooks.json", &[], Consent::Unasked),
    hook_file(".factory/hooks/hooks.json", &[], Consent::Unasked),
    hook_file(".factory/settings.json", &["hooks"], Consent::Unasked),
    // Observed in `droid exec` 0.225.2.
    settings_file(".factory/mcp.json", MCP_SERVERS_UNLESS_DISABLED, Consent::Unasked),
    settings_file(
        ".factory/settings.json",
        &[key(&["statusLine", "command"], "when its screen is drawn")],
        Consent::Asked("after you trust the folder"),
    ),
];

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

/// Creates the switch in one file, which is off if `true`.
const fn new_switch_file(
    below: Below,
    file: &'static str,
    key: &'static [&'static str],
) -> SwitchFile {
    SwitchFile { below, file, key: (key, true) }
}
