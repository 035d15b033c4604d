//! Kimi Code CLI: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "kimi",
    title: "Kimi Code CLI",
    programs: &["kimi"],
    packages: &["kimi-cli", "@moonshot-ai/kimi-code"],
    guarded: Guarded {
        files: &["~/.kimi-code/config.toml", "~/.kimi/config.toml"],
        variables: &[],
        options: &["--yolo", "--auto-approve", "--config-file"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
