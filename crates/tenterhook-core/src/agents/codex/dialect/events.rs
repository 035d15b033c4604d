//! The event table of Codex: its events and the answers that each accepts (CX-34). Data only; a new
//! event is one new row.

use std::sync::LazyLock;
use std::time::Duration;

use crate::answer::Power;
use crate::dialect::kit::protocol::{About, Exit2, Field, Plain, Spec, Top, Universal};
use crate::dialect::tools::ToolWords;
use crate::dialect::{Cap, EventRow};

/// The default timeout of a hook, and the shorter one of events that a user waits for.
pub(super) const TIMEOUT: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_secs(1);

const CONTEXT: (&str, Field) = ("additionalContext", Field::Context);
const TOOL: About = About::Tool(TOOLS);
const AGENT: About = About::Field("agent_type");
const TRIGGER: About = About::Field("trigger");
const COMPACTIONS: &[&str] = &["manual", "auto"];

/// The names of a tool in matchers: a patch is also an `Edit` and a `Write`, a started agent an
/// `Agent` (CX-12; played with 0.169.0).
static TOOLS: &[ToolWords] = &[
    ToolWords { own: &["apply_patch", "Edit", "Write"], neutral: "apply_patch", keys: &[] },
    ToolWords { own: &["Edit", "apply_patch"], neutral: "Edit", keys: &[] },
    ToolWords { own: &["Write", "apply_patch"], neutral: "Write", keys: &[] },
    ToolWords { own: &["spawn_agent", "Agent"], neutral: "spawn_agent", keys: &[] },
    ToolWords { own: &["Agent", "spawn_agent"], neutral: "Agent", keys: &[] },
];

/// The neutral rows.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| EVENTS.iter().map(Spec::event_row).collect());

/// An event whose hooks only observe: exit code 2 is an ordinary failure, and `continue: false`
/// stops nothing.
const fn observer_spec(name: &'static str, about: About, when: &'static str) -> Spec {
    Spec { exit2: Exit2::Fails, universal: Universal::NoStop, ..Spec::new(name, about, when) }
}

/// The end of a turn, which hooks may block. The agent sets no limit (CX-34).
const fn turn_end_spec(name: &'static str, about: About, when: &'static str) -> Spec {
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Refused,
        top: Top::Blocks,
        cap: Some(Cap::continue_after(8)),
        ..Spec::new(name, about, when)
    }
}

/// Every event.
pub(super) static EVENTS: &[Spec] = &[
    Spec {
        exit2: Exit2::Fails,
        plain: Plain::Context,
        fields: &[CONTEXT],
        values: &["startup", "resume", "clear", "compact", "fork"],
        ..Spec::new("SessionStart", About::Field("source"), "a session starts or resumes")
    },
    Spec {
        exit2: Exit2::Denies,
        plain: Plain::Context,
        top: Top::Blocks,
        fields: &[CONTEXT],
        ..Spec::new("UserPromptSubmit", About::Nothing, "the user sent a prompt")
    },
    Spec {
        event: "PreModelCall",
        ..observer_spec("PreModelRequest", About::Nothing, "the model is about to be called")
    },
    Spec {
        event: "PostModelCall",
        ..observer_spec("PostModelRequest", About::Nothing, "the model answered")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::NoStop,
        fields: &[
            ("permissionDecision", Field::Denial(&["allow", "deny"])),
            ("permissionDecisionReason", Field::PermissionReason),
            ("updatedInput", Field::Input),
            CONTEXT,
        ],
        more: ENDS,
        ..Spec::new("PreToolUse", TOOL, "a tool is about to run")
    },
    Spec {
        exit2: Exit2::Denies,
        universal: Universal::NoStop,
        fields: &[("decision", Field::Behavior(&[Power::Allow, Power::Deny]))],
        more: ENDS,
        ..Spec::new("PermissionRequest", TOOL, "the user is about to be asked for permission")
    },
    Spec {
        exit2: Exit2::Denies,
        top: Top::Blocks,
        universal: Universal::StopDenies,
        fields: &[CONTEXT],
        replaces: true,
        ..Spec::new("PostToolUse", TOOL, "a tool has run")
    },
    Spec {
        exit2: Exit2::Fails,
        universal: Universal::StopDenies,
        values: COMPACTIONS,
        ..Spec::new("PreCompact", TRIGGER, "the conversation is about to be compacted")
    },
    Spec {
        values: COMPACTIONS,
        ..observer_spec("PostCompact", TRIGGER, "the conversation was compacted")
    },
    Spec { fields: &[CONTEXT], ..observer_spec("SubagentStart", AGENT, "a subagent starts") },
    turn_end_spec("SubagentStop", AGENT, "a subagent is about to finish"),
    turn_end_spec("Stop", About::Nothing, "the model is about to end its turn"),
    Spec {
        timeout: SHORT,
        ..observer_spec("Interrupt", About::Nothing, "the user interrupted a turn")
    },
    Spec { timeout: SHORT, ..observer_spec("SessionEnd", About::Nothing, "a session ends") },
];

/// The agent runs a tool although its hook answers `continue: false`; in guarded mode, the turn
/// stops (CX-43).
const ENDS: &[Power] = &[Power::Stop];

/// The answers of this dialect's hooks to an event of another program, whose row decides which of
/// them have an effect.
pub(super) static CUSTOM: Spec = Spec {
    exit2: Exit2::Denies,
    top: Top::Blocks,
    fields: &[CONTEXT],
    ..Spec::new("", About::Nothing, "")
};
