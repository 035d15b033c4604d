//! Kimi Code CLI: its names, what decides whether its hooks run, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;

use super::repository::{
    CommandKey, Consent, ENABLED, MCP_START, RepositoryFile, key, settings_file,
};
use super::{
    Agent, Event, Field, Form, Guarded, HookFile, Installation, Layout, gate_event, observer_event,
    tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "kimi",
    title: "Kimi Code CLI",
    programs: &["kimi"],
    packages: &["@moonshot-ai/kimi-code", "kimi-cli"],
    guarded: Guarded {
        files: &[
            ".kimi-code/config.toml",
            ".kimi-code/plugins/",
            "~/.kimi-code/workspace-trust/",
            "~/.kimi/config.toml",
        ],
        variables: &["KIMI_CODE_HOME"],
        options: &["--yolo", "-y", "--auto", "--auto-approve", "--config-file"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".kimi-code"],
        home_variable: Some("KIMI_CODE_HOME"),
        home: ".kimi-code",
        user_file: Some("config.toml"),
        form: Form::Shared(&HOOK_FILE),
        events: EVENTS,
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a hook cannot ask or change a call: both become a denial",
            "what a hook says after a tool, or when a session starts, is lost",
            "with `-p`, Kimi Code CLI may end before the hooks after a tool do",
            "the end of a turn cannot be denied more than once",
            "one entry with a mistake in `config.toml` switches all hooks off; `status` names it",
            "a hook that exceeds its timeout lets the call run; ours ends before",
        ],
        next: "Kimi Code CLI reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".kimi-code/config.toml",
    layout: Layout::Tables { is_1_1: true },
    keys: &[
        (Field::Event, "event"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
    ],
};

/// What Kimi Code CLI runs of a project, by the code of 2.1.0. A project has no hooks.
const REPOSITORY_FILES: &[RepositoryFile] =
    &[settings_file("{.kimi-code/,.}mcp.json", SERVERS, TRUST)];
/// Read in 2.1.0: a server with `enabled: false` is not connected.
const SERVERS: &[CommandKey] = &[key(&["mcpServers", "*"], MCP_START).given(ENABLED)];
const TRUST: Consent = Consent::Asked("after you trust the folder");

/// The events for which Kimi Code CLI calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    tool_observer_event("PostToolUseFailure", 600),
    observer_event("Stop", 600),
    observer_event("SubagentStart", 60),
    observer_event("SubagentStop", 600),
    observer_event("PreCompact", 60),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
    observer_event("Notification", 60),
];
