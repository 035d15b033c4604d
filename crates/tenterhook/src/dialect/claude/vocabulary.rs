//! Which words Claude Code's configs may use: its events and what their matchers are tested on, its handler types and
//! their fields, its tools, the variables that it sets. Tables only; decides nothing.

/// What the matcher of an event is tested on, as far as a reader of configs can know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subjects {
    /// The event has no subject: a matcher on it is ignored.
    None,
    /// The name of a tool.
    Tools,
    /// One of these words.
    Closed(&'static [&'static str]),
    /// Names that other people give: agents, commands, servers.
    Open,
    /// File names, for the one event whose matcher also says what is watched.
    Files,
}

/// Which handler types an event accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepts {
    /// All of them.
    Every,
    /// Those that ask no model.
    NoModel,
    /// Commands and MCP tools.
    Early,
}

/// One event, as far as its configuration goes.
#[derive(Debug)]
pub(super) struct EventWords {
    /// Its name.
    pub(super) name: &'static str,
    /// What its matcher is tested on.
    pub(super) subjects: Subjects,
    /// Which handlers it accepts.
    pub(super) accepts: Accepts,
    /// Whether what a hook answers decides whether something happens at all.
    pub(super) is_gate: bool,
    /// Whether `onFailure` says nothing here (C-35).
    pub(super) ignores_on_failure: bool,
}

const fn event(name: &'static str, subjects: Subjects, accepts: Accepts) -> EventWords {
    EventWords { name, subjects, accepts, is_gate: false, ignores_on_failure: false }
}

const fn gate(name: &'static str, subjects: Subjects, accepts: Accepts) -> EventWords {
    EventWords { is_gate: true, ..event(name, subjects, accepts) }
}

const fn stop(name: &'static str, subjects: Subjects) -> EventWords {
    EventWords { ignores_on_failure: true, ..event(name, subjects, Accepts::Every) }
}

use Accepts::{Early, Every, NoModel};
use Subjects::{Closed, Files, Open, Tools};

const COMPACTIONS: Subjects = Closed(&["manual", "auto"]);

/// Every event of the agent.
pub(super) static EVENTS: &[EventWords] = &[
    event("SessionStart", Closed(&["startup", "resume", "clear", "compact", "fork"]), Early),
    event("Setup", Closed(&["init", "maintenance"]), Early),
    event(
        "InstructionsLoaded",
        Closed(&["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
        NoModel,
    ),
    gate("UserPromptSubmit", Subjects::None, Every),
    gate("UserPromptExpansion", Open, Every),
    event("MessageDisplay", Subjects::None, NoModel),
    gate("PreToolUse", Tools, Every),
    gate("PermissionRequest", Tools, Every),
    event("PermissionDenied", Tools, Every),
    event("PostToolUse", Tools, Every),
    event("PostToolUseFailure", Tools, Every),
    event("PostToolBatch", Subjects::None, Every),
    event(
        "Notification",
        Closed(&[
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        ]),
        NoModel,
    ),
    event("SubagentStart", Open, NoModel),
    stop("SubagentStop", Open),
    event("TaskCreated", Subjects::None, Every),
    stop("TaskCompleted", Subjects::None),
    stop("Stop", Subjects::None),
    event(
        "StopFailure",
        Closed(&[
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "unknown",
            "account_on_hold",
            "verification_required",
            "cloud_credential_error",
        ]),
        NoModel,
    ),
    stop("TeammateIdle", Subjects::None),
    event(
        "ConfigChange",
        Closed(&[
            "user_settings",
            "project_settings",
            "local_settings",
            "policy_settings",
            "skills",
        ]),
        NoModel,
    ),
    event("CwdChanged", Subjects::None, NoModel),
    event("DirectoryAdded", Closed(&["slash_command", "register_repo_root"]), NoModel),
    event("FileChanged", Files, NoModel),
    event("WorktreeCreate", Subjects::None, NoModel),
    event("WorktreeRemove", Subjects::None, NoModel),
    gate("PreCompact", COMPACTIONS, NoModel),
    event("PostCompact", COMPACTIONS, NoModel),
    gate("PreModelSwitch", Subjects::None, NoModel),
    event("PostModelSwitch", Subjects::None, NoModel),
    event(
        "SessionEnd",
        // The last one is of older versions, and harmless to name.
        Closed(&[
            "clear",
            "resume",
            "logout",
            "prompt_input_exit",
            "other",
            "bypass_permissions_disabled",
        ]),
        NoModel,
    ),
    event("Elicitation", Open, NoModel),
    event("ElicitationResult", Open, NoModel),
];

/// The event of that name.
pub(super) fn find_event(name: &str) -> Option<&'static EventWords> {
    EVENTS.iter().find(|event| event.name == name)
}

/// The values that matchers of an event can meet, where they are a closed list.
pub(super) fn subjects(event: &str) -> &'static [&'static str] {
    match find_event(event).map(|it| &it.subjects) {
        Some(Subjects::Closed(values)) => values,
        _ => &[],
    }
}

