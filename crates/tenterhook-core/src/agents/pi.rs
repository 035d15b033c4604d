//! Pi: its names, the settings that its extensions depend on, and the installation of Tenterhook in
//! it. Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Condition, Consent, ENABLED, MCP_START, RepositoryFile, code_file, key,
    settings_file,
};
use super::{
    Agent, Below, Event, Form, Guarded, Installation, Plugin, Sessions, SwitchFile, gate_event,
    observer_event, tool_gate_event, tool_observer_event,
};
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "pi",
    title: "Pi",
    programs: &["pi"],
    packages: &["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    is_part_of_words: true,
    windows_shell: &[Language::Posix, Language::PowerShell],
    sessions: Some(Sessions {
        variable: Some("PI_CODING_AGENT_DIR"),
        home: ".pi/agent",
        directories: &["sessions"],
    }),
    guarded: Guarded {
        files: &[
            ".pi/settings.json",
            ".pi/extensions/",
            ".pi/npm/",
            ".pi/git/",
            "~/.pi/agent/settings.json",
            "~/.pi/agent/trust.json",
            "~/.pi/agent/extensions/",
            "~/.pi/agent/npm/",
            "~/.pi/agent/git/",
        ],
        variables: &["PI_CODING_AGENT_DIR", "PI_PACKAGE_DIR"],
        options: &["--no-extensions", "-ne", "--extension", "-e", "--approve", "-a"],
        commands: &[&["install"], &["config"]],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".pi/agent"],
        home_variable: Some("PI_CODING_AGENT_DIR"),
        home: ".pi/agent",
        // Extensions run in the order of their names, and what a later one changes is not judged.
        user_file: Some("extensions/zz-tenterhook.js"),
        project_file: Some(".pi/extensions/zz-tenterhook.js"),
        form: Form::Plugin(Plugin {
            end: concat!(include_str!("../install/seal.js"), include_str!("pi/extension.js")),
            beside: &[],
            list: None,
        }),
        events: EVENTS,
        switches_elsewhere: &[SwitchFile {
            below: Below::AgentHome,
            file: "settings.json",
            key: (&["extensions"], true),
        }],
        gone: "tool calls and prompts are denied by the extension",
        gaps: &[
            "a hook cannot ask: a question becomes a denial",
            "`--no-extensions` loads no extension",
            "another extension runs in the same process, and can do what a hook denies",
            "a line that you type behind `!` calls no hook",
            "Pi 0.73 runs the extensions of a repository unasked",
            "with `-p`, Pi 0.73 does not wait for a hook at the end of a turn",
        ],
        next: "Pi loads the extension when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// What Pi loads of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    code_file(".pi/extensions/*", EXTENSION, IN_OLD_VERSION),
    code_file(".pi/extensions/*/index.*", EXTENSION, IN_OLD_VERSION),
    settings_file(
        ".pi/extensions/*/package.json",
        &[key(&["pi", "extensions", "*"], EXTENSION)],
        IN_OLD_VERSION,
    ),
    settings_file(".pi/settings.json", SETTINGS, IN_OLD_VERSION),
    settings_file(".pi/mcp.json", SERVERS, TRUST),
];

const SETTINGS: &[CommandKey] = &[
    // `!` and `-` exclude an extension; `+` includes one of those that are found elsewhere.
    key(&["extensions", "*"], EXTENSION).given(Condition::NoPrefix(&["!", "-", "+"])),
    key(&["packages", "*"], PACKAGE),
    // Also with an empty list of extensions: the package is installed.
    key(&["packages", "*", "source"], PACKAGE),
    // Observed in 0.73.1: for a package that is not installed.
    key(&["npmCommand"], "when a package is installed"),
    key(&["shellPath"], "for every shell command"),
    key(&["shellCommandPrefix"], "before every shell command"),
    key(&["externalEditor"], "when the editor is opened"),
];

/// Documented in 1.6.0, which has no MCP servers in `-p` without trust.
const SERVERS: &[CommandKey] = &[
    key(&["mcpServers", "*"], MCP_START).given(ENABLED),
    key(&["mcpServers", "*", "env", "*"], MCP_START).given(SHELL_VALUE),
    key(&["mcpServers", "*", "headers", "*"], MCP_START).given(SHELL_VALUE),
];
/// A value that is a command.
const SHELL_VALUE: Condition = Condition::Prefix("!");
const TRUST: Consent = Consent::Asked("after you trust the project");

const PACKAGE: &str = "at start, as a package";
const EXTENSION: &str = "at start, as an extension";
/// 1.6.0 asks for trust in the project first, and skips its extensions with `-p`.
const IN_OLD_VERSION: Consent = Consent::UnaskedIf("in Pi 0.73");

/// The events for which the extension calls Tenterhook.
pub(super) const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    tool_observer_event("PostToolUseFailure", 600),
    observer_event("Stop", 600),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
];
