//! Kiro: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "kiro",
    title: "Kiro",
    programs: &["kiro-cli", "kiro"],
    packages: &[],
    guarded: Guarded {
        files: &[".kiro/hooks/", ".kiro/settings/", ".kiro/agents/"],
        variables: &["KIRO_HOME"],
        options: &["--trust-all-tools", "-a", "--no-interactive"],
        ..Guarded::NONE
    },
    foreign_events: &["agentSpawn"],
    ..Agent::NONE
};