/// A handler type and its fields.
#[derive(Debug)]
pub(super) struct HandlerType {
    /// What `type` says.
    pub(super) name: &'static str,
    /// The fields that it must have.
    pub(super) required: &'static [&'static str],
    /// Those that it may have, beside the ones that all have.
    pub(super) optional: &'static [&'static str],
    /// Whether a model answers.
    pub(super) asks_model: bool,
    /// Whether it may stand on an event of the `Early` kind.
    pub(super) is_early: bool,
}

/// Every handler type.
pub(super) static TYPES: &[HandlerType] = &[
    HandlerType {
        name: "command",
        required: &["command"],
        optional: &["args", "shell", "async", "asyncRewake", "onFailure"],
        asks_model: false,
        is_early: true,
    },
    HandlerType {
        name: "http",
        required: &["url"],
        optional: &["headers", "allowedEnvVars", "onFailure"],
        asks_model: false,
        is_early: false,
    },
    HandlerType {
        name: "mcp_tool",
        required: &["server", "tool"],
        optional: &["input", "onFailure"],
        asks_model: false,
        is_early: true,
    },
    HandlerType {
        name: "prompt",
        required: &["prompt"],
        optional: &["model", "continueOnBlock"],
        asks_model: true,
        is_early: false,
    },
    HandlerType {
        name: "agent",
        required: &["prompt"],
        optional: &["model"],
        asks_model: true,
        is_early: false,
    },
];

/// Fields of every handler.
pub(super) const COMMON_FIELDS: &[&str] = &["type", "if", "timeout", "statusMessage", "once"];

impl HandlerType {
    /// The type of that name.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|it| it.name == name)
    }

    /// Whether it has a field of that name.
    pub(super) fn has(&self, field: &str) -> bool {
        self.required.contains(&field)
            || self.optional.contains(&field)
            || COMMON_FIELDS.contains(&field)
    }

    /// Whether an event accepts it.
    pub(super) fn accepted(&self, accepts: Accepts) -> bool {
        match accepts {
            Every => true,
            NoModel => !self.asks_model,
            Early => self.is_early,
        }
    }
}

/// Built-in tools.
pub(super) const TOOLS: &[&str] = &[
    "Agent",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "ClaudeDesign",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "ListAgents",
    "ListMcpResourcesTool",
    "LSP",
    "Monitor",
    "NotebookEdit",
    "OfferChromeSetup",
    "PowerShell",
    "Projects",
    "propose_skills",
    "PushNotification",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "ReadNotifications",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendFeedback",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "SetGoal",
    "ShareOnboardingGuide",
    "ShowOnboardingRolePicker",
    "Skill",
    "SubagentHandback",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Tools of older versions that have no present name: harmless to list, dead alone only in new versions.
pub(super) const FORMER_TOOLS: &[&str] = &[
    "MultiEdit",
    "LS",
    "NotebookRead",
    "TodoRead",
    "BashOutput",
    "TaskOutput",
    "SlashCommand",
    "TeamCreate",
    "TeamDelete",
];

/// Old names that matchers and rules may still use, each with the present one.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("ProposeGoal", "SetGoal"),
];

