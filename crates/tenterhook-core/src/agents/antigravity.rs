//! Antigravity: its names, what decides whether its hooks run, and the installation of Tenterhook in
//! it. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
use super::{
    Agent, Event, EventLists, Evidence, FLAT_MCP_NAMES, Field, Form, Guarded, HookFile,
    Installation, JsonFile, Layout, Wrapper, observer_event, tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "antigravity",
    title: "Antigravity",
    programs: &["agy", "antigravity"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".agents/hooks.json",
            ".agent/hooks.json",
            "_agents/hooks.json",
            "_agent/hooks.json",
            "~/.gemini/config/",
            "~/.gemini/antigravity-cli/",
        ],
        variables: &[],
        options: &["--dangerously-skip-permissions"],
        ..Guarded::NONE
    },
    evidence: Evidence::Read {
        source: "antigravity.google/docs/hooks and what others measured with 1.1.2 to 1.2.7",
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".gemini/antigravity-cli", ".gemini/config"],
        home: ".gemini/config",
        user_file: Some("hooks.json"),
        project_file: Some(HOOK_FILE.path),
        form: Form::Shared(&HOOK_FILE),
        matcher: Some("*"),
        events: EVENTS,
        switches: &[(&["tenterhook", "enabled"], false)],
        gone: "tool calls are denied",
        gaps: &[
            "a hook cannot change a call: that becomes a denial",
            "there is no event for a prompt, so none can be blocked",
            FLAT_MCP_NAMES,
            "under `--dangerously-skip-permissions` a question may be skipped",
            "for one mistake in its `hooks.json` Antigravity drops the whole file and does not say so",
        ],
        next: "Antigravity reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".agents/hooks.json",
    layout: Layout::Json(JsonFile {
        wrapper: Wrapper::Name,
        lists: EventLists::GroupsOf(GROUPED),
        ignores_case: true,
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
    ],
};

/// The events whose lists hold groups.
pub(crate) const GROUPED: &[&str] = &["PreToolUse", "PostToolUse"];

/// The events for which Antigravity calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    tool_observer_event("PostToolUse", 600),
    observer_event("PreInvocation", 60),
    observer_event("Stop", 600),
    observer_event("SessionStart", 60),
];

/// What Antigravity runs of a project, by public repositories. The root holds named hooks.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".agents/hooks.json", &[], Consent::Unknown),
    hook_file(".agent/hooks.json", &[], Consent::Unknown),
    hook_file("_agents/hooks.json", &[], Consent::Unknown),
    hook_file("_agent/hooks.json", &[], Consent::Unknown),
];
