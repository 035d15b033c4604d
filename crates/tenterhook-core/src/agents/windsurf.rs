//! Windsurf: its names, and what decides whether its hooks run. Data; decides nothing.

use super::{Agent, Guarded};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    packages: &[],
    guarded: Guarded {
        files: &[
            ".windsurf/hooks.json",
            ".windsurf/hooks/",
            "~/.codeium/windsurf/",
            "~/.codeium/hooks.json",
            "/etc/windsurf/",
        ],
        variables: &[],
        options: &[],
        ..Guarded::NONE
    },
    foreign_events: &[
        "pre_run_command",
        "post_run_command",
        "pre_read_code",
        "post_read_code",
        "pre_write_code",
        "post_write_code",
        "pre_mcp_tool_use",
        "post_mcp_tool_use",
        "pre_user_prompt",
        "post_cascade_response",
        "post_cascade_response_with_transcript",
        "post_setup_worktree",
    ],
    ..Agent::NONE
};
