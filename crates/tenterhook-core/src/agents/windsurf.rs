//! Windsurf: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".windsurf/hooks.json",
            ".windsurf/hooks/",
            "~/.codeium/windsurf/",
            "~/.codeium/hooks.json",
            "/etc/windsurf/",
        ],
        variables: &[],
        options: &[],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
