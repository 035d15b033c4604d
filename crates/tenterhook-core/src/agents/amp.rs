//! Amp: its names, and what decides whether its hooks run. Data; decides nothing.

use super::repository::{CommandKey, Consent, MCP_START, RepositoryFile, code_file, settings_file};
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
    repository_files: REPOSITORY_FILES,
    ..Agent::NONE
};

/// What Amp loads of a project, by documents of early 2026.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    code_file(".amp/plugins/*", "at start, as a plugin", Consent::Unknown),
    settings_file(".amp/settings.json", SERVERS, Consent::Unknown),
];

const SERVERS: &[CommandKey] = &[(&["amp.mcpServers", "*"], MCP_START)];
