//! Amp: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "amp",
    title: "Amp",
    programs: &["amp"],
    packages: &["@sourcegraph/amp", "@ampcode/cli"],
    is_part_of_words: true,
    guarded: Guarded {
        files: &[".amp/settings.json", "~/.config/amp/", "/etc/ampcode/"],
        variables: &["AMP_SETTINGS_FILE"],
        options: &["--dangerously-allow-all", "--settings-file"],
        ..Guarded::NONE
    },
    ..Agent::NONE
};
