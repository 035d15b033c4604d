//! The names in Claude Code's configs besides its events: handler types and their fields, tools,
//! and variables. Tables only; decides nothing.

use crate::dialect::kit::protocol::Accepts;

/// A handler type and its fields.
#[derive(Debug)]
pub(super) struct HandlerType {
    /// The value of `type`.
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
        // The last four are the agent's own affair: where a hook of a cloud session runs, and what
        // it says to whom. They change nothing here.
        optional: &[
            "args",
            "shell",
            "async",
            "asyncRewake",
            "onFailure",
            "cloud",
            "holdsTools",
            "rewakeMessage",
            "rewakeSummary",
        ],
        asks_model: false,
        is_early: true,
    },
    HandlerType {
        name: "http",
        required: &["url"],
        optional: &["headers", "allowedEnvVars", "onFailure", "cloud"],
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
    /// Finds the handler type called `name`.
    pub(super) fn find_type(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|kind| kind.name == name)
    }

    /// Whether the type has a field of that name.
    pub(super) fn has_field(&self, field: &str) -> bool {
        self.required.contains(&field)
            || self.optional.contains(&field)
            || COMMON_FIELDS.contains(&field)
    }

    /// Whether an event accepts handlers of this type.
    pub(super) fn is_accepted_by_event(&self, accepts: Accepts) -> bool {
        match accepts {
            Accepts::Every => true,
            Accepts::NoModel => !self.asks_model,
            Accepts::Early => self.is_early,
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

/// Tools of older versions that have no present name: harmless to list, dead alone only in new
/// versions.
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
/// The variables that the agent sets for hooks, and the agent's variables that users set.
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

/// Variables that configs rely on and that are never set, beside those of every agent.
pub(super) const PHANTOM_VARIABLES: &[&str] = &[
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
];
