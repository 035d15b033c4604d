//! The table of the events of Reasonix: what hooks can do on each, and how their stdout is read
//! (RX-1 to RX-5). Data only.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use super::vocabulary::TOOLS;
use crate::answer::{Power, Powers};
use crate::dialect::{Cap, Dispatch, EventRow, Subject};
use crate::hook::OnFailure;

/// One event.
#[derive(Debug)]
pub(super) struct Spec {
    /// The agent's name for it.
    pub(super) name: &'static str,
    /// The neutral name.
    neutral: &'static str,
    about: About,
    pub(super) block: Block,
    pub(super) printed: Printed,
    seconds: u64,
    when: &'static str,
}

/// The subject that `match` tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// The tool.
    Tool,
    /// There is no subject: `match` is ignored.
    Nothing,
}

/// The effect of exit code 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// It warns.
    Warns,
    /// It blocks.
    Blocks,
    /// It blocks, but the third block in a row is ignored (RX-4).
    GivesWay,
    /// It blocks, and the third block in a row ends the turn (RX-4).
    EndsTurn,
}

/// How stdout is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printed {
    /// The text of a warning or a block.
    Text,
    /// Context for the model, if the hook passes (RX-24).
    Context,
    /// Lines that begin with `@@INJECT:` or `@@WARN:` (RX-26).
    Directives,
    /// An object that may replace the tool's input (RX-25).
    Input,
}

/// How many blocks in a row have an effect (RX-4).
const MAX_BLOCKS: u32 = 2;

const fn new_spec(
    name: &'static str,
    neutral: &'static str,
    block: Block,
    seconds: u64,
    when: &'static str,
) -> Spec {
    Spec { name, neutral, about: About::Nothing, block, printed: Printed::Text, seconds, when }
}

const fn with_tool_subject(mut spec: Spec) -> Spec {
    spec.about = About::Tool;
    spec
}

/// Returns the row with a different way to read stdout.
const fn with_stdout_reading(printed: Printed, mut spec: Spec) -> Spec {
    spec.printed = printed;
    spec
}

use Block::{Blocks, EndsTurn, GivesWay, Warns};
use Printed::{Context, Directives, Input};

/// Every event: the ten of the first version in the order of a session, then those of later
/// versions.
#[rustfmt::skip]
pub(super) static EVENTS: &[Spec] = &[
    with_stdout_reading(Context, new_spec("SessionStart", "SessionStart", Warns, 10, "before the first turn of a session, once")),
    with_stdout_reading(Context, new_spec("TurnStart", "TurnStart", Blocks, 5, "a turn begins")),
    with_stdout_reading(Input, with_tool_subject(new_spec("PreToolUse", "PreToolUse", Blocks, 5, "a tool is about to run"))),
    with_tool_subject(new_spec("PostToolUse", "PostToolUse", Warns, 30, "a tool ran and succeeded")),
    new_spec("UserPromptSubmit", "UserPromptSubmit", Blocks, 5, "the user sent a prompt; the model has not seen it"),
    with_stdout_reading(Context, new_spec("PreModelCall", "PreModelCall", EndsTurn, 10, "the model is about to be called")),
    new_spec("PostModelCall", "PostModelCall", Warns, 30, "the model answered"),
    with_stdout_reading(Directives, new_spec("TurnEnd", "Stop", GivesWay, 10, "the agent is about to end its turn; a block keeps it at work")),
    new_spec("Stop", "TurnComplete", Warns, 30, "a turn ended, whatever it ended with"),
    new_spec("SessionEnd", "SessionEnd", Warns, 10, "a session ends"),
    with_tool_subject(new_spec("PostToolUseFailure", "PostToolUseFailure", Warns, 30, "a tool failed")),
    with_tool_subject(new_spec("PermissionRequest", "PermissionRequest", Warns, 5, "the user is about to be asked for permission")),
    new_spec("StopFailure", "StopFailure", Warns, 30, "a turn ended because the model could not be reached"),
    new_spec("PostLLMCall", "PostLLMCall", Warns, 30, "the model answered, in later versions"),
    new_spec("SubagentStop", "SubagentStop", Warns, 30, "a subagent ended"),
    new_spec("Notification", "Notification", Warns, 30, "the agent tells the user something"),
    with_stdout_reading(Context, new_spec("PreCompact", "PreCompact", Warns, 30, "the conversation is about to be compacted")),
];

/// The neutral rows.
pub(super) static ROWS: LazyLock<Vec<EventRow>> =
    LazyLock::new(|| EVENTS.iter().map(Spec::event_row).collect());

/// The event that the agent calls `name`.
pub(super) fn find_by_name(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

/// The event with that neutral name.
pub(super) fn find_by_neutral_name(name: &str) -> Option<&'static Spec> {
    EVENTS.iter().find(|spec| spec.neutral == name)
}

impl Spec {
    pub(super) const fn neutral_name(&self) -> &'static str {
        self.neutral
    }

    /// The timeout of a hook that sets none (RX-3).
    pub(super) fn default_timeout(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    pub(super) fn is_tool_event(&self) -> bool {
        self.about == About::Tool
    }

    pub(super) fn is_gate_event(&self) -> bool {
        self.block != Warns
    }

    /// Whether the answers of hooks have an effect on the event; otherwise hooks only observe it.
    pub(super) fn answers_have_effect(&self) -> bool {
        self.is_gate_event() || self.printed != Printed::Text
    }

    fn event_row(&self) -> EventRow {
        let stdout = match self.printed {
            Printed::Text | Directives => Power::Message,
            Context => Power::Context,
            Input => Power::Input,
        };
        let powers = Powers::from_slice(&[Power::Message]).with(stdout);
        EventRow {
            name: Cow::Borrowed(self.name),
            event: Cow::Borrowed(self.neutral),
            subject: if self.is_tool_event() { Subject::Tool(TOOLS) } else { Subject::None },
            powers: if self.is_gate_event() { powers.with(Power::Deny) } else { powers },
            timeout: self.default_timeout(),
            failure: if self.is_gate_event() { OnFailure::Block } else { OnFailure::Continue },
            cap: match self.block {
                Warns | Blocks => None,
                GivesWay => Some(Cap::continue_after(MAX_BLOCKS)),
                EndsTurn => Some(Cap::stop_after(MAX_BLOCKS)),
            },
            dispatch: Dispatch::Awaited,
            when: Cow::Borrowed(self.when),
        }
    }
}
