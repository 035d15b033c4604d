//! The event table of Claude Code: which events there are and what each lets its hooks say. Data only; reading answers
//! is `answer`'s business. A new event is one new row.
//!
//! The table follows version 2.1.330. Where the documentation and an observed run disagree, the observation wins and a
//! comment says so.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use crate::answer::{Power, Powers};
use crate::dialect::{EventRow, Subject};
use crate::hook::OnFailure;

/// One event: what the neutral row says, and what only this dialect knows.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) about: About,
    pub(super) when: &'static str,
    pub(super) exit2: Exit2,
    pub(super) plain: Plain,
    pub(super) top: Top,
    pub(super) universal: Universal,
    /// The fields of `hookSpecificOutput`.
    pub(super) fields: &'static [(&'static str, Field)],
    pub(super) late: Late,
    /// Where this payload field has this value, nothing is blocked.
    pub(super) exempt: Option<(&'static str, &'static str)>,
    /// Whether the hook is handed `CLAUDE_ENV_FILE`.
    pub(super) env_file: bool,
    timeout: Duration,
    failure: OnFailure,
    cap: Option<u32>,
}

/// What the event's matchers are tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// Nothing: a matcher is ignored.
    Nothing,
    /// A text field of the payload.
    Field(&'static str),
    /// The last component of a path field of the payload.
    FileName(&'static str),
}

/// What exit code 2 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit2 {
    /// It denies, or objects to what was done; the reason is on stderr.
    Denies,
    /// It denies, and the rest of the answer is dropped.
    DeniesAlone,
    /// The user reads stderr; nothing is blocked.
    TellsUser,
    /// Nobody hears of it.
    Unheard,
}

/// What stdout is that is no object, at exit code 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// Log text.
    Log,
    /// Context for the model.
    Context,
    /// The path of the new worktree, which is required.
    Path,
}

/// What `decision` at the top level does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    /// Nothing.
    Ignored,
    /// `block` denies.
    Blocks,
    /// `block` denies and `approve` allows.
    BlocksOrApproves,
}

/// Which of the fields that every answer may have count. `terminalSequence` always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Universal {
    /// `systemMessage` and `continue`.
    All,
    /// `systemMessage`, but `continue: false` ends nothing.
    NoStop,
    /// None.
    Dropped,
}

/// What running out of time means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    /// A failure like others.
    Fails,
    /// A denial.
    Denies,
}

/// What a field of `hookSpecificOutput` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// The decision, one of these words.
    Permission(&'static [&'static str]),
    /// Why.
    PermissionReason,
    /// The decision as an object with a `behavior`.
    Behavior,
    /// A text for the model.
    Context,
    /// The new tool input.
    Input,
    /// The new tool output, of the same type as the original.
    Output,
    /// The new tool output, where an MCP server made the original.
    McpOutput,
    /// The text to show instead.
    Display,
    /// The paths to watch.
    Watch,
    /// The session's first message.
    FirstMessage,
    /// The model may try again.
    Retry,
    /// The reply to a form: `accept`, `decline` or `cancel`.
    Action,
    /// A text without a key of its own in an outcome.
    ExtraText,
    /// A truth value without a key of its own.
    ExtraFlag,
    /// An object without a key of its own.
    ExtraObject,
}

const CONTEXT: (&str, Field) = ("additionalContext", Field::Context);
const REASON: (&str, Field) = ("permissionDecisionReason", Field::PermissionReason);
const WATCH: (&str, Field) = ("watchPaths", Field::Watch);
const TITLE: (&str, Field) = ("sessionTitle", Field::ExtraText);
const HIDE_PROMPT: (&str, Field) = ("suppressOriginalPrompt", Field::ExtraFlag);
const TOOL: About = About::Field("tool_name");

