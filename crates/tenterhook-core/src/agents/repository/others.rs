//! What agents run of a project's files that have no row in the table of agents. Data only.

use super::{CommandKey, Consent, MCP_START, RepositoryFile, hook_file, settings_file};

/// The names of these agents for people, and their files.
pub(in crate::agents) static OTHERS: &[(&str, &[RepositoryFile])] =
    &[("Mistral Vibe", VIBE), ("Crush", CRUSH), ("VS Code", VS_CODE)];

/// Mistral Vibe 3.0.3 skips the hooks of a folder without trust.
const VIBE: &[RepositoryFile] = &[
    hook_file(".vibe/hooks.toml", &["hooks"], VIBE_TRUST),
    settings_file(".vibe/config.toml", VIBE_SERVERS, VIBE_TRUST),
];
const VIBE_TRUST: Consent = Consent::Asked("after you trust the folder, or with `--trust`");
const VIBE_SERVERS: &[CommandKey] = &[(&["mcp_servers", "*"], MCP_START)];

/// By its documents.
const CRUSH: &[RepositoryFile] = &[
    hook_file("crush.json", &["hooks"], Consent::Unknown),
    hook_file(".crush.json", &["hooks"], Consent::Unknown),
    settings_file("crush.json", CRUSH_PROGRAMS, Consent::Unknown),
    settings_file(".crush.json", CRUSH_PROGRAMS, Consent::Unknown),
];
const CRUSH_PROGRAMS: &[CommandKey] =
    &[(&["mcp", "*"], MCP_START), (&["lsp", "*"], "at start, as a language server")];

/// By its documents of June and October 2026. It reads the hooks of Claude Code, too.
const VS_CODE: &[RepositoryFile] = &[
    hook_file(".github/hooks/*.json", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.json", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.local.json", &["hooks"], Consent::Unknown),
    settings_file(".vscode/mcp.json", VS_CODE_SERVERS, Consent::Unknown),
];
const VS_CODE_SERVERS: &[CommandKey] = &[(&["servers", "*"], MCP_START)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AGENTS;

    /// T-190: an agent that gets a row in the table of agents takes its files along.
    #[test]
    fn agents_here_have_no_row_in_table_of_agents() {
        for (title, _) in OTHERS {
            let row = AGENTS.iter().find(|agent| agent.title == *title);
            assert!(row.is_none(), "move the files of {title} into `repository_files` of its row");
        }
    }
}
