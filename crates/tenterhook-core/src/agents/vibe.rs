//! Mistral Vibe: its names, what decides whether its hooks run, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Consent, MCP_START, RepositoryFile, code_file, hook_file, key, settings_file,
};
use super::{
    Agent, Below, EntryValue, Event, Field, Form, Guarded, HookFile, Installation, Layout,
    Sessions, env_file, observer_event, tool_gate_event, tool_observer_event,
};
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "vibe",
    title: "Mistral Vibe",
    programs: &["vibe", "vibe-acp", "vibe-app-server"],
    packages: &["mistral-vibe"],
    is_part_of_words: true,
    windows_shell: &[Language::Posix, Language::PowerShell],
    sessions: Some(Sessions {
        variable: Some("VIBE_HOME"),
        home: ".vibe",
        directories: &["logs/session/unified"],
    }),
    guarded: Guarded {
        files: &[
            ".vibe/hooks.toml",
            ".vibe/config.toml",
            ".vibe/plugins/",
            "~/.vibe/trusted_folders.toml",
            "~/.vibe/.env",
        ],
        variables: &["VIBE_HOME"],
        options: &[
            "--auto-approve",
            "--yolo",
            "--agent=auto-approve",
            "--trust",
            // A folder added in this way is trusted, and its hooks run before the user's.
            "--add-dir",
        ],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".vibe"],
        home_variable: Some("VIBE_HOME"),
        // `vibe/core/config/vibe_schema.py` of 3.0.3.
        env_files: &[env_file(Below::AgentHome, ".env")],
        home: ".vibe",
        user_file: Some("hooks.toml"),
        project_file: Some(HOOK_FILE.path),
        form: Form::Shared(&HOOK_FILE),
        events: EVENTS,
        gone: "tool calls are denied",
        gaps: &[
            "Mistral Vibe calls no hook for a prompt, or when a session starts or ends",
            "a hook cannot ask: a question becomes a denial",
            "a changed call that Mistral Vibe might refuse becomes a denial: it would end the run",
            "a hook that is written below ours in `hooks.toml` can change a judged call, until `install` runs again",
            "text typed into a started process (`process.write`) is a separate call, and no command",
            "the end of a turn cannot be denied more than 3 times",
        ],
        next: "Mistral Vibe reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".vibe/hooks.toml",
    layout: Layout::Tables { is_1_1: false },
    keys: &[
        (Field::Name, "name"),
        (Field::Event, "type"),
        (Field::Matcher, "match"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Closed(EntryValue::True), "strict"),
    ],
};

/// What Mistral Vibe runs of a project. 3.0.3 skips the hooks of a folder without trust.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".vibe/hooks.toml", &["hooks"], TRUST),
    settings_file(".vibe/config.toml", SERVERS, TRUST),
    code_file(".vibe/tools/**/*.py", "at start, as a tool", TRUST),
];
const TRUST: Consent = Consent::Asked("after you trust the folder, or with `--trust`");
/// Read in 3.0.3: a server with `disabled` is started, and its tools are hidden.
const SERVERS: &[CommandKey] = &[
    key(&["mcp_servers", "*"], MCP_START),
    key(&["tool_paths", "*"], "at start, as a directory of tools"),
];

/// The events for which Mistral Vibe calls Tenterhook: all that it has.
const EVENTS: &[Event] = &[
    tool_gate_event("pre_tool", 600),
    tool_observer_event("post_tool", 600),
    observer_event("post_agent", 600),
];
