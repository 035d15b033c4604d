//! Amp: its names, what decides whether its plugins run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::repository::{
    CommandKey, Consent, MCP_START, RepositoryFile, code_file, key, settings_file,
};
use super::{
    Agent, Event, Evidence, Form, Guarded, Installation, Plugin, gate_event, observer_event,
    tool_gate_event, tool_observer_event,
};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "amp",
    title: "Amp",
    programs: &["amp"],
    packages: &["@sourcegraph/amp", "@ampcode/cli"],
    is_part_of_words: true,
    guarded: Guarded {
        files: &[".amp/settings.json", ".amp/plugins/", "~/.config/amp/", "/etc/ampcode/"],
        variables: &["AMP_SETTINGS_FILE", "AMP_DISABLE_PLUGINS"],
        options: &["--dangerously-allow-all", "--settings-file"],
        ..Guarded::NONE
    },
    evidence: Evidence::Read {
        source: "the code of npm @ampcode/cli-linux-x64 0.0.1790142911, in whose plugin runtime alone our plugin ran",
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".config/amp"],
        home: ".config/amp",
        user_file: Some("plugins/tenterhook.js"),
        project_file: Some(".amp/plugins/tenterhook.js"),
        form: Form::Plugin(Plugin { end: include_str!("amp/plugin.js"), beside: &[], list: None }),
        events: EVENTS,
        switch_variables: &["AMP_DISABLE_PLUGINS"],
        gone: "tool calls and prompts are denied by the plugin",
        gaps: &[
            "a hook cannot ask or change a prompt: each becomes a denial",
            "Amp asks all plugins about a call at once: one that comes before ours and changes the call or answers it wins over a denial",
            "a plugin that fails to load is skipped",
            "at most 5 turns in a row begin because a hook keeps Amp from ending",
        ],
        next: "Amp loads the plugin when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// What Amp loads of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    code_file(".amp/plugins/*", "at start, as a plugin", Consent::Unknown),
    settings_file(".amp/settings.json", SERVERS, Consent::Unknown),
];

const SERVERS: &[CommandKey] = &[key(&["amp.mcpServers", "*"], MCP_START)];

/// The events for which the plugin calls Tenterhook.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    tool_observer_event("PostToolUseFailure", 600),
    observer_event("Stop", 600),
    observer_event("SessionStart", 60),
];
