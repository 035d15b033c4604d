//! Gen: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::{Agent, Guarded, Installation};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "gen",
    title: "Gen",
    programs: &["gen"],
    packages: &[],
    guarded: Guarded {
        files: &[".gen/settings.json", ".gen/settings.local.json", "~/.gen/plugins/"],
        variables: &["GEN_HOME"],
        options: &["--dangerously-skip-permissions", "--bypass-permissions"],
        ..Guarded::NONE
    },
    installation: Installation::NONE,
};
