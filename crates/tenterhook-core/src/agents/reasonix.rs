//! Reasonix: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "reasonix",
    title: "Reasonix",
    programs: &["reasonix"],
    packages: &[],
    guarded: Guarded {
        files: &[".reasonix/settings.json", "~/.reasonix/trust.json", "~/.reasonix/plugins/"],
        variables: &["REASONIX_HOME"],
        options: &["--yolo", "--dir"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
