//! The event table of Claude Code: its events and the answers that each accepts. Data only; a new
//! event is one new row.
//!
//! The table follows version 2.1.332. Where the documentation and an observed run disagree, the
//! observation wins and a comment notes it.

use std::sync::LazyLock;
use std::time::Duration;

use super::answer::read_worktree_path;
use crate::answer::Power;
use crate::dialect::kit::protocol::{
    About, Accepts, Exit2, Field, Late, Plain, Spec, Top, Universal,
};
use crate::dialect::{Cap, EventRow};
use crate::hook::OnFailure;

/// The neutral rows.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| EVENTS.iter().map(Spec::event_row).collect());

/// Finds an event by its name. The neutral names are this agent's names.
pub(super) fn find_event(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

/// Fields of an answer about a tool call.
const GATE: &[(&str, Field)] = &[
    ("permissionDecision", Field::Permission(&["allow", "deny", "ask", "defer"])),
    REASON,
    ("updatedInput", Field::Input),
    CONTEXT,
];
/// Fields of an answer about a shell line of a skill. A changed line does not run: the reply denies
/// it (BR-91).
const SKILL_GATE: &[(&str, Field)] = &[
    ("permissionDecision", Field::Permission(&["allow", "deny", "ask", "defer"])),
    REASON,
    ("updatedInput", Field::Input),
];
const PERMISSION: &[Power] = &[Power::Allow, Power::Deny, Power::Input, Power::Permissions];
const CONTEXT: (&str, Field) = ("additionalContext", Field::Context);
const REASON: (&str, Field) = ("permissionDecisionReason", Field::PermissionReason);
const WATCH: (&str, Field) = ("watchPaths", Field::Watch);
const TITLE: (&str, Field) = ("sessionTitle", Field::ExtraText);
const HIDE_PROMPT: (&str, Field) = ("suppressOriginalPrompt", Field::ExtraFlag);
const TOOL: About = About::Field("tool_name");
const NEXT_MODEL: About = About::Model("to_model");

/// Every event, in the order of a session.
pub(super) static EVENTS: &[Spec] = &[
    Spec {
        plain: Plain::Context,
        // The documentation lets `continue: false` stop here too; observed, it has no effect.
        universal: Universal::NoStop,
        fields: &[
            CONTEXT,
            ("initialUserMessage", Field::FirstMessage),
            TITLE,
            WATCH,
            ("reloadSkills", Field::ExtraFlag),
        ],
        env_file: true,
        values: &["startup", "resume", "clear", "compact", "fork"],
        accepts: Accepts::Early,
        ..Spec::new("SessionStart", About::Field("source"), "a session starts or resumes")
    },
    Spec {
        fields: &[CONTEXT],
        env_file: true,
        values: &["init", "maintenance"],
        accepts: Accepts::Early,
        ..Spec::new("Setup", About::Field("trigger"), "the agent is run to prepare a project")
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::Dropped,
        values: &["session_start", "nested_traversal", "path_glob_match", "include", "compact"],
        ..Spec::new(
            "InstructionsLoaded",
            About::Field("load_reason"),
            "a file of instructions was loaded",
        )
    },
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Context,
        top: Top::Blocks,
        fields: &[CONTEXT, TITLE, HIDE_PROMPT],
        timeout: Duration::from_secs(30),
        accepts: Accepts::Every,
        is_gate: true,
        ..Spec::new(
            "UserPromptSubmit",
            About::Nothing,
            "the user sent a prompt; the model has not seen it",
        )
    },
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Context,
        top: Top::Blocks,
        fields: &[CONTEXT, HIDE_PROMPT],
        accepts: Accepts::Every,
        is_gate: true,
        ..Spec::new(
            "UserPromptExpansion",
            About::Field("command_name"),
            "a typed command is about to become a prompt",
        )
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::NoStop,
        fields: &[("displayContent", Field::Display)],
        timeout: Duration::from_secs(10),
        ..Spec::new("MessageDisplay", About::Nothing, "text of the model is about to be shown")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::BlocksOrApproves,
        fields: GATE,
        accepts: Accepts::Every,
        is_gate: true,
        ..Spec::new("PreToolUse", TOOL, "a tool is about to run")
    },
    // Observed in 2.1.332: `ask` and `defer` keep the line from running, as a denial does.
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: SKILL_GATE,
        accepts: Accepts::Every,
        is_gate: true,
        ..Spec::new("PreSkillShellCommand", TOOL, "a shell line of a skill is about to run")
    },
    Spec {
        exit2: Exit2::Ignored,
        fields: &[("decision", Field::Behavior(PERMISSION))],
        accepts: Accepts::Every,
        is_gate: true,
        ..Spec::new("PermissionRequest", TOOL, "the user is about to be asked for permission")
    },
    Spec {
        exit2: Exit2::Ignored,
        fields: &[("retry", Field::Retry)],
        accepts: Accepts::Every,
        ..Spec::new("PermissionDenied", TOOL, "the automatic permission check denied a tool call")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[
            CONTEXT,
            ("classifierContext", Field::ExtraText),
            ("updatedToolOutput", Field::Output),
            ("updatedMCPToolOutput", Field::McpOutput),
        ],
        accepts: Accepts::Every,
        ..Spec::new("PostToolUse", TOOL, "a tool has run")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        accepts: Accepts::Every,
        ..Spec::new("PostToolUseFailure", TOOL, "a tool has failed")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        accepts: Accepts::Every,
        ..Spec::new("PostToolBatch", About::Nothing, "all tool calls of one model reply are done")
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::Dropped,
        fields: &[CONTEXT],
        values: &[
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        ],
        ..Spec::new(
            "Notification",
            About::Field("notification_type"),
            "the user's attention is wanted",
        )
    },
    Spec {
        fields: &[CONTEXT],
        ..Spec::new("SubagentStart", About::Field("agent_type"), "a subagent starts")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        cap: Some(Cap::continue_after(8)),
        accepts: Accepts::Every,
        ignores_on_failure: true,
        ..Spec::new("SubagentStop", About::Field("agent_type"), "a subagent is about to finish")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        accepts: Accepts::Every,
        ..Spec::new("TaskCreated", About::Nothing, "a task was put on the list")
    },
    Spec {
        exit2: Exit2::Denies,
        accepts: Accepts::Every,
        ignores_on_failure: true,
        ..Spec::new("TaskCompleted", About::Nothing, "a task is about to be marked done")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        cap: Some(Cap::continue_after(8)),
        accepts: Accepts::Every,
        ignores_on_failure: true,
        ..Spec::new("Stop", About::Nothing, "the model is about to end its turn")
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::Dropped,
        values: &[
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
        ],
        ..Spec::new(
            "StopFailure",
            About::Field("error"),
            "a turn ended with an error of the model's service",
        )
    },
    Spec {
        exit2: Exit2::Denies,
        accepts: Accepts::Every,
        ignores_on_failure: true,
        ..Spec::new("TeammateIdle", About::Nothing, "a teammate is about to go idle")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        exempt: Some(("source", "policy_settings")),
        values: &[
            "user_settings",
            "project_settings",
            "local_settings",
            "policy_settings",
            "skills",
        ],
        ..Spec::new("ConfigChange", About::Field("source"), "a settings or skill file changed")
    },
    Spec {
        universal: Universal::NoStop,
        fields: &[WATCH],
        env_file: true,
        ..Spec::new("CwdChanged", About::Nothing, "the working directory changed")
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::NoStop,
        values: &["slash_command", "register_repo_root"],
        ..Spec::new(
            "DirectoryAdded",
            About::Field("source"),
            "a directory was added to the session",
        )
    },
    Spec {
        universal: Universal::NoStop,
        fields: &[WATCH],
        env_file: true,
        ..Spec::new("FileChanged", About::FileName("file_path"), "a watched file changed")
    },
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Own(read_worktree_path),
        universal: Universal::NoStop,
        fields: &[("worktreePath", Field::ExtraText)],
        // Any exit code but 0 fails the creation: here the hook does the work, it does not only
        // watch it.
        failure: OnFailure::Block,
        ..Spec::new("WorktreeCreate", About::Nothing, "a worktree is wanted, which the hook makes")
    },
    Spec {
        exit2: Exit2::Ignored,
        universal: Universal::NoStop,
        ..Spec::new("WorktreeRemove", About::Nothing, "a worktree is about to go")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        values: &["manual", "auto"],
        is_gate: true,
        ..Spec::new(
            "PreCompact",
            About::Field("trigger"),
            "the conversation is about to be compacted",
        )
    },
    Spec {
        universal: Universal::NoStop,
        values: &["manual", "auto"],
        ..Spec::new("PostCompact", About::Field("trigger"), "the conversation was compacted")
    },
    Spec {
        exit2: Exit2::Denies,
        fields: &[("permissionDecision", Field::Permission(&["allow", "deny", "ask"])), REASON],
        late: Late::Denies,
        timeout: Duration::from_secs(30),
        is_gate: true,
        ..Spec::new("PreModelSwitch", NEXT_MODEL, "the model is about to be switched")
    },
    Spec {
        plain: Plain::Context,
        fields: &[CONTEXT],
        timeout: Duration::from_secs(30),
        ..Spec::new("PostModelSwitch", NEXT_MODEL, "the model was switched")
    },
    Spec {
        universal: Universal::Dropped,
        timeout: Duration::from_millis(1_500),
        // Only older versions send the last one.
        values: &[
            "clear",
            "resume",
            "logout",
            "prompt_input_exit",
            "other",
            "bypass_permissions_disabled",
        ],
        ..Spec::new("SessionEnd", About::Field("reason"), "a session ends")
    },
    Spec {
        exit2: Exit2::DeniesAlone,
        universal: Universal::NoStop,
        fields: &[("action", Field::Action), ("content", Field::ExtraObject)],
        ..Spec::new(
            "Elicitation",
            About::Field("mcp_server_name"),
            "an MCP server asks the user for input",
        )
    },
    Spec {
        exit2: Exit2::DeniesAlone,
        universal: Universal::NoStop,
        fields: &[("action", Field::Action), ("content", Field::ExtraObject)],
        ..Spec::new(
            "ElicitationResult",
            About::Field("mcp_server_name"),
            "the user's reply is about to go to the MCP server",
        )
    },
];

/// The answers of this dialect's hooks to an event of another program, whose row decides which of
/// them have an effect.
pub(super) static CUSTOM: Spec = Spec {
    exit2: Exit2::Denies,
    top: Top::BlocksOrApproves,
    fields: GATE,
    ..Spec::new("", About::Nothing, "")
};
