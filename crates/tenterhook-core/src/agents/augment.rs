//! Auggie: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, MCP_SERVERS, RepositoryFile, hook_file, settings_file};
use super::{
    Agent, Event, Evidence, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout, Syntax,
    observer_event, tool_gate_event, tool_observer_event,
};
use crate::syntax::NotStrict;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "augment",
    title: "Auggie",
    programs: &["auggie"],
    packages: &["@augmentcode/auggie"],
    guarded: Guarded {
        files: &[
            ".augment/settings.json",
            ".augment/settings.local.json",
            ".augment/hooks/",
            "/etc/augment/",
        ],
        options: &["--augment-cache-dir"],
        ..Guarded::NONE
    },
    evidence: Evidence::Read {
        source: "the code of npm @augmentcode/auggie 0.36.0 and docs.augmentcode.com/cli/hooks",
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".augment"],
        home: ".augment",
        user_file: Some("settings.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/augment/settings.json"),
        form: Form::Shared(&HOOK_FILE),
        matcher: Some(".*"),
        events: EVENTS,
        gone: "tool calls are denied",
        gaps: &[
            "hooks run only for accounts for which Augment has switched the feature `enableHooks` on",
            "a hook cannot ask: that becomes a denial",
            "text typed into a started process (`write-process`) is a separate call",
            "prompts cannot be blocked, and context before a tool is lost",
            "an MCP tool is called `TOOL_SERVER`: if the server's name has `_`, rules see its last word as the server",
            "hooks run side by side, and the call that the last one changed is not judged again",
            "a call over 10 MiB reaches no hook, and of one nested deeper than 100 levels only those",
            "a hook that exceeds its timeout lets the call run; ours ends before",
        ],
        next: "Auggie reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".augment/settings.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Comment]),
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Args, "args"),
        (Field::Milliseconds, "timeout"),
    ],
};

/// The events for which Auggie calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    tool_observer_event("PostToolUse", 600),
    observer_event("PromptSubmit", 60),
    observer_event("Stop", 600),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
    observer_event("Notification", 60),
];

/// What Auggie 0.36.0 runs of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".augment/settings.json", &["hooks"], Consent::Unknown),
    hook_file(".augment/settings.local.json", &["hooks"], Consent::Unknown),
    settings_file(".augment/settings.json", MCP_SERVERS, Consent::Unknown),
    settings_file(".augment/settings.local.json", MCP_SERVERS, Consent::Unknown),
];
