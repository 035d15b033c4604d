//! Codex CLI: its names, what decides whether its hooks run, and how it is made to call. Data;
//! decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Consent, ENABLED, MCP_START, RepositoryFile, hook_file, key, settings_file,
};
use super::{
    Agent, Approvals, Below, Event, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout,
    Pin, Protection, Sessions, SwitchFile, gate_event, observer_event, tool_gate_event,
    tool_observer_event,
};
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "codex",
    title: "Codex CLI",
    programs: &["codex"],
    packages: &["@openai/codex"],
    windows_shell: &[Language::PowerShell, Language::Cmd],
    sessions: Some(Sessions {
        variable: Some("CODEX_HOME"),
        home: ".codex",
        directories: &["sessions", "archived_sessions"],
    }),
    guarded: Guarded {
        files: &[
            ".codex/config.toml",
            ".codex/hooks.json",
            ".codex/hooks/",
            ".codex/*.config.toml",
            ".codex/requirements.toml",
            "/etc/codex/",
        ],
        variables: &["CODEX_HOME"],
        options: &[
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            "--yolo",
            "--ignore-user-config",
            "--ignore-rules",
            "--disable=hooks",
            "--disable=codex_hooks",
            "--sandbox=danger-full-access",
            "-s=danger-full-access",
            "--ask-for-approval=never",
            "-a=never",
            "--profile",
            "-p",
        ],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".codex"],
        home_variable: Some("CODEX_HOME"),
        home: ".codex",
        user_file: Some("hooks.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/codex/hooks.json"),
        form: Form::Shared(&HOOK_FILE),
        events: EVENTS,
        approvals: Approvals::ByUser("config.toml"),
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a hook that is not approved in `/hooks` is skipped, silently in `codex exec`, unless it has `--scope managed`",
            "typing into a running shell (`write_stdin`) calls no hook",
            "calls from code mode may call no hook",
            "a hook cannot ask: a question becomes a denial",
            "`--dangerously-bypass-hook-trust` switches approval off",
        ],
        switch_gaps: &[
            "`--disable hooks` switches hooks off, unless `/etc/codex/requirements.toml` has `hooks = true` below `[features]`",
        ],
        next: "start `codex`, type `/hooks` and approve the hooks: until then Codex skips them",
        switches_elsewhere: &[
            // `true` there pins the feature (0.169.0): nothing below switches it off.
            SwitchFile {
                below: Below::Root,
                file: "etc/codex/requirements.toml",
                key: (&["features", "hooks"], false),
            },
            SwitchFile {
                below: Below::Project,
                file: ".codex/config.toml",
                key: (&["features", "hooks"], false),
            },
            SwitchFile {
                below: Below::AgentHome,
                file: "config.toml",
                key: (&["features", "hooks"], false),
            },
        ],
        protection: Protection {
            pin: Pin::ByHand("`hooks = true` below `[features]` in `/etc/codex/requirements.toml`"),
            only_managed: Some(SwitchFile {
                below: Below::Root,
                file: "etc/codex/requirements.toml",
                key: (&["allow_managed_hooks_only"], true),
            }),
            ..Protection::NONE
        },
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".codex/hooks.json",
    layout: Layout::Json(JsonFile { root_keys: &["description", "hooks"], ..JsonFile::USUAL }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Status, "statusMessage"),
        (Field::Background, "async"),
        (Field::Prompt, "prompt"),
        (Field::Server, "server"),
    ],
};

/// What Codex CLI runs of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".codex/hooks.json", &["hooks"], APPROVED),
    hook_file(".codex/config.toml", &["hooks"], APPROVED),
    settings_file(".codex/config.toml", SERVERS, Consent::Asked("after you trust the folder")),
];

const APPROVED: Consent = Consent::Asked("after you approve each in `/hooks`");
/// Observed in 0.169.0; `notify` and providers of a project are ignored.
const SERVERS: &[CommandKey] = &[key(&["mcp_servers", "*"], MCP_START).given(ENABLED)];

/// The events that call hooks.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    tool_gate_event("PermissionRequest", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    observer_event("Stop", 600),
    observer_event("SubagentStart", 60),
    observer_event("SubagentStop", 600),
    observer_event("PreCompact", 60),
    observer_event("PostCompact", 60),
    observer_event("SessionStart", 60),
    // Codex limits the timeout to this.
    observer_event("SessionEnd", 3),
];
