//! Gen: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
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
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// What Gen runs of a project, from the start of a session.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".gen/settings.json", &["hooks"], Consent::Unasked),
    hook_file(".gen/settings.local.json", &["hooks"], Consent::Unasked),
];
