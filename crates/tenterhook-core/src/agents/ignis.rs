//! ignis: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "ignis",
    title: "ignis",
    programs: &["ignis"],
    packages: &[],
    guarded: Guarded {
        files: &[".ignis/hooks.json", ".ignis/hooks/", "~/.ignis/config.toml"],
        variables: &["IGNIS_HOME"],
        options: &["--yolo"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
