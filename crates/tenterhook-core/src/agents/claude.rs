//! Claude Code: its names, what decides whether its hooks run, and how it is made to call. Data;
//! decides nothing.

pub mod dialect;
mod repository;
#[cfg(feature = "transcript")]
pub(crate) mod transcript;

use super::{
    Agent, Below, EntryValue, Event, Field, Form, Guarded, HookFile, Installation, JsonFile,
    Layout, Modules, Pin, Protection, Sessions, SwitchFile, Syntax, gate_event, observer_event,
    tool_gate_event, tool_observer_event,
};
use crate::syntax::NotStrict;
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    programs: &["claude"],
    packages: &["@anthropic-ai/claude-code"],
    windows_shell: &[Language::Posix],
    sessions: Some(Sessions {
        variable: Some("CLAUDE_CONFIG_DIR"),
        home: ".claude",
        directories: &["projects"],
    }),
    guarded: Guarded {
        files: &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            "~/.claude/plugins/",
            "~/.claude.json",
            "managed-settings.json",
            "managed-settings.d/",
            "/etc/claude-code/",
            "/Library/Application Support/ClaudeCode/",
        ],
        variables: &[
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_SIMPLE",
            "CLAUDE_CODE_SAFE_MODE",
            "CLAUDE_CODE_PLUGIN_DIR*",
            "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
        ],
        options: &[
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--permission-mode=bypassPermissions",
            "--bare",
            "--safe-mode",
            "--setting-sources",
            "--plugin-dir",
            "--plugin-url",
        ],
        texts: &[".claude/skills", ".claude/agents", ".claude/commands"],
        modules: Some(&MODULES),
        ..Guarded::NONE
    },
    repository_files: repository::FILES,
    installation: Installation {
        seen: &[".claude"],
        home_variable: Some("CLAUDE_CONFIG_DIR"),
        home: ".claude",
        user_file: Some("settings.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/claude-code/managed-settings.json"),
        form: Form::Shared(&HOOK_FILE),
        events: EVENTS,
        switches: &[(&["disableAllHooks"], true)],
        gone: "tool calls and prompts are denied",
        gaps: &[
            "`allowManagedHooksOnly` runs only those of `--scope managed`",
            "a line that you type behind `!` calls no hook",
        ],
        switch_gaps: &[
            "`--bare`, `--safe-mode` and `disableAllHooks` run no hooks, unless they have `--scope managed`",
        ],
        next: "Claude Code reads it when it is started next; `/hooks` there lists it",
        switches_elsewhere: &[SwitchFile {
            below: Below::Project,
            file: ".claude/settings.local.json",
            key: (&["disableAllHooks"], true),
        }],
        protection: Protection {
            only_managed: Some(SwitchFile {
                below: Below::Root,
                file: "etc/claude-code/managed-settings.json",
                key: (&["allowManagedHooksOnly"], true),
            }),
            pin: Pin::Agent(&[
                (&["disableAllHooks"], false),
                (
                    &[
                        "pluginConfigs",
                        "cc-plugin-sec-default@builtin",
                        "options",
                        "allowManagedModsOnly",
                    ],
                    true,
                ),
            ]),
            has_guard: true,
        },
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".claude/settings.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::Json(&[NotStrict::Javascript, NotStrict::ByteOrderMark]),
        checks_values: true,
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::Type, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Args, "args"),
        (Field::Seconds, "timeout"),
        (Field::Status, "statusMessage"),
        (Field::Background, "async"),
        (Field::Wake, "asyncRewake"),
        (Field::Condition, "if"),
        (Field::Url, "url"),
        (Field::Prompt, "prompt"),
        (Field::Server, "server"),
        (Field::Closed(EntryValue::Text("block")), "onFailure"),
    ],
};

/// The events for which it calls.
const EVENTS: &[Event] = &[
    tool_gate_event("PreToolUse", 600),
    // An older version skips the entry with a warning and runs the others (BR-92).
    Event {
        since: Some(("2.1.332", (&["disableSkillShellExecution"], true))),
        open_before: "shell lines of skills and commands call no hook",
        ..tool_gate_event("PreSkillShellCommand", 600)
    },
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

/// Modules of plugins and skills, as Claude Code 2.1.332 has them.
static MODULES: Modules = Modules {
    files: &[".claude-plugin/", ".claude/skills/*/hooks/hooks.json", "~/.claude/dev-mods/"],
    directories: &[".claude/skills"],
    manifest: ".claude-plugin/plugin.json",
    commands: &[
        &["plugin", "install"],
        &["plugin", "i"],
        &["plugin", "enable"],
        &["plugin", "update"],
        &["plugin", "marketplace", "add"],
        &["plugin", "marketplace", "update"],
        &["plugin", "marketplace", "remove"],
        &["plugin", "marketplace", "rm"],
        &["plugins", "install"],
        &["plugins", "i"],
        &["plugins", "enable"],
        &["plugins", "update"],
        &["plugins", "marketplace", "add"],
        &["plugins", "marketplace", "update"],
        &["plugins", "marketplace", "remove"],
        &["plugins", "marketplace", "rm"],
    ],
    slash: &[
        "reload-plugins",
        "plugin install",
        "plugin i",
        "plugin enable",
        "plugin update",
        "plugin marketplace",
    ],
    settings: &[
        "disableAllHooks",
        "prependPlugins",
        "appendPlugins",
        "enabledPlugins",
        "extraKnownMarketplaces",
        "pluginConfigs",
        "CLAUDE_CODE_PLUGIN_DIR",
    ],
    validate: &["plugin", "validate", "--json"],
    silencing: &[
        "*",
        "!",
        "classic.",
        "tool.",
        "agent.",
        "turn.step",
        "session.append",
        "prompt.",
        "plugin.",
        "engine.",
        "process.",
        "fs.",
        "env.",
        "http.",
        "mcp.",
        "settings.",
    ],
};
