//! VS Code's own agent: its names. It runs the hook files of Copilot CLI and of Claude Code, and has
//! no others. Data; decides nothing.

pub mod dialect;

use super::repository::{
    CommandKey, Condition, Consent, MCP_START, RepositoryFile, hook_file, key, settings_file,
};
use super::{Agent, Evidence, Installation, SharedFiles};

/// The agent.
pub static AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    evidence: Evidence::Read { source: "its documents of 2026-07-29" },
    // An editor may be started by a tool: its program and its settings are not protected.
    installation: Installation { seen: &[".vscode", ".config/Code"], ..Installation::NONE },
    repository_files: REPOSITORY_FILES,
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

/// What VS Code runs of a project, by its documents of June and October 2026. It reads the hooks of Claude Code, too.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".github/hooks/*.json", &["hooks"], Consent::Unknown),
    hook_file(".github/agents/*.md", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.json", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.local.json", &["hooks"], Consent::Unknown),
    settings_file(".vscode/mcp.json", SERVERS, Consent::Unknown),
    settings_file(".vscode/settings.json", FOLDERS, Consent::Unknown),
    settings_file(".vscode/tasks.json", TASKS, Consent::Asked("after you trust the folder")),
];
/// Further folders with hook files.
const FOLDERS: &[CommandKey] = &[key(&["chat.hookFilesLocations", "*"], "its hook files")];
/// Tasks that start when the folder is opened.
pub(super) const TASKS: &[CommandKey] = &[key(&["tasks", "*"], "when the folder is opened")
    .given(Condition::If(&["runOptions", "runOn"], "folderOpen"))];
const SERVERS: &[CommandKey] = &[key(&["servers", "*"], MCP_START)];

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
