//! For which events does each agent call, and with which time-outs? Tables; decide nothing.

use super::Event;

const fn gate(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: true, tool: false }
}

const fn tool_gate(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..gate(name, seconds) }
}

const fn told(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: false, tool: false }
}

const fn tool_told(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..told(name, seconds) }
}

pub(super) const CLAUDE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    tool_gate("PermissionRequest", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    tool_told("PostToolUseFailure", 600),
    told("Stop", 600),
    told("SubagentStart", 60),
    told("SubagentStop", 600),
    told("PreCompact", 60),
    told("SessionStart", 60),
    told("SessionEnd", 10),
    told("Notification", 60),
];

pub(super) const CODEX: &[Event] = &[
    tool_gate("PreToolUse", 600),
    tool_gate("PermissionRequest", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    told("Stop", 600),
    told("SubagentStart", 60),
    told("SubagentStop", 600),
    told("PreCompact", 60),
    told("PostCompact", 60),
    told("SessionStart", 60),
    // Codex clamps it to this.
    told("SessionEnd", 3),
];

pub(super) const COPILOT: &[Event] = &[
    tool_gate("preToolUse", 600),
    tool_gate("permissionRequest", 600),
    gate("userPromptSubmitted", 60),
    tool_told("postToolUse", 600),
    tool_told("postToolUseFailure", 600),
    told("agentStop", 600),
    told("subagentStop", 600),
    told("preCompact", 60),
    told("sessionStart", 60),
    told("sessionEnd", 10),
    told("errorOccurred", 60),
];

pub(super) const GEMINI: &[Event] = &[
    tool_gate("BeforeTool", 600),
    gate("BeforeAgent", 60),
    tool_told("AfterTool", 600),
    told("AfterAgent", 600),
    told("SessionStart", 60),
    told("SessionEnd", 10),
    told("PreCompress", 60),
    told("Notification", 60),
];

pub(super) const GOOSE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    told("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    tool_told("PostToolUseFailure", 600),
    told("Stop", 600),
    told("SessionStart", 60),
    told("SessionEnd", 10),
];

/// Cline gives up on a hook after 120 seconds, whatever is written.
pub(super) const CLINE: &[Event] = &[
    tool_gate("PreToolUse", 120),
    tool_told("PostToolUse", 120),
    gate("UserPromptSubmit", 120),
    told("TaskStart", 120),
    told("TaskResume", 120),
    told("TaskCancel", 120),
    told("TaskComplete", 120),
    told("SessionShutdown", 120),
];

pub(super) const OPENCODE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    told("shell_env", 30),
    told("SessionStart", 60),
    told("session.idle", 60),
];