/// Every event, in the order in which people meet them.
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
        ..Spec::of("SessionStart", About::Field("source"), "a session starts or resumes")
    },
    Spec {
        fields: &[CONTEXT],
        env_file: true,
        ..Spec::of("Setup", About::Field("trigger"), "the agent is run to prepare a project")
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::Dropped,
        ..Spec::of(
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
        ..Spec::of(
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
        ..Spec::of(
            "UserPromptExpansion",
            About::Field("command_name"),
            "a typed command is about to become a prompt",
        )
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::NoStop,
        fields: &[("displayContent", Field::Display)],
        timeout: Duration::from_secs(10),
        ..Spec::of("MessageDisplay", About::Nothing, "text of the model is about to be shown")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::BlocksOrApproves,
        fields: &[
            ("permissionDecision", Field::Permission(&["allow", "deny", "ask", "defer"])),
            REASON,
            ("updatedInput", Field::Input),
            CONTEXT,
        ],
        ..Spec::of("PreToolUse", TOOL, "a tool is about to run")
    },
    Spec {
        exit2: Exit2::Unheard,
        fields: &[("decision", Field::Behavior)],
        ..Spec::of("PermissionRequest", TOOL, "the user is about to be asked for permission")
    },
    Spec {
        exit2: Exit2::Unheard,
        fields: &[("retry", Field::Retry)],
        ..Spec::of("PermissionDenied", TOOL, "the automatic permission check denied a tool call")
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
        ..Spec::of("PostToolUse", TOOL, "a tool has run")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        ..Spec::of("PostToolUseFailure", TOOL, "a tool has failed")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        ..Spec::of("PostToolBatch", About::Nothing, "all tool calls of one model reply are done")
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::Dropped,
        ..Spec::of(
            "Notification",
            About::Field("notification_type"),
            "the user's attention is wanted",
        )
    },
    Spec {
        fields: &[CONTEXT],
        ..Spec::of("SubagentStart", About::Field("agent_type"), "a subagent starts")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        cap: Some(8),
        ..Spec::of("SubagentStop", About::Field("agent_type"), "a subagent is about to finish")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        ..Spec::of("TaskCreated", About::Nothing, "a task was put on the list")
    },
    Spec {
        exit2: Exit2::Denies,
        ..Spec::of("TaskCompleted", About::Nothing, "a task is about to count as done")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        fields: &[CONTEXT],
        cap: Some(8),
        ..Spec::of("Stop", About::Nothing, "the model is about to end its turn")
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::Dropped,
        ..Spec::of(
            "StopFailure",
            About::Field("error"),
            "a turn ended with an error of the model's service",
        )
    },
    Spec {
        exit2: Exit2::Denies,
        ..Spec::of("TeammateIdle", About::Nothing, "a teammate is about to go idle")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        exempt: Some(("source", "policy_settings")),
        ..Spec::of("ConfigChange", About::Field("source"), "a settings or skill file changed")
    },
    Spec {
        universal: Universal::NoStop,
        fields: &[WATCH],
        env_file: true,
        ..Spec::of("CwdChanged", About::Nothing, "the working directory changed")
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::NoStop,
        ..Spec::of("DirectoryAdded", About::Field("source"), "a directory was added to the session")
    },
    Spec {
        universal: Universal::NoStop,
        fields: &[WATCH],
        env_file: true,
        ..Spec::of("FileChanged", About::FileName("file_path"), "a watched file changed")
    },
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Path,
        universal: Universal::NoStop,
        fields: &[("worktreePath", Field::ExtraText)],
        // Any exit code but 0 fails the creation: here the hook does the work, it does not only watch it.
        failure: OnFailure::Block,
        ..Spec::of("WorktreeCreate", About::Nothing, "a worktree is wanted, which the hook makes")
    },
    Spec {
        exit2: Exit2::Unheard,
        universal: Universal::NoStop,
        ..Spec::of("WorktreeRemove", About::Nothing, "a worktree is about to go")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        ..Spec::of(
            "PreCompact",
            About::Field("trigger"),
            "the conversation is about to be compacted",
        )
    },
    Spec {
        universal: Universal::NoStop,
        ..Spec::of("PostCompact", About::Field("trigger"), "the conversation was compacted")
    },
    // The matchers of the two model-switch events are not documented. Without a subject a matcher is ignored, so that a
    // gate fires too often rather than never.
    Spec {
        exit2: Exit2::Denies,
        fields: &[("permissionDecision", Field::Permission(&["allow", "deny", "ask"])), REASON],
        late: Late::Denies,
        timeout: Duration::from_secs(30),
        ..Spec::of("PreModelSwitch", About::Nothing, "the model is about to be switched")
    },
    Spec {
        plain: Plain::Context,
        fields: &[CONTEXT],
        timeout: Duration::from_secs(30),
        ..Spec::of("PostModelSwitch", About::Nothing, "the model was switched")
    },
    Spec {
        universal: Universal::Dropped,
        timeout: Duration::from_millis(1_500),
        ..Spec::of("SessionEnd", About::Field("reason"), "a session ends")
    },
    Spec {
        exit2: Exit2::DeniesAlone,
        universal: Universal::NoStop,
        fields: &[("action", Field::Action), ("content", Field::ExtraObject)],
        ..Spec::of(
            "Elicitation",
            About::Field("mcp_server_name"),
            "an MCP server asks the user for input",
        )
    },
    Spec {
        exit2: Exit2::DeniesAlone,
        universal: Universal::NoStop,
        fields: &[("action", Field::Action), ("content", Field::ExtraObject)],
        ..Spec::of(
            "ElicitationResult",
            About::Field("mcp_server_name"),
            "the user's reply is about to go to the MCP server",
        )
    },
];

