//! Qwen Code: its names, what decides whether its hooks run, and how it is made to call. Data;
//! decides nothing.

pub mod dialect;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::repository::{
    CommandKey, Consent, MCP_SERVERS, RepositoryFile, hook_file, key, prompt_file, settings_file,
};
use super::{
    Agent, Below, Event, Field, Form, Guarded, HookFile, Installation, JsonFile, Layout, Sessions,
    Syntax, env_file, gate_event, gemini, observer_event, tool_gate_event, tool_observer_event,
};
use crate::syntax::NotStrict;
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    programs: &["qwen"],
    packages: &["@qwen-code/qwen-code"],
    windows_shell: &[Language::PowerShell],
    sessions: Some(Sessions { variable: None, home: ".qwen", directories: &["projects"] }),
    guarded: Guarded {
        files: &[
            ".qwen/settings.json",
            ".qwen/hooks/",
            ".qwen/extensions/",
            "~/.qwen/trustedFolders.json",
            "/etc/qwen-code/",
        ],
        variables: &[
            "QWEN_HOME",
            "QWEN_CODE_SIMPLE",
            "QWEN_CODE_SAFE_MODE",
            "QWEN_CODE_SYSTEM_SETTINGS_PATH",
            "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
            "QWEN_CODE_TRUSTED_FOLDERS_PATH",
        ],
        options: &["--yolo", "-y", "--approval-mode=yolo", "--bare", "--safe-mode"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".qwen"],
        home_variable: Some("QWEN_HOME"),
        home: ".qwen",
        user_file: Some("settings.json"),
        project_file: Some(HOOK_FILE.path),
        form: Form::Shared(&HOOK_FILE),
        matcher: Some("*"),
        events: EVENTS,
        switches: &[(&["disableAllHooks"], true)],
        switch_variables: &["QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"],
        // Played with 0.24.4. It loads the nearest of the first two, from its directory upwards.
        env_files: &[
            env_file(Below::Project, ".qwen/.env"),
            env_file(Below::Project, ".env"),
            env_file(Below::AgentHome, ".env"),
            env_file(Below::UserHome, ".env"),
        ],
        gone: "tool calls and prompts are denied",
        gaps: &[
            "a hook cannot change a call: that becomes a denial",
            "`--bare`, `--safe-mode` and `disableAllHooks` run no hooks, nor do `QWEN_CODE_SIMPLE` and `QWEN_CODE_SAFE_MODE` in the environment or in a `.env` file, also of the project",
        ],
        next: "Qwen Code reads it when it is started next",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".qwen/settings.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Comment, NotStrict::Javascript]),
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Status, "statusMessage"),
        (Field::Env, "env"),
        (Field::Once, "once"),
        (Field::Background, "async"),
        (Field::Url, "url"),
        (Field::Prompt, "prompt"),
    ],
};

/// What Qwen Code runs of a project.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".qwen/settings.json", &["hooks"], UNLESS_TRUST),
    settings_file(".qwen/settings.json", gemini::SETTINGS, UNLESS_TRUST),
    settings_file(".qwen/settings.json", SETTINGS, UNLESS_TRUST),
    // Observed in 0.24.4, which starts a server with `disabled` or `enabled: false`, too.
    settings_file("{.qwen/settings,.mcp}.json", MCP_SERVERS, WITH_YOLO),
    settings_file(".lsp.json", LANGUAGES, Consent::UnaskedIf("with `--experimental-lsp`")),
    prompt_file(".qwen/commands/**/*.{toml,md}", gemini::PROMPT, WITH_YOLO),
];

const SETTINGS: &[CommandKey] = &[
    key(&["ui", "statusLine", "command"], "when its screen is drawn"),
    key(&["artifact", "host", "uploadCommand"], "when an artifact is published"),
];
const LANGUAGES: &[CommandKey] = &[key(&["*"], "at start, as a language server")];
/// Otherwise it asks for each server and line.
const WITH_YOLO: Consent = Consent::UnaskedIf("with `--yolo`");
const UNLESS_TRUST: Consent = Consent::UnaskedIf("unless `security.folderTrust` is on");

/// The events that call hooks.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    tool_gate_event("PermissionRequest", 600),
    gate_event("UserPromptSubmit", 60),
    tool_observer_event("PostToolUse", 600),
    tool_observer_event("PostToolUseFailure", 600),
    observer_event("Stop", 600),
    observer_event("SubagentStart", 60),
    observer_event("SubagentStop", 600),
    observer_event("PreCompact", 60),
    observer_event("SessionStart", 60),
    observer_event("SessionEnd", 10),
    observer_event("Notification", 60),
];
