//! Gen: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "gen",
    title: "Gen",
    programs: &["gen"],
    packages: &[],
    is_part_of_words: true,
    guarded: Guarded {
        files: &[".gen/settings.json", ".gen/settings.local.json", "~/.gen/plugins/"],
        variables: &["GEN_HOME"],
        options: &["--dangerously-skip-permissions", "--bypass-permissions"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
