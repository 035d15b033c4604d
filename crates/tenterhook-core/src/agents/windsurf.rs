//! Windsurf: its names, what decides whether its hooks run, and the installation of Tenterhook in
//! it. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
use super::{
    Agent, Event, EventLists, Evidence, Fallback, Field, Form, Guarded, HookFile, Installation,
    JsonFile, Layout, gate_event, observer_event, tool_gate_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".windsurf/hooks.json",
            ".windsurf/hooks/",
            "~/.codeium/windsurf/",
            "~/.codeium/hooks.json",
            "/etc/windsurf/",
        ],
        variables: &[],
        options: &[],
        ..Guarded::NONE
    },
    evidence: Evidence::Read { source: "docs.windsurf.com/windsurf/cascade/hooks of 2026-11" },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".codeium/windsurf"],
        home: ".codeium/windsurf",
        user_file: Some("hooks.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/windsurf/hooks.json"),
        form: Form::Shared(&HOOK_FILE),
        fallback: Fallback::OnlyExitCode,
        events: EVENTS,
        gone: "the action is denied",
        gaps: &[
            "a hook cannot ask or change a call or a prompt: each becomes a denial",
            "only commands, reads, edits, MCP tools and prompts call hooks: searches, web tools and subagents do not",
            "the end of a turn cannot be put off, and no context can be added",
            "how long Windsurf waits for a hook is not documented",
        ],
        next: "Windsurf reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".windsurf/hooks.json",
    layout: Layout::Json(JsonFile { lists: EventLists::Entries, ..JsonFile::USUAL }),
    keys: &[(Field::Line, "command"), (Field::Cwd, "working_directory")],
};

/// The events for which Windsurf calls Tenterhook.
const EVENTS: &[Event] = &[
    // The call with which `doctor` tries an entry is a command.
    tool_gate_event("pre_run_command", 30),
    gate_event("pre_read_code", 30),
    gate_event("pre_write_code", 30),
    gate_event("pre_mcp_tool_use", 30),
    gate_event("pre_user_prompt", 30),
    observer_event("post_run_command", 30),
    observer_event("post_read_code", 30),
    observer_event("post_write_code", 30),
    observer_event("post_mcp_tool_use", 30),
    observer_event("post_cascade_response", 30),
];

/// What Windsurf runs of a project, by its documents.
const REPOSITORY_FILES: &[RepositoryFile] =
    &[hook_file(".windsurf/hooks.json", &["hooks"], Consent::Unknown)];
