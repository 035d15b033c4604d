//! Antigravity: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "antigravity",
    title: "Antigravity",
    programs: &["agy", "antigravity"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".agents/hooks.json",
            ".agent/hooks.json",
            "_agents/hooks.json",
            "_agent/hooks.json",
        ],
        variables: &[],
        options: &["--dangerously-skip-permissions"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
