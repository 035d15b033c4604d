//! OpenClaw: its names, what decides whether it loads the plugin, and the installation of Tenterhook
//! in it. Data; decides nothing.

pub mod dialect;

use super::{
    Agent, Below, Form, Guarded, Installation, Plugin, PluginList, Sessions, env_file, pi,
};
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "openclaw",
    title: "OpenClaw",
    programs: &["openclaw"],
    windows_shell: &[Language::Posix, Language::PowerShell],
    sessions: Some(Sessions {
        variable: Some("OPENCLAW_STATE_DIR"),
        home: ".openclaw",
        directories: &["agents"],
    }),
    guarded: Guarded {
        files: &[
            "openclaw.json",
            "~/.openclaw/openclaw.json",
            "~/.openclaw/tenterhook/",
            "~/.openclaw/extensions/",
            "~/.openclaw/hooks/",
            "~/.openclaw/state/",
            "~/.openclaw/exec-approvals.json",
            "~/.openclaw-*/openclaw.json",
            ".openclaw/extensions/",
        ],
        variables: &[
            "OPENCLAW_HOME",
            "OPENCLAW_STATE_DIR",
            "OPENCLAW_CONFIG_PATH",
            "OPENCLAW_INCLUDE_ROOTS",
            "OPENCLAW_PROFILE",
        ],
        options: &[
            "--profile",
            "--dev",
            "--isolated",
            "--auth-env-only",
            "--config",
            "--state-dir",
        ],
        settings_tools: &["openclaw"],
        commands: &[
            &["plugins", "install"],
            &["plugins", "enable"],
            &["config", "patch"],
            &["reset"],
            &["uninstall"],
        ],
        ..Guarded::NONE
    },
    installation: Installation {
        seen: &[".openclaw"],
        home_variable: Some("OPENCLAW_STATE_DIR"),
        home: ".openclaw",
        user_file: Some("tenterhook"),
        form: Form::Plugin(Plugin {
            end: include_str!("openclaw/end.js"),
            beside: &[
                ("package.json", include_str!("openclaw/package.json")),
                ("openclaw.plugin.json", include_str!("openclaw/openclaw.plugin.json")),
            ],
            list: Some(PluginList {
                file: "openclaw.json",
                variable: Some("OPENCLAW_CONFIG_PATH"),
                folders: &["plugins", "load", "paths"],
                flags: &[
                    &["plugins", "entries", "tenterhook", "enabled"],
                    &["plugins", "entries", "tenterhook", "hooks", "allowConversationAccess"],
                ],
                allowed: &["plugins", "allow"],
                denied: &["plugins", "deny"],
                all: &["plugins", "enabled"],
                include: "$include",
            }),
        }),
        events: pi::EVENTS,
        switch_variables: &["OPENCLAW_HOME", "OPENCLAW_PROFILE"],
        // Played with 2026.9.6.
        env_files: &[env_file(Below::AgentHome, ".env")],
        gone: "tool calls and prompts are denied by the plugin",
        gaps: &[
            "`openclaw agent exec` runs no hook: the plugin ends it, but not with `--isolated`, `--auth-env-only` or `--config`",
            "a question is asked where OpenClaw can ask for an approval; elsewhere it becomes a denial",
            "the end of a turn cannot be blocked after a tool ran in it",
            "another plugin runs in the same process, and can do what a hook denies",
            "if another plugin asks for an approval with changed parameters, these run once they are approved",
            "the tool `openclaw` hands its text to a model that changes settings; a text about plugins is denied",
            "what `process` types into a running program is judged as one call, not as commands",
            "native tools of its Codex runtime take no changed call: the call that the model made runs",
            "each `--profile` reads separate files",
        ],
        next: "OpenClaw loads the plugin when it is started next; `openclaw plugins inspect tenterhook --runtime` shows it",
        ..Installation::NONE
    },
    ..Agent::NONE
};
