//! Copilot CLI: its names, what decides whether its hooks run, and how it is made to call. Data;
//! decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    Consent, MCP_SERVERS_UNLESS_DISABLED, RepositoryFile, hook_file, key, settings_file,
};
use super::{
    Agent, Event, EventLists, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout,
    Sessions, SharedFiles, Syntax, Wrapper, gate_event, observer_event, tool_gate_event,
    tool_observer_event,
};
use crate::syntax::NotStrict;
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    programs: &["copilot"],
    packages: &["@github/copilot", "@github/copilot-cli"],
    // Git Bash: PowerShell is a separate tool.
    windows_shell: &[Language::Posix],
    sessions: Some(Sessions {
        variable: Some("COPILOT_HOME"),
        home: ".copilot",
        directories: &["session-state"],
    }),
    guarded: Guarded {
        files: &[
            ".github/hooks/",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            "~/.copilot/hooks/",
            "~/.copilot/config.json",
            "~/.copilot/settings.json",
            "~/.copilot/installed-plugins/",
            // The organization's hooks in `policy.d`.
            "/etc/github-copilot/",
        ],
        variables: &["COPILOT_HOME", "COPILOT_ALLOW_ALL", "XDG_CONFIG_HOME"],
        options: &[
            "--allow-all-tools",
            "--allow-all-paths",
            "--allow-all-urls",
            "--allow-all",
            "--yolo",
            "--config-dir",
        ],
        ..Guarded::NONE
    },
    reads: &[SharedFiles {
        owner: "claude",
        files: &[".claude/settings.json", ".claude/settings.local.json"],
        events: &[
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "Notification",
        ],
        ignores_matchers: false,
        needs_matcher: false,
        denial: "",
    }],
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".copilot"],
        home_variable: Some("COPILOT_HOME"),
        home: ".copilot",
        user_file: Some("hooks/tenterhook.json"),
        project_file: Some(".github/hooks/tenterhook.json"),
        managed_file: Some("/etc/github-copilot/policy.d/tenterhook.json"),
        form: Form::Own(&HOOK_FILE),
        events: EVENTS,
        gone: "tool calls are denied: any code but 0 is a denial",
        gaps: &[
            "a hook that exceeds its timeout lets the call run; ours ends before",
            "under `--allow-all-tools` a question is answered with yes by Copilot itself",
            "hooks of a repository run in trusted folders only",
            "a tool of an MCP server is called `SERVER-TOOL`: if the server's name has `-`, rules see its first word as the server",
        ],
        next: "Copilot CLI reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".github/hooks/hooks.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Javascript]),
        wrapper: Wrapper::Hooks { version: Some(1) },
        lists: EventLists::Entries,
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "bash"),
        (Field::Seconds, "timeoutSec"),
        (Field::Env, "env"),
        (Field::Cwd, "cwd"),
        (Field::Url, "url"),
    ],
};

/// What Copilot CLI runs of a project. It reads the hooks of Claude Code, too (BR-30).
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".github/hooks/*.json", &["hooks"], TRUST),
    hook_file(".github/copilot/settings.json", &["hooks"], TRUST),
    hook_file(".github/copilot/settings.local.json", &["hooks"], TRUST),
    hook_file(".claude/settings.json", &["hooks"], TRUST),
    hook_file(".claude/settings.local.json", &["hooks"], TRUST),
    // Documented; not started before a file is opened.
    settings_file(
        ".github/lsp.json",
        &[key(&["lspServers", "*"], "when a file is opened, as a language server")],
        Consent::Unknown,
    ),
    // Observed in 1.0.102.
    settings_file(
        ".mcp.json",
        MCP_SERVERS_UNLESS_DISABLED,
        Consent::Asked("after you trust the folder"),
    ),
    settings_file(
        ".github/agents/*.md",
        &[key(&["mcp-servers", "*"], "when this agent is used")],
        TRUST,
    ),
];

/// 1.0.102 with `-p` ran them in a folder that was never trusted.
const TRUST: Consent = Consent::UnaskedIf("with `-p`");

/// The events that call hooks.
const EVENTS: &[Event] = &[
    tool_gate_event("preToolUse", 600),
    tool_gate_event("permissionRequest", 600),
    gate_event("userPromptSubmitted", 60),
    tool_observer_event("postToolUse", 600),
    tool_observer_event("postToolUseFailure", 600),
    observer_event("agentStop", 600),
    observer_event("subagentStop", 600),
    observer_event("preCompact", 60),
    observer_event("sessionStart", 60),
    observer_event("sessionEnd", 10),
    observer_event("errorOccurred", 60),
];
