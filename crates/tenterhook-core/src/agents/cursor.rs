//! Cursor: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};
use tenterhook_shell::Language;

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor-agent"],
    packages: &["cursor-cli"],
    windows_shell: &[Language::PowerShell],
    guarded: Guarded {
        files: &[
            ".cursor/hooks.json",
            ".cursor/hooks/",
            ".cursor/cli.json",
            ".cursor/cli-config.json",
            ".cursor/permissions.json",
            "/etc/cursor/",
        ],
        variables: &["CURSOR_CONFIG_DIR"],
        options: &["--force", "-f", "--yolo", "--trust"],
        ..Guarded::NONE
    },
    foreign_events: &[
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "beforeSubmitPrompt",
        "afterAgentResponse",
        "afterAgentThought",
        "workspaceOpen",
    ],
    ..Agent::NONE
};
