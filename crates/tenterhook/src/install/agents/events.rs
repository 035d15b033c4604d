//! For which events does each agent call, and with which time-outs? Tables; decide nothing.

use super::Event;

const fn gate(name: &'static str, seconds: u64) -> Event {
    Event { gates: true, ..observer(name, seconds) }
}

const fn tool_gate(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..gate(name, seconds) }
}

const fn observer(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: false, tool: false, since: None, open_before: "" }
}

const fn tool_observer(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..observer(name, seconds) }
}

/// The events of Claude Code, from which Qwen Code has its own, with the gates that only one of them has.
macro_rules! as_in_claude_code {
    ($($own_gate:expr)?) => {
        &[
            tool_gate("PreToolUse", 600),
            $($own_gate,)?
            tool_gate("PermissionRequest", 600),
            gate("UserPromptSubmit", 60),
            tool_observer("PostToolUse", 600),
            tool_observer("PostToolUseFailure", 600),
            observer("Stop", 600),
            observer("SubagentStart", 60),
            observer("SubagentStop", 600),
            observer("PreCompact", 60),
            observer("SessionStart", 60),
            observer("SessionEnd", 10),
            observer("Notification", 60),
        ]
    };
}

pub(super) const CLAUDE: &[Event] = as_in_claude_code!(
    // An older version skips the entry with a warning and runs the others (BR-92).
    Event {
        since: Some(("2.1.332", (&["disableSkillShellExecution"], true))),
        open_before: "shell lines of skills and commands call no hook",
        ..tool_gate("PreSkillShellCommand", 600)
    }
);

pub(super) const QWEN: &[Event] = as_in_claude_code!();

pub(super) const CODEX: &[Event] = &[
    tool_gate("PreToolUse", 600),
    tool_gate("PermissionRequest", 600),
    gate("UserPromptSubmit", 60),
    tool_observer("PostToolUse", 600),
    observer("Stop", 600),
    observer("SubagentStart", 60),
    observer("SubagentStop", 600),
    observer("PreCompact", 60),
    observer("PostCompact", 60),
    observer("SessionStart", 60),
    // Codex clamps it to this.
    observer("SessionEnd", 3),
];

pub(super) const COPILOT: &[Event] = &[
    tool_gate("preToolUse", 600),
    tool_gate("permissionRequest", 600),
    gate("userPromptSubmitted", 60),
    tool_observer("postToolUse", 600),
    tool_observer("postToolUseFailure", 600),
    observer("agentStop", 600),
    observer("subagentStop", 600),
    observer("preCompact", 60),
    observer("sessionStart", 60),
    observer("sessionEnd", 10),
    observer("errorOccurred", 60),
];

pub(super) const GEMINI: &[Event] = &[
    tool_gate("BeforeTool", 600),
    gate("BeforeAgent", 60),
    tool_observer("AfterTool", 600),
    observer("AfterAgent", 600),
    observer("SessionStart", 60),
    observer("SessionEnd", 10),
    observer("PreCompress", 60),
    observer("Notification", 60),
];

pub(super) const GOOSE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    observer("UserPromptSubmit", 60),
    tool_observer("PostToolUse", 600),
    tool_observer("PostToolUseFailure", 600),
    observer("Stop", 600),
    observer("SessionStart", 60),
    observer("SessionEnd", 10),
];

/// Cline gives up on a hook after 120 seconds, whatever is written.
pub(super) const CLINE: &[Event] = &[
    tool_gate("PreToolUse", 120),
    tool_observer("PostToolUse", 120),
    gate("UserPromptSubmit", 120),
    observer("TaskStart", 120),
    observer("TaskResume", 120),
    observer("TaskCancel", 120),
    observer("TaskComplete", 120),
    observer("SessionShutdown", 120),
];

pub(super) const OPENCODE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    gate("UserPromptSubmit", 60),
    tool_observer("PostToolUse", 600),
    observer("shell_env", 30),
    observer("SessionStart", 60),
    observer("session.idle", 60),
];
