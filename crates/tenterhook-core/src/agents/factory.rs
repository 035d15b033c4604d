//! Droid: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "factory",
    title: "Droid",
    programs: &["droid"],
    packages: &["@factory/cli"],
    guarded: Guarded {
        files: &[".factory/hooks.json", ".factory/settings.json", ".factory/settings.local.json"],
        variables: &["FACTORY_HOME"],
        options: &["--skip-permissions-unsafe", "--auto=high"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
