//! Goose: its names, the settings that its hooks depend on, and the installation of Tenterhook in
//! it. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, MCP_SERVERS, RepositoryFile, hook_file, settings_file};
use super::{
    Agent, EntryValue, Event, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout,
    Unhooked, observer_event, tool_gate_event, tool_observer_event,
};
use crate::event::tool::Tool;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "goose",
    title: "Goose",
    programs: &["goose"],
    packages: &["block/goose", "goose-cli"],
    guarded: Guarded {
        files: &[".agents/plugins/", "~/.config/goose/"],
        variables: &["GOOSE_PATH_ROOT", "GOOSE_MODE"],
        options: &[],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".config/goose"],
        home: ".agents",
        user_file: Some("plugins/tenterhook/hooks/hooks.json"),
        project_file: Some(".agents/plugins/tenterhook/hooks/hooks.json"),
        form: Form::Own(&HOOK_FILE),
        events: EVENTS,
        gone: "tool calls are denied",
        unhooked: &[Unhooked {
            tool: Tool::Agent,
            gap: "subagents (`delegate`) run no hooks",
            pack: "hold-subagents",
        }],
        gaps: &[
            "a hook cannot ask or change a call: both become a denial",
            "prompts cannot be blocked",
        ],
        next: "Goose reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".agents/plugins/hooks/hooks/hooks.json",
    layout: Layout::Json(JsonFile::USUAL),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Closed(EntryValue::Text("block")), "on_failure"),
    ],
};

/// What Goose 1.52.0 runs of a project. It has no switch for one server of a plugin.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".agents/plugins/*/hooks/hooks.json", &["hooks"], Consent::Unasked),
    settings_file(".agents/plugins/*/.mcp.json", MCP_SERVERS, Consent::Unasked),
    settings_file(
        ".agents/plugins/*/{,.plugin/,.goose-plugin/}plugin.json",
        MCP_SERVERS,
        Consent::Unasked,
    ),
];

/// The events for which Goose calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    observer_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    tool_observer_event("PostToolUseFailure", 600),
    observer_event("Stop", 600),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
];