/// Tool names of other agents, each with the agent and what Claude Code calls the tool.
pub(super) const FOREIGN_TOOLS: &[(&str, &str, &str)] = &[
    ("apply_patch", "Codex", "Edit"),
    ("ApplyPatch", "Codex", "Edit"),
    ("local_shell", "Codex", "Bash"),
    ("exec_command", "Codex", "Bash"),
    ("unified_exec", "Codex", "Bash"),
    ("update_plan", "Codex", "TodoWrite"),
    ("shell", "Codex", "Bash"),
    ("run_shell_command", "Gemini CLI", "Bash"),
    ("read_file", "Gemini CLI", "Read"),
    ("read_many_files", "Gemini CLI", "Read"),
    ("write_file", "Gemini CLI", "Write"),
    ("replace", "Gemini CLI", "Edit"),
    ("search_file_content", "Gemini CLI", "Grep"),
    ("list_directory", "Gemini CLI", "Glob"),
    ("google_web_search", "Gemini CLI", "WebSearch"),
    ("web_fetch", "Gemini CLI", "WebFetch"),
    ("save_memory", "Gemini CLI", "Write"),
    ("edit_file", "another agent", "Edit"),
    ("create_file", "another agent", "Write"),
    ("str_replace", "another agent", "Edit"),
    ("str_replace_editor", "another agent", "Edit"),
    ("run_terminal_cmd", "Cursor", "Bash"),
    ("search_replace", "Cursor", "Edit"),
    ("run_command", "Windsurf", "Bash"),
    ("write_to_file", "Windsurf", "Write"),
    ("replace_file_content", "Windsurf", "Edit"),
    ("exec_shell", "CodeWhale", "Bash"),
];

/// The variables that the agent sets for hooks, and the ones of its own that users set.
pub(super) const VARIABLES: &[&str] = &[
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_BRIDGE_SESSION_ID",
    "CLAUDECODE",
];

/// Variables that configs rely on and nobody sets.
pub(super) const PHANTOM_VARIABLES: &[&str] = &[
    "TOOL_INPUT",
    "TOOL_NAME",
    "TOOL_OUTPUT",
    "TOOL_RESPONSE",
    "TOOL_RESULT",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_EVENT_TYPE",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_HOOK_INPUT",
    "CLAUDE_HOOK_EVENT_NAME",
    "CLAUDE_PROMPT",
    "CLAUDE_USER_PROMPT",
    "CLAUDE_NOTIFICATION",
    "CLAUDE_NOTIFICATION_MESSAGE",
    "CLAUDE_COMMAND",
    "CLAUDE_BASH_COMMAND",
    "CLAUDE_SESSION_ID",
    "CLAUDE_PROJECT_ROOT",
    "CLAUDE_WORKSPACE",
    "HOOK_INPUT",
    "HOOK_EVENT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_33_events_and_each_name_stands_once() {
        assert_eq!(EVENTS.len(), 33);
        for event in EVENTS {
            assert!(std::ptr::eq(find_event(event.name).expect("it is listed"), event));
        }
    }

    #[test]
    fn the_words_of_configs_and_the_table_of_events_agree() {
        use crate::dialect::{DialectId, Subject};
        let rows = DialectId::CLAUDE.dialect().rows();
        assert_eq!(rows.len(), EVENTS.len());
        for row in rows {
            let words = find_event(&row.name).expect("it is known here, too");
            let has_subject = words.subjects != Subjects::None;
            assert_eq!(has_subject, row.subject != Subject::None, "{}", row.name);
        }
    }
}
