//! Gemini CLI: its names, the settings that its hooks depend on, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Consent, MCP_SERVERS, MCP_START, RepositoryFile, hook_file, key, prompt_file,
    settings_file,
};
use super::{
    Agent, Event, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout, Pin, Protection,
    Sessions, Syntax, gate_event, observer_event, tool_gate_event, tool_observer_event,
};
use crate::syntax::NotStrict;
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    packages: &["@google/gemini-cli"],
    windows_shell: &[Language::PowerShell],
    sessions: Some(Sessions { variable: None, home: ".gemini", directories: &["tmp"] }),
    guarded: Guarded {
        files: &[
            ".gemini/settings.json",
            ".gemini/hooks/",
            ".gemini/policies/",
            ".gemini/extensions/",
            ".gemini/config/",
            "~/.gemini/trustedFolders.json",
            "~/.gemini/trusted_hooks.json",
            "/etc/gemini-cli/",
        ],
        variables: &[
            "GEMINI_CLI_HOME",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
            "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
            "GEMINI_CLI_TRUST_WORKSPACE",
        ],
        options: &[
            "--yolo",
            "-y",
            "--approval-mode=yolo",
            "--skip-trust",
            "--no-sandbox",
            "--sandbox=false",
            "--extensions=none",
            "-e=none",
        ],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".gemini"],
        home: ".gemini",
        user_file: Some("settings.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/gemini-cli/settings.json"),
        form: Form::Shared(&HOOK_FILE),
        matcher: Some("*"),
        events: EVENTS,
        switches: &[(&["hooksConfig", "enabled"], false)],
        // Without it, a user's `false` runs no managed hooks either (0.61.0).
        protection: Protection {
            pin: Pin::Settings(&[(&["hooksConfig", "enabled"], true)]),
            ..Protection::NONE
        },
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a question without a person hangs the run",
            "`hooksConfig.disabled` and `GEMINI_CLI_SYSTEM_SETTINGS_PATH` switch hooks off, managed ones too",
        ],
        switch_gaps: &[
            "`hooksConfig.enabled: false` runs no hooks, unless they have `--scope managed`",
        ],
        next: "Gemini CLI reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".gemini/settings.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Comment, NotStrict::Javascript]),
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Milliseconds, "timeout"),
        (Field::Status, "name"),
        (Field::Env, "env"),
    ],
};

/// What Gemini CLI runs of a project. Without a terminal it refuses a folder without trust.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".gemini/settings.json", &["hooks"], TRUST),
    settings_file(".gemini/settings.json", SETTINGS, TRUST),
    settings_file(".gemini/settings.json", MCP_SERVERS, TRUST),
    prompt_file(".gemini/commands/**/*.toml", PROMPT, TRUST),
];

/// When an agent runs the lines of a command's prompt.
pub(super) const PROMPT: &str = "when the command is used";
const TRUST: Consent = Consent::Asked("after you trust the folder");
/// Programs that list and call the tools of a project.
pub(super) const SETTINGS: &[CommandKey] = &[
    key(&["tools", "discoveryCommand"], "at start, to list tools"),
    key(&["tools", "callCommand"], "when a listed tool is called"),
    key(&["toolDiscoveryCommand"], "at start, to list tools"),
    key(&["toolCallCommand"], "when a listed tool is called"),
    key(&["mcp", "serverCommand"], MCP_START),
];

/// The events for which Gemini CLI calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("BeforeTool", 600),
    gate_event("BeforeAgent", 60),
    tool_observer_event("AfterTool", 600),
    observer_event("AfterAgent", 600),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
    observer_event("PreCompress", 60),
    observer_event("Notification", 60),
];
