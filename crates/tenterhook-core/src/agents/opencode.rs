//! OpenCode: its names, the settings that its hooks depend on, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Condition, Consent, DISABLED, ENABLED, MCP_START, RepositoryFile, code_file, key,
    settings_file, template_file,
};
use super::{
    Agent, Event, Form, Guarded, Installation, Plugin, Sessions, gate_event, observer_event,
    tool_gate_event, tool_observer_event,
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
        user_file: Some("opencode/plugin/tenterhook.js"),
        project_file: Some(".opencode/plugin/tenterhook.js"),
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

/// What OpenCode loads of a project; each kind was seen to run unasked in 1.18.33.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    settings_file("{.opencode/,}opencode.{json,jsonc}", NAMED, Consent::Unasked),
    code_file(".opencode/{plugin,plugins}/*", PLUGIN, Consent::Unasked),
    code_file(".opencode/{tool,tools}/*.{js,ts}", TOOL, Consent::Unasked),
    template_file(".opencode/{command,commands}/**/*.md", TEMPLATE, Consent::Unasked),
];

/// When an agent loads a plugin in a folder of a project.
pub(super) const PLUGIN: &str = "at start, as a plugin";
/// When an agent loads a tool in a folder of a project, into the process of the plugins.
pub(super) const TOOL: &str = "with a session, as a tool";
/// When an agent runs the lines of a command's template.
pub(super) const TEMPLATE: &str = "when the command is used";
const PROVIDER: &str = "when a model of this provider is used";
/// What the settings of a project name.
pub(super) const NAMED: &[CommandKey] = &[
    // Each element is a text, or a list of a text and options.
    key(&["plugin", "*"], "at start, as a plugin"),
    key(&["mcp", "*", "command"], MCP_START).given(ENABLED),
    key(&["formatter", "*", "command"], "after a file is edited").given(DISABLED),
    key(&["lsp", "*", "command"], "when a file is opened").given(DISABLED),
    key(&["command", "*", "template"], TEMPLATE).given(Condition::Containing(&["!`"])),
    key(&["shell"], "for every shell command").given(Condition::NoneOf(SHELLS)),
    key(&["provider", "*", "npm"], PROVIDER).given(Condition::NoneOf(BUNDLED)),
    key(&["provider", "*", "models", "*", "provider", "npm"], PROVIDER)
        .given(Condition::NoneOf(BUNDLED)),
];

/// Shells that are no file of a project.
const SHELLS: &[&str] = &[
    "bash",
    "fish",
    "sh",
    "zsh",
    "pwsh",
    "powershell",
    "cmd",
    "/bin/bash",
    "/bin/sh",
    "/bin/zsh",
    "/usr/bin/bash",
    "/usr/bin/fish",
    "/usr/bin/zsh",
];

/// Packages of providers that are a part of OpenCode 1.18.33 and Kilo 7.7.9; others are installed.
const BUNDLED: &[&str] = &[
    "@ai-sdk/alibaba",
    "@ai-sdk/amazon-bedrock",
    "@ai-sdk/amazon-bedrock/mantle",
    "@ai-sdk/anthropic",
    "@ai-sdk/azure",
    "@ai-sdk/cerebras",
    "@ai-sdk/cohere",
    "@ai-sdk/deepinfra",
    "@ai-sdk/gateway",
    "@ai-sdk/github-copilot",
    "@ai-sdk/google",
    "@ai-sdk/google-vertex",
    "@ai-sdk/google-vertex/anthropic",
    "@ai-sdk/groq",
    "@ai-sdk/mistral",
    "@ai-sdk/openai",
    "@ai-sdk/openai-compatible",
    "@ai-sdk/perplexity",
    "@ai-sdk/togetherai",
    "@ai-sdk/vercel",
    "@ai-sdk/xai",
    "@openrouter/ai-sdk-provider",
    "gitlab-ai-provider",
    "venice-ai-sdk-provider",
];

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