/// What hooks of this dialect may say on an event of somebody else's: the row that its owner gave it decides what counts.
pub(super) static CUSTOM: Spec = Spec {
    exit2: Exit2::Denies,
    top: Top::BlocksOrApproves,
    fields: &[
        ("permissionDecision", Field::Permission(&["allow", "deny", "ask", "defer"])),
        REASON,
        ("updatedInput", Field::Input),
        CONTEXT,
    ],
    ..Spec::of("", About::Nothing, "")
};

/// The neutral rows.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| EVENTS.iter().map(Spec::row).collect());

/// The event of that name. Names are the neutral ones, because the neutral names are this agent's.
pub(super) fn spec(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

impl Spec {
    /// An event whose hooks may only tell the user something, or end the turn.
    const fn of(name: &'static str, about: About, when: &'static str) -> Self {
        Self {
            name,
            about,
            when,
            exit2: Exit2::TellsUser,
            plain: Plain::Log,
            top: Top::Ignored,
            universal: Universal::All,
            fields: &[],
            late: Late::Fails,
            exempt: None,
            env_file: false,
            timeout: Duration::from_mins(10),
            // Documented and observed: this agent goes on when a hook fails.
            failure: OnFailure::Continue,
            cap: None,
        }
    }

    /// What hooks may do on this event: the sum of what its ways to answer can say.
    pub(super) fn powers(&self) -> Powers {
        let fields = self.fields.iter().flat_map(|(_, field)| field.powers());
        let ways = [
            (matches!(self.exit2, Exit2::Denies | Exit2::DeniesAlone), Power::Deny),
            (matches!(self.exit2, Exit2::TellsUser), Power::Message),
            (self.top != Top::Ignored, Power::Deny),
            (self.top == Top::BlocksOrApproves, Power::Allow),
            (self.plain == Plain::Context, Power::Context),
            (self.universal != Universal::Dropped, Power::Message),
            (self.universal == Universal::All, Power::Stop),
            (self.env_file, Power::Env),
        ];
        let ways = ways.iter().filter_map(|(open, power)| open.then_some(power));
        fields.chain(ways).fold(Powers::NONE, |powers, power| powers.with(*power))
    }

    fn row(&self) -> EventRow {
        EventRow {
            name: Cow::Borrowed(self.name),
            event: Cow::Borrowed(self.name),
            subject: self.about.subject(),
            powers: self.powers(),
            timeout: self.timeout,
            failure: self.failure,
            cap: self.cap,
            when: Cow::Borrowed(self.when),
        }
    }
}

impl About {
    const fn subject(self) -> Subject {
        match self {
            Self::Nothing => Subject::None,
            Self::Field(key) => Subject::Field(key),
            Self::FileName(key) => Subject::FileName(key),
        }
    }
}

impl Field {
    fn powers(self) -> &'static [Power] {
        match self {
            Self::Permission(words) if words.contains(&"defer") => {
                &[Power::Allow, Power::Deny, Power::Ask, Power::Defer]
            }
            Self::Permission(_) => &[Power::Allow, Power::Deny, Power::Ask],
            Self::Behavior => &[Power::Allow, Power::Deny, Power::Input, Power::Permissions],
            Self::Context => &[Power::Context],
            Self::Input => &[Power::Input],
            Self::Output | Self::McpOutput | Self::Display => &[Power::Output],
            Self::Watch => &[Power::Watch],
            Self::FirstMessage => &[Power::InitialMessage],
            Self::Retry => &[Power::Retry],
            Self::Action => &[Power::Deny],
            Self::PermissionReason | Self::ExtraText | Self::ExtraFlag | Self::ExtraObject => &[],
        }
    }
}
