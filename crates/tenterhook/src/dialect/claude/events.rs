//! What the rows of Claude Code's event table say, and the neutral rows made of them. Reading answers is `answer`'s
//! business.

mod table;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use crate::answer::{Power, Powers};
use crate::dialect::{Cap, EventRow, Subject};
use crate::hook::OnFailure;

pub(super) use table::{CUSTOM, EVENTS};

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
    cap: Option<Cap>,
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
