//! OpenCode: its names, the settings that its hooks depend on, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{CommandKey, Consent, MCP_START, RepositoryFile, code_file, settings_file};
use super::{
    Agent, Event, Form, Guarded, Installation, Plugin, Scope, Sessions, gate_event,
    new_config_path, observer_event, tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    programs: &["opencode"],
    packages: &["opencode-ai"],
    sessions: Some(Sessions {
        variable: Some("XDG_DATA_HOME"),
        home: ".local/share",
        directories: &["opencode"],
    }),
    guarded: Guarded {
        files: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/plugin/",
            ".opencode/plugins/",
            ".opencode/tool/",
            ".opencode/tools/",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
            ".opencode/package.json",
            "~/.config/opencode/",
            "~/.local/share/opencode/",
        ],
        variables: &[
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_CONFIG_CONTENT",
            "OPENCODE_PERMISSION",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        ],
        options: &["--pure", "--auto"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".config/opencode", ".local/share/opencode"],
        home_variable: Some("XDG_CONFIG_HOME"),
        home: ".config",
        places: &[
            new_config_path(Scope::User, "opencode/plugin/tenterhook.js"),
            new_config_path(Scope::Project, ".opencode/plugin/tenterhook.js"),
        ],
        form: FORM,
        events: EVENTS,
        gone: "tool calls and prompts are denied by the plugin",
        gaps: &[
            "a hook cannot ask: a question becomes a denial",
            "a tool of an MCP server is called `SERVER_TOOL`, and no matcher for `mcp__SERVER__TOOL` selects it",
            "the end of a turn cannot be blocked",
            "`--pure` loads no plugin",
        ],
        next: "OpenCode loads the plugin when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// What OpenCode loads of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    settings_file("opencode.json", NAMED, Consent::Unasked),
    settings_file("opencode.jsonc", NAMED, Consent::Unasked),
    settings_file(".opencode/opencode.json", NAMED, Consent::Unasked),
    settings_file(".opencode/opencode.jsonc", NAMED, Consent::Unasked),
    code_file(".opencode/plugin/*", PLUGIN, Consent::Unasked),
    code_file(".opencode/plugins/*", PLUGIN, Consent::Unasked),
    code_file(".opencode/tool/*", TOOL, Consent::Unasked),
    code_file(".opencode/tools/*", TOOL, Consent::Unasked),
];

/// When an agent loads a plugin in a folder of a project.
pub(super) const PLUGIN: &str = "at start, as a plugin";
/// When an agent loads a tool in a folder of a project, into the process of the plugins.
pub(super) const TOOL: &str = "with a session, as a tool";
/// Plugins and servers that the settings of a project name.
pub(super) const NAMED: &[CommandKey] =
    &[(&["plugin"], "at start, as plugins"), (&["mcp", "*", "command"], MCP_START)];

/// The format of its config file.
pub(super) const FORM: Form = Form::Plugin(Plugin {
    end: concat!(
        include_str!("../install/seal.js"),
        include_str!("opencode/plugin.js"),
        include_str!("opencode/end.js")
    ),
    beside: &[],
    list: None,
});

/// The events for which the plugin calls Tenterhook.
pub(super) const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    observer_event("shell_env", 30),
    observer_event("SessionStart", 60),
    observer_event("session.idle", 60),
];
