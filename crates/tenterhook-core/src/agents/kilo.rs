//! Kilo, a fork of OpenCode: its names, the settings that its hooks depend on, and the installation
//! of Tenterhook in it. Data; decides nothing.

pub mod dialect;

use super::repository::{
    Consent, MCP_SERVERS_UNLESS_DISABLED, RepositoryFile, code_file, settings_file, template_file,
};
use super::{Agent, Guarded, Installation, Sessions, opencode};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "kilo",
    title: "Kilo",
    programs: &["kilo", "kilocode"],
    packages: &["@kilocode/cli"],
    sessions: Some(Sessions {
        variable: Some("XDG_DATA_HOME"),
        home: ".local/share",
        directories: &["kilo"],
    }),
    guarded: Guarded {
        files: &[
            "kilo.json",
            "kilo.jsonc",
            ".kilo/plugin/",
            ".kilo/plugins/",
            ".kilo/tool/",
            ".kilo/tools/",
            ".kilo/kilo.json",
            ".kilo/kilo.jsonc",
            ".kilo/package.json",
            ".kilocode/plugin/",
            ".kilocode/plugins/",
            ".kilocode/tool/",
            ".kilocode/tools/",
            ".kilocode/kilo.json",
            ".kilocode/kilo.jsonc",
            ".kilocode/package.json",
            "~/.config/kilo/",
            "~/.local/share/kilo/",
            "/etc/kilo/",
        ],
        variables: &[
            "KILO_CONFIG",
            "KILO_CONFIG_DIR",
            "KILO_CONFIG_CONTENT",
            "KILO_PERMISSION",
            "KILO_PURE",
            "KILO_DISABLE_DEFAULT_PLUGINS",
            "KILO_TEST_HOME",
            "KILO_TEST_MANAGED_CONFIG_DIR",
        ],
        options: &["--pure", "--auto"],
        commands: &[&["plugin"]],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".config/kilo", ".local/share/kilo"],
        home_variable: Some("XDG_CONFIG_HOME"),
        home: ".config",
        user_file: Some("kilo/plugin/tenterhook.js"),
        project_file: Some(".kilo/plugin/tenterhook.js"),
        form: opencode::FORM,
        events: opencode::EVENTS,
        switch_variables: &["KILO_PURE"],
        gone: "tool calls and prompts are denied by the plugin",
        gaps: &[
            "a hook cannot ask: a question becomes a denial",
            "a tool of an MCP server is called `SERVER_TOOL`, and no matcher for `mcp__SERVER__TOOL` selects it",
            "the end of a turn cannot be blocked",
            "`--pure` and `KILO_PURE` load no plugin",
            "the plugins of a repository run unasked",
        ],
        next: "Kilo loads the plugin when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// What Kilo loads of a project; each kind was seen to run unasked in 7.7.9.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    settings_file("{kilo,opencode}.{json,jsonc}", opencode::NAMED, Consent::Unasked),
    settings_file(
        "{.kilo,.kilocode}/{kilo,opencode}.{json,jsonc}",
        opencode::NAMED,
        Consent::Unasked,
    ),
    settings_file("{.kilo,.kilocode}/mcp.json", MCP_SERVERS_UNLESS_DISABLED, Consent::Unasked),
    code_file("{.kilo,.kilocode}/{plugin,plugins}/*", opencode::PLUGIN, Consent::Unasked),
    // Documented for its Agent Manager.
    code_file(
        ".kilo/setup-script{,.sh,.ps1,.cmd,.bat}",
        "when a worktree is made",
        Consent::Unknown,
    ),
    code_file(".kilo/run-script{,.sh,.ps1,.cmd,.bat}", "behind the Run button", Consent::Unknown),
    code_file("{.kilo,.kilocode}/{tool,tools}/*.{js,ts}", opencode::TOOL, Consent::Unasked),
    template_file(
        "{.kilo,.kilocode}/{command,commands,workflows}/**/*.md",
        opencode::TEMPLATE,
        Consent::Unasked,
    ),
];
