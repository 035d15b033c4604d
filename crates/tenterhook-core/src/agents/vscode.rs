//! VS Code's own agent: its names. It runs the hook files of Copilot CLI and of Claude Code, and has
//! no others. Data; decides nothing.

pub mod dialect;

use super::{Agent, Evidence, Installation, SharedFiles};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    evidence: Evidence::Read { source: "its documents of 2026-07-29" },
    // An editor may be started by a tool: its program and its settings are not protected.
    installation: Installation { seen: &[".vscode", ".config/Code"], ..Installation::NONE },
    reads: &[
        SharedFiles {
            owner: "claude",
            files: &[
                "~/.claude/settings.json",
                ".claude/settings.json",
                ".claude/settings.local.json",
            ],
            events: EVENTS,
            ignores_matchers: true,
            needs_matcher: false,
            denial: "",
        },
        SharedFiles {
            owner: "copilot",
            files: &["~/.copilot/hooks/", ".github/hooks/"],
            events: EVENTS,
            ignores_matchers: false,
            needs_matcher: false,
            denial: "",
        },
    ],
    ..Agent::NONE
};

/// Its events, by their neutral names.
const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
];
