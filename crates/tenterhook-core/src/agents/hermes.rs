//! Hermes: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{Consent, RepositoryFile, code_file};
use super::{
    Agent, Approvals, Below, EntryValue, Event, Fallback, Field, Form, Guarded, HookFile,
    Installation, Layout, Sessions, env_file, gate_event, observer_event, overriding_env_file,
    tool_gate_event, tool_observer_event,
};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "hermes",
    title: "Hermes",
    programs: &["hermes", "hermes-agent", "hermes-acp"],
    packages: &["hermes-agent"],
    is_part_of_words: true,
    sessions: Some(Sessions {
        variable: Some("HERMES_HOME"),
        home: ".hermes",
        directories: &["state.db", "profiles"],
    }),
    guarded: Guarded {
        files: &[
            ".hermes/config.yaml",
            ".hermes/shell-hooks-allowlist.json",
            ".hermes/.env",
            ".hermes/.op.env",
            ".hermes/plugins/",
            ".hermes/hooks/",
            ".hermes/profiles/*/config.yaml",
            ".hermes/profiles/*/shell-hooks-allowlist.json",
            ".hermes/profiles/*/.env",
            ".hermes/profiles/*/plugins/",
            ".hermes/profiles/*/hooks/",
            ".hermes/active_profile",
            "/etc/hermes/",
        ],
        variables: &[
            "HERMES_HOME",
            "HERMES_SAFE_MODE",
            "HERMES_IGNORE_USER_CONFIG",
            "HERMES_MANAGED_DIR",
            "HERMES_BUNDLED_PLUGINS",
            "HERMES_YOLO_MODE",
            "HERMES_ACCEPT_HOOKS",
            "HERMES_ENABLE_PROJECT_PLUGINS",
        ],
        options: &[
            "--safe-mode",
            "--ignore-user-config",
            "--yolo",
            "--accept-hooks",
            "--profile",
            "-p",
        ],
        commands: &[
            &["hooks", "revoke"],
            &["plugins", "install"],
            &["plugins", "enable"],
            &["profile", "use"],
        ],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".hermes"],
        home_variable: Some("HERMES_HOME"),
        home: ".hermes",
        user_file: Some("config.yaml"),
        form: Form::Shared(&HOOK_FILE),
        fallback: Fallback::Print(r#"{"action":"block","message":"@REASON@"}"#),
        events: EVENTS,
        approvals: Approvals::ByInstall("shell-hooks-allowlist.json"),
        // Hooks still ran with `HERMES_IGNORE_USER_CONFIG` (played with 0.19.0).
        switch_variables: &["HERMES_SAFE_MODE"],
        // `hermes_cli/env_loader.py` of 0.19.0.
        env_files: &[
            overriding_env_file(Below::Root, "etc/hermes/.env"),
            overriding_env_file(Below::AgentHome, ".env"),
            env_file(Below::AgentHome, ".op.env"),
        ],
        gone: "tool calls are denied",
        gaps: &[
            "a hook cannot ask or change a call: both become a denial",
            "a call with half a character (`\\ud800`) in its arguments runs: Hermes cannot hand it to a hook; in a locale without UTF-8, also one with a letter beyond ASCII",
            "a Python plugin runs in the same process, and its `approve` counts before a later denial",
            "a prompt cannot be blocked",
            "since 0.20, what the `modify` of your other hooks changes in a call is not asked about again",
            "a hook that takes longer than 300 seconds lets the call run; ours ends before",
            "the end of a turn is a gate only after Hermes changed files",
            "each profile (`hermes -p NAME`) has its own `HERMES_HOME`: install in each",
        ],
        switch_gaps: &[
            "`--safe-mode`, and `HERMES_SAFE_MODE=1` in the environment or in `~/.hermes/.env`, switch all hooks off",
        ],
        next: "Hermes reads it when it is started next, and does not ask",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".hermes/config.yaml",
    layout: Layout::Yaml,
    keys: &[
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::ClosedForTools(EntryValue::True), "fail_closed"),
    ],
};

/// What Hermes loads of a project (read in 0.19.0).
const REPOSITORY_FILES: &[RepositoryFile] = &[code_file(
    ".hermes/plugins/*/__init__.py",
    "at start, as a plugin",
    Consent::Asked("after you set `HERMES_ENABLE_PROJECT_PLUGINS`"),
)];

/// The events for which Hermes calls Tenterhook. It stops waiting after 300 seconds, whatever an
/// entry says.
const EVENTS: &[Event] = &[
    tool_gate_event("pre_tool_call", 300),
    gate_event("pre_verify", 300),
    tool_observer_event("post_tool_call", 300),
    observer_event("pre_llm_call", 60),
    observer_event("on_session_start", 60),
    observer_event("on_session_finalize", 10),
    observer_event("subagent_start", 60),
    observer_event("subagent_stop", 60),
];
