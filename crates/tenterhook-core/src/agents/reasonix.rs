//! Reasonix: its names, and the settings that its hooks depend on. Data; decides nothing.

pub mod dialect;

use super::repository::{Consent, RepositoryFile, hook_file};
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
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// What Reasonix runs of a project. Versions of May to July 2026 asked for trust first.
const REPOSITORY_FILES: &[RepositoryFile] =
    &[hook_file(".reasonix/settings.json", &["hooks"], Consent::Unasked)];
