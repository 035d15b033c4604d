//! Kiro: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::repository::{
    Consent, MCP_SERVERS, MCP_SERVERS_UNLESS_DISABLED, RepositoryFile, hook_file, settings_file,
};
use super::{
    Agent, Event, Evidence, FLAT_MCP_NAMES, Fallback, Field, Form, Guarded, HookFile, Installation,
    Layout, gate_event, observer_event, tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "kiro",
    title: "Kiro",
    programs: &["kiro-cli", "kiro"],
    packages: &[],
    guarded: Guarded {
        files: &[".kiro/hooks/", ".kiro/settings/", ".kiro/agents/"],
        variables: &["KIRO_HOME"],
        options: &["--trust-all-tools", "-a", "--no-interactive", "--classic"],
        ..Guarded::NONE
    },
    evidence: Evidence::Read {
        source: "kiro.dev/docs of 2026-11 and aws/amazon-q-developer-cli at cc6683e",
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".kiro"],
        home: ".kiro",
        user_file: Some("hooks/tenterhook.json"),
        project_file: Some(".kiro/hooks/tenterhook.json"),
        form: Form::Own(&HOOK_FILE),
        fallback: Fallback::OnlyExitCode,
        switch_variables: &["KIRO_HOME"],
        events: EVENTS,
        gone: "tool calls are denied",
        gaps: &[
            "the engine of Kiro CLI 2.x (`--classic`) reads no hook file: there, add the command of the entry `tenterhook PreToolUse` to `hooks.preToolUse` in the definition of your agent, `~/.kiro/agents/NAME.json`",
            "a hook cannot ask or change a call or a prompt: each becomes a denial",
            "the end of a turn cannot be put off",
            "only a hook in Kiro's own form can deny the start of a task, not one of `tenterhook.toml`",
            FLAT_MCP_NAMES,
            "a hook that exceeds its timeout lets the call run; ours ends before",
        ],
        next: "Kiro reads it when a session is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".kiro/hooks/converted.json",
    layout: Layout::Actions,
    keys: &[
        (Field::Name, "name"),
        (Field::Event, "trigger"),
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
    ],
};

/// The events for which Kiro calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    gate_event("PreTaskExec", 60),
    tool_observer_event("PostToolUse", 600),
    observer_event("SessionStart", 60),
    observer_event("Stop", 60),
];

/// What Kiro runs of a project, by its documents.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".kiro/agents/*.json", &["hooks"], Consent::Unknown),
    hook_file(".kiro/hooks/*.json", &["hooks"], Consent::Unknown),
    settings_file(".kiro/agents/*.json", MCP_SERVERS, Consent::Unknown),
    settings_file(".kiro/settings/mcp.json", MCP_SERVERS_UNLESS_DISABLED, Consent::Unknown),
];
