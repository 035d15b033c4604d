//! Tenterhook: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded, Sessions};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "tenterhook",
    title: "Tenterhook",
    programs: &["tenterhook", "tenterhook-agent"],
    packages: &[],
    sessions: Some(Sessions {
        variable: Some("XDG_DATA_HOME"),
        home: ".local/share",
        directories: &["tenterhook-agent/sessions"],
    }),
    guarded: Guarded {
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
        ..Guarded::NONE
    },
    ..Agent::NONE
};
