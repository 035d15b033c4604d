//! Kiro: its names, and what decides whether its hooks run. Data; decides nothing.

use super::repository::{Consent, MCP_SERVERS, RepositoryFile, hook_file, settings_file};
use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "kiro",
    title: "Kiro",
    programs: &["kiro-cli", "kiro"],
    packages: &[],
    guarded: Guarded {
        files: &[".kiro/hooks/", ".kiro/settings/", ".kiro/agents/"],
        variables: &["KIRO_HOME"],
        options: &["--trust-all-tools", "-a", "--no-interactive"],
        ..Guarded::NONE
    },
    repository_files: REPOSITORY_FILES,
    foreign_events: &["agentSpawn"],
    ..Agent::NONE
};

/// What Kiro runs of a project, by its documents.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".kiro/agents/*.json", &["hooks"], Consent::Unknown),
    hook_file(".kiro/hooks/*", &[], Consent::Unknown),
    settings_file(".kiro/agents/*.json", MCP_SERVERS, Consent::Unknown),
    settings_file(".kiro/settings/mcp.json", MCP_SERVERS, Consent::Unknown),
];
