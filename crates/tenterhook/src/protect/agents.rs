//! Which files, variables and options decide whether an agent's hooks run? One row an agent, from its own documentation.
//!
//! A path without a start is one in any directory; `~/` is a home. A path that ends in `/` stands for everything in it;
//! `*` is any text in a name.

/// One agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// What it is called here.
    pub name: &'static str,
    /// What its program is called.
    pub programs: &'static [&'static str],
    /// Files that say which hooks it has, whether they run, and whom it trusts.
    pub files: &'static [&'static str],
    /// Variables that make it read other files, or skip them.
    pub variables: &'static [&'static str],
    /// Options that switch hooks, questions or trust off, or make it read other files. With `=`, that value alone.
    pub options: &'static [&'static str],
}

/// Variables that move the home of every agent.
pub(super) const HOMES: &[&str] =
    &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "USERPROFILE", "APPDATA"];

/// Every agent.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "tenterhook",
        programs: &["tenterhook", "tenterhook-agent"],
        files: &[
            "tenterhook.toml",
            "tenterhook.lock",
            "tenterhook.json",
            "tenterhook.*.toml",
            "tenterhook.*.json",
            "tenterhook.lock",
            ".tenterhook/",
            "~/.config/tenterhook/",
            "~/.local/state/tenterhook/",
            "~/.local/share/tenterhook/",
            "~/Library/Application Support/tenterhook/",
            "/etc/tenterhook/",
            "/Library/Application Support/tenterhook/",
            "~/bin/tenterhook*",
            "~/.local/bin/tenterhook*",
            "~/.cargo/bin/tenterhook*",
            "~/.npm-global/bin/tenterhook*",
            "/usr/bin/tenterhook*",
            "/usr/local/bin/tenterhook*",
            "/opt/homebrew/bin/tenterhook*",
        ],
        variables: &["TENTERHOOK_*"],
        options: &["--compat=exact"],
    },
    Agent {
        name: "claude",
        programs: &["claude"],
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
    },
    Agent {
        name: "codex",
        programs: &["codex"],
        files: &[
            ".codex/config.toml",
            ".codex/hooks.json",
            ".codex/hooks/",
            ".codex/*.config.toml",
            ".codex/requirements.toml",
            "/etc/codex/",
        ],
        variables: &["CODEX_HOME"],
        options: &[
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",
            "--yolo",
            "--ignore-user-config",
            "--ignore-rules",
            "--disable=hooks",
            "--disable=codex_hooks",
            "--sandbox=danger-full-access",
            "-s=danger-full-access",
            "--ask-for-approval=never",
            "-a=never",
            "--profile",
            "-p",
        ],
    },
    Agent {
        name: "gemini",
        programs: &["gemini"],
        files: &[
            ".gemini/settings.json",
            ".gemini/hooks/",
            ".gemini/policies/",
            ".gemini/extensions/",
            ".gemini/config/",
            "~/.gemini/trustedFolders.json",
            "~/.gemini/trusted_hooks.json",
            "/etc/gemini-cli/",
        ],
        variables: &[
            "GEMINI_CONFIG_DIR",
            "GEMINI_CLI_HOME",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "GEMINI_CLI_TRUST_WORKSPACE",
        ],
        options: &[
            "--yolo",
            "-y",
            "--approval-mode=yolo",
            "--skip-trust",
            "--no-sandbox",
            "--sandbox=false",
            "--extensions=none",
            "-e=none",
        ],
    },
    Agent {
        name: "qwen",
        programs: &["qwen"],
        files: &[
            ".qwen/settings.json",
            ".qwen/hooks/",
            ".qwen/extensions/",
            "~/.qwen/trustedFolders.json",
            "/etc/qwen-code/",
        ],
        variables: &["QWEN_HOME", "QWEN_CONFIG_DIR", "QWEN_CODE_SYSTEM_SETTINGS_PATH"],
        options: &["--yolo", "-y", "--approval-mode=yolo", "--bare"],
    },
    Agent {
        name: "copilot",
        programs: &["copilot"],
        files: &[
            ".github/hooks/",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            "~/.copilot/hooks/",
            "~/.copilot/config.json",
            "~/.copilot/settings.json",
            "~/.copilot/installed-plugins/",
            // The organisation's hooks: `policy.d` in it.
            "/etc/github-copilot/",
        ],
        variables: &["COPILOT_HOME", "COPILOT_ALLOW_ALL", "XDG_CONFIG_HOME"],
        options: &[
            "--allow-all-tools",
            "--allow-all-paths",
            "--allow-all-urls",
            "--allow-all",
            "--yolo",
            "--config-dir",
        ],
    },
    Agent {
        name: "cursor",
        programs: &["cursor-agent"],
        files: &[
            ".cursor/hooks.json",
            ".cursor/hooks/",
            ".cursor/cli.json",
            ".cursor/cli-config.json",
            ".cursor/permissions.json",
            "/etc/cursor/",
        ],
        variables: &["CURSOR_CONFIG_DIR"],
        options: &["--force", "-f", "--yolo", "--trust"],
    },
    Agent {
        name: "opencode",
        programs: &["opencode"],
        files: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/plugin/",
            ".opencode/plugins/",
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
    },
    Agent {
        name: "goose",
        programs: &["goose"],
        files: &[".agents/plugins/", "~/.config/goose/"],
        variables: &["GOOSE_PATH_ROOT", "GOOSE_MODE"],
        options: &[],
    },
    Agent {
        name: "cline",
        programs: &["cline"],
        files: &[
            ".clinerules/hooks/",
            ".cline/hooks/",
            "~/.cline/data/settings/",
            "~/Documents/Cline/Hooks/",
        ],
        variables: &["CLINE_DIR", "CLINE_DATA_DIR"],
        options: &["--yolo", "-y", "--hooks-dir", "--config"],
    },
    Agent {
        name: "windsurf",
        programs: &["windsurf"],
        files: &[
            ".windsurf/hooks.json",
            ".windsurf/hooks/",
            "~/.codeium/windsurf/",
            "~/.codeium/hooks.json",
            "/etc/windsurf/",
        ],
        variables: &[],
        options: &[],
    },
    Agent {
        name: "antigravity",
        programs: &["agy", "antigravity"],
        files: &[
            ".agents/hooks.json",
            ".agent/hooks.json",
            "_agents/hooks.json",
            "_agent/hooks.json",
        ],
        variables: &[],
        options: &["--dangerously-skip-permissions"],
    },
    Agent {
        name: "factory",
        programs: &["droid"],
        files: &[".factory/hooks.json", ".factory/settings.json", ".factory/settings.local.json"],
        variables: &["FACTORY_HOME"],
        options: &["--skip-permissions-unsafe", "--auto=high"],
    },
    Agent {
        name: "kiro",
        programs: &["kiro-cli", "kiro"],
        files: &[".kiro/hooks/", ".kiro/settings/", ".kiro/agents/"],
        variables: &["KIRO_HOME"],
        options: &["--trust-all-tools", "-a", "--no-interactive"],
    },
    Agent {
        name: "amp",
        programs: &["amp"],
        files: &[".amp/settings.json", "~/.config/amp/", "/etc/ampcode/"],
        variables: &["AMP_SETTINGS_FILE"],
        options: &["--dangerously-allow-all", "--settings-file"],
    },
    Agent {
        name: "augment",
        programs: &["auggie"],
        files: &[".augment/settings.json", ".augment/hooks/", "/etc/augment/"],
        variables: &["AUGMENT_HOME"],
        options: &["--augment-cache-dir"],
    },
    Agent {
        name: "gen",
        programs: &["gen"],
        files: &[".gen/settings.json", ".gen/settings.local.json", "~/.gen/plugins/"],
        variables: &["GEN_HOME"],
        options: &["--dangerously-skip-permissions", "--bypass-permissions"],
    },
    Agent {
        name: "ignis",
        programs: &["ignis"],
        files: &[".ignis/hooks.json", ".ignis/hooks/", "~/.ignis/config.toml"],
        variables: &["IGNIS_HOME"],
        options: &["--yolo"],
    },
    Agent {
        name: "codewhale",
        programs: &["codewhale", "deepseek"],
        files: &[
            ".codewhale/config.toml",
            ".codewhale/hooks.toml",
            ".codewhale/hooks/",
            ".codewhale/plugins/",
            ".deepseek/config.toml",
            ".deepseek/trusted",
        ],
        variables: &["CODEWHALE_CONFIG_PATH", "CODEWHALE_HOME", "DEEPSEEK_CONFIG_PATH"],
        options: &["--yolo", "--config"],
    },
    Agent {
        name: "reasonix",
        programs: &["reasonix"],
        files: &[".reasonix/settings.json", "~/.reasonix/trust.json", "~/.reasonix/plugins/"],
        variables: &["REASONIX_HOME"],
        options: &["--yolo", "--dir"],
    },
];

/// What our packages are called, whatever manager they came by.
pub const PACKAGE: &str = "tenterhook";

/// Our own commands that loosen a guard, by their first words; and the words behind them with which they only look.
pub const OWN_COMMANDS: &[(&[&str], &[&str])] = &[
    (&["trust"], &["status", "diff"]),
    (&["untrust"], &[]),
    (&["allow"], &[]),
    (&["pause"], &["status"]),
    (&["uninstall"], &[]),
    (&["rules", "remove"], &[]),
];

/// Our own commands that loosen a guard with one of these options alone.
pub const OWN_OVERRIDES: &[(&[&str], &[&str])] = &[(&["rules", "add"], &["--force", "-f"])];

/// The agent whose program has that file name.
#[must_use]
pub fn agent(program: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|it| it.programs.contains(&program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_there_once() {
        let mut names: Vec<&str> = AGENTS.iter().map(|it| it.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
