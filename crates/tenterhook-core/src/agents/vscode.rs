//! VS Code's own agent: its names. It has no hook files of its own: it runs those of Copilot CLI and
//! of Claude Code. Data; decides nothing.

pub mod dialect;

use super::{Agent, Evidence, Guarded, SharedFiles};

/// The agent.
pub(super) static AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    evidence: Evidence::Read { source: "its documents of 2026-07-29" },
    programs: &["code"],
    is_part_of_words: true,
    guarded: Guarded { files: &[".vscode/settings.json"], ..Guarded::NONE },
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
