//! Auggie: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "augment",
    title: "Auggie",
    programs: &["auggie"],
    packages: &["@augmentcode/auggie"],
    guarded: Guarded {
        files: &[".augment/settings.json", ".augment/hooks/", "/etc/augment/"],
        variables: &["AUGMENT_HOME"],
        options: &["--augment-cache-dir"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
