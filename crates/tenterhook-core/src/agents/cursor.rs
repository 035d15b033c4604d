//! Cursor: its names, what decides whether its hooks run, and the installation of Tenterhook in it.
//! Data; decides nothing.

pub mod dialect;

use super::repository::{
    CommandKey, Consent, MCP_SERVERS, RepositoryFile, hook_file, key, settings_file,
};
use super::{
    Agent, EntryValue, Event, EventLists, Evidence, Fallback, Field, Form, Guarded, HookFile,
    Installation, JsonFile, Layout, SharedFiles, Syntax, Wrapper, gate_event, observer_event,
    tool_gate_event, tool_observer_event, vscode,
};
use tenterhook_shell::Language;

/// The agent.
pub static AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    evidence: Evidence::Read { source: "the hook executor in npm `@cursor/sdk` 1.0.32" },
    // `agent` in cursor.com/docs/cli of 2026; the older name still starts it.
    programs: &["cursor-agent", "agent"],
    is_part_of_words: true,
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
        // The CLI reads these (cursor.com/docs/cli/reference); the SDK has none of them.
        variables: &["CURSOR_CONFIG_DIR"],
        options: &["--force", "-f", "--yolo", "--trust"],
        ..Guarded::NONE
    },
    // Class `HG0` and table `dw0` of the executor. An answer in Claude Code's form counts only with an
    // option that is off.
    reads: &[SharedFiles {
        owner: "claude",
        files: &["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"],
        events: &[
            "PreToolUse",
            "PostToolUse",
            "UserPromptSubmit",
            "Stop",
            "SubagentStop",
            "SessionStart",
            "SessionEnd",
            "PreCompact",
        ],
        ignores_matchers: false,
        // Function `Wb0`.
        needs_matcher: true,
        denial: "a denial needs exit code 2 there",
    }],
    repository_files: REPOSITORY_FILES,
    installation: Installation {
        seen: &[".cursor"],
        home: ".cursor",
        user_file: Some("hooks.json"),
        project_file: Some(HOOK_FILE.path),
        managed_file: Some("/etc/cursor/hooks.json"),
        form: Form::Shared(&HOOK_FILE),
        // Cursor appends the event to the command line as a here-document. Only the last command of
        // the line reads it, so the line is one command.
        fallback: Fallback::Outside,
        events: EVENTS,
        gone: "tool calls, subagents and prompts are denied",
        gaps: &[
            "a hook cannot ask before a tool: that becomes a denial",
            "files that Tab reads are not judged",
            "only a hook in Cursor's own form can deny `subagentStart`: a rule denies the call of `Agent` before it",
            "of a changed call it takes some fields alone; a change of others becomes a denial",
            "a version that lacks one of these events drops the whole file",
        ],
        next: "start Cursor again",
        ..Installation::NONE
    },
    ..Agent::NONE
};

/// Its hook file.
pub(crate) static HOOK_FILE: HookFile = HookFile {
    path: ".cursor/hooks.json",
    layout: Layout::Json(JsonFile {
        syntax: Syntax::CommentsInTexts,
        wrapper: Wrapper::Hooks { version: Some(1) },
        lists: EventLists::Entries,
        ..JsonFile::USUAL
    }),
    keys: &[
        (Field::DefaultType, "type"),
        (Field::Matcher, "matcher"),
        (Field::Line, "command"),
        (Field::Seconds, "timeout"),
        (Field::Closed(EntryValue::True), "failClosed"),
    ],
};

/// The events for which Cursor calls Tenterhook. `preToolUse` precedes each tool, also those with
/// a separate event. Only `beforeMCPExecution`, which follows it, names the server of a tool.
const EVENTS: &[Event] = &[
    tool_gate_event("preToolUse", 600),
    tool_gate_event("beforeMCPExecution", 600),
    gate_event("beforeSubmitPrompt", 60),
    gate_event("subagentStart", 60),
    tool_observer_event("postToolUse", 600),
    tool_observer_event("postToolUseFailure", 600),
    observer_event("stop", 600),
    observer_event("subagentStop", 600),
    observer_event("preCompact", 60),
    observer_event("sessionStart", 60),
    observer_event("sessionEnd", 10),
];

const CLOUD: &[CommandKey] = &[
    key(&["install"], "when a cloud agent starts"),
    key(&["start"], "when a cloud agent starts"),
    key(&["terminals", "*"], "when a cloud agent starts"),
];
const WORKTREES: &[CommandKey] = &[
    key(&["setup-worktree"], WORKTREE),
    key(&["setup-worktree-unix"], WORKTREE),
    key(&["setup-worktree-windows"], WORKTREE),
];
const WORKTREE: &str = "when a worktree is made";

/// What Cursor runs of a project (`@cursor/sdk` 1.0.32): its hooks, and those of Claude Code. What
/// decides whether it loads them was not found.
const REPOSITORY_FILES: &[RepositoryFile] = &[
    hook_file(".cursor/hooks.json", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.json", &["hooks"], Consent::Unknown),
    hook_file(".claude/settings.local.json", &["hooks"], Consent::Unknown),
    settings_file(".cursor/mcp.json", MCP_SERVERS, Consent::Unknown),
    // Documented (cursor.com/docs).
    settings_file(".cursor/environment.json", CLOUD, Consent::Unasked),
    settings_file(".cursor/worktrees.json", WORKTREES, Consent::Unknown),
    // Its editor is a VS Code that trusts every folder by default.
    settings_file(
        ".vscode/tasks.json",
        vscode::TASKS,
        Consent::UnaskedIf("unless Workspace Trust is on"),
    ),
];
