//! Reads answers that are objects in the form of Claude Code's. A dialect brings two tables: the
//! fields of all events, and those of each event. Answers are read exactly; `denial` looks for
//! denials that the agent would lose.

mod fields;
mod invalid;
mod reading;
mod terminal;

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use super::denial;
use crate::answer::{Answer, Power, Powers};
use crate::dialect::tools::ToolWords;
use crate::dialect::typed::Type;
use crate::dialect::{Cap, Dispatch, EventRow, Subject};
use crate::event::Event;
use crate::hook::OnFailure;
use crate::report::Report;

pub(crate) use invalid::InvalidAnswer;
pub(crate) use reading::read_report;

/// What holds on every event of an agent.
#[derive(Debug)]
pub(crate) struct Answers {
    /// Its events.
    pub(crate) events: &'static [Spec],
    /// What hooks may say on an event that is not its own: the row that its owner gave it decides
    /// what counts.
    pub(crate) custom: &'static Spec,
    /// The fields at the top level of any answer.
    pub(crate) top: &'static [(&'static str, Type)],
    /// Those that an outcome carries under their own name.
    pub(crate) carried: &'static [&'static str],
    /// The fields of a decision about a permission, beside its `behavior`.
    pub(crate) behavior: &'static [(&'static str, Type)],
    /// Whether an unknown key makes an answer invalid; otherwise the key is ignored.
    pub(crate) is_closed: bool,
    /// Why the agent ignores exit code 2 on an event, with these texts on stdout and stderr.
    pub(crate) ignored_exit2: fn(&str, &str, &str) -> Option<&'static str>,
    /// What else makes an answer none: the agent's own checks of an object that is well formed.
    pub(crate) refuses: fn(&Spec, &Map<String, Value>) -> Result<(), InvalidAnswer>,
    /// What else of a report counts, where no failure hides it.
    pub(crate) adds: fn(&Event, &Report, &mut Answer),
    /// What the finder of denials has to know.
    pub(crate) denial: denial::Protocol,
}

impl Answers {
    /// Returns what hooks can answer on the event of that neutral name.
    pub(crate) fn spec_of_event(&self, event: &str) -> Option<&'static Spec> {
        self.events.iter().find(|spec| spec.event == event)
    }

    /// Returns the values that matchers of an event can meet.
    pub(crate) fn matcher_values(&self, event: &str) -> &'static [&'static str] {
        self.spec_of_event(event).map_or(&[], |spec| spec.values)
    }

    /// Returns `true` if an answer may ask to run in the background.
    fn allows_detaching(&self) -> bool {
        self.top.iter().any(|(key, _)| *key == "async")
    }
}

/// One event: what the neutral row says, and what only this dialect knows.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// The neutral name.
    pub(crate) event: &'static str,
    pub(crate) about: About,
    pub(crate) when: &'static str,
    pub(crate) exit2: Exit2,
    pub(crate) plain: Plain,
    pub(crate) top: Top,
    pub(crate) universal: Universal,
    /// The fields of `hookSpecificOutput`.
    pub(crate) fields: &'static [(&'static str, Field)],
    pub(crate) late: Late,
    /// Where this payload field has this value, nothing is blocked.
    pub(crate) exempt: Option<(&'static str, &'static str)>,
    /// Whether the hook is handed `CLAUDE_ENV_FILE`.
    pub(crate) env_file: bool,
    /// The values that matchers can meet, where the agent has a closed list of them.
    pub(crate) values: &'static [&'static str],
    /// Which handlers the event accepts.
    pub(crate) accepts: Accepts,
    /// Whether what a hook answers decides whether something happens at all.
    pub(crate) is_gate: bool,
    /// Whether an entry's word about failures says nothing here (C-35).
    pub(crate) ignores_on_failure: bool,
    /// Whether the reason of a denial replaces the output of the tool.
    pub(crate) replaces: bool,
    /// What else counts beside what the agent's ways to answer can say.
    pub(crate) more: &'static [Power],
    pub(crate) timeout: Duration,
    pub(crate) failure: OnFailure,
    pub(crate) cap: Option<Cap>,
}

/// What the event's matchers are tested on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Nothing: a matcher is ignored.
    Nothing,
    /// A text field of the payload.
    Field(&'static str),
    /// The tool, in the agent's words.
    Tool(&'static [ToolWords]),
    /// The last component of a path field of the payload.
    FileName(&'static str),
    /// A field that holds a model's name.
    Model(&'static str),
}

/// Which handler types an event accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepts {
    /// All of them.
    Every,
    /// Those that ask no model.
    NoModel,
    /// Commands and MCP tools.
    Early,
}

/// What the matcher of an event is tested on, as far as a reader of configs can know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subjects {
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

/// What exit code 2 does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit2 {
    /// It denies, or objects to what was done; the reason is on stderr.
    Denies,
    /// It denies, and the rest of the answer is dropped.
    DeniesAlone,
    /// The user reads stderr; nothing is blocked.
    TellsUser,
    /// It is ignored.
    Ignored,
    /// It is a failure, as any other code is.
    Fails,
}

/// What stdout is that is no object, at exit code 0.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plain {
    /// Log text.
    Log,
    /// Context for the model.
    Context,
    /// It must be what this reads, and decides alone with exit code 0.
    Own(fn(&str) -> Answer),
    /// A failure.
    Refused,
}

/// What `decision` at the top level does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Top {
    /// Nothing.
    Ignored,
    /// `block` denies.
    Blocks,
    /// `block` denies and `approve` allows.
    BlocksOrApproves,
}

/// Which of the fields that every answer may have count. `terminalSequence` always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Universal {
    /// `systemMessage` and `continue`.
    All,
    /// `systemMessage`, but `continue: false` ends nothing.
    NoStop,
    /// `systemMessage`, and `continue: false` denies.
    StopDenies,
    /// None.
    Dropped,
}

/// What running out of time means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// A failure like others.
    Fails,
    /// A denial.
    Denies,
}

/// What a field of `hookSpecificOutput` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The decision, one of these words.
    Permission(&'static [&'static str]),
    /// The decision, one of these words, of which only a denial says anything by itself.
    Denial(&'static [&'static str]),
    /// Why.
    PermissionReason,
    /// The decision as an object with a `behavior`, and what it can do.
    Behavior(&'static [Power]),
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
    /// A text that an outcome keeps in `extra`.
    ExtraText,
    /// A boolean that an outcome keeps in `extra`.
    ExtraFlag,
    /// An object that an outcome keeps in `extra`.
    ExtraObject,
}

impl Spec {
    /// Creates an event whose hooks may only tell the user something, or end the turn.
    pub(crate) const fn new(name: &'static str, about: About, when: &'static str) -> Self {
        Self {
            name,
            event: name,
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
            values: &[],
            accepts: Accepts::NoModel,
            is_gate: false,
            ignores_on_failure: false,
            replaces: false,
            more: &[],
            timeout: Duration::from_mins(10),
            // Documented and observed: this agent goes on when a hook fails.
            failure: OnFailure::Continue,
            cap: None,
        }
    }

    /// Returns what hooks may do on this event: the sum of what each way to answer allows.
    pub(crate) fn powers(&self) -> Powers {
        let fields = self.fields.iter().flat_map(|(_, field)| field.powers());
        let ways = [
            (matches!(self.exit2, Exit2::Denies | Exit2::DeniesAlone), Power::Deny),
            (matches!(self.exit2, Exit2::TellsUser), Power::Message),
            (self.top != Top::Ignored, Power::Deny),
            (self.top == Top::BlocksOrApproves, Power::Allow),
            (matches!(self.plain, Plain::Context), Power::Context),
            (self.universal != Universal::Dropped, Power::Message),
            (self.universal == Universal::All, Power::Stop),
            (self.env_file, Power::Env),
            (self.universal == Universal::StopDenies, Power::Deny),
            (self.replaces, Power::Output),
        ];
        let fields = fields.chain(self.more);
        let ways = ways.iter().filter_map(|(open, power)| open.then_some(power));
        fields.chain(ways).fold(Powers::NONE, |powers, power| powers.with(*power))
    }

    /// Returns the values that matchers are tested on.
    pub(crate) fn matcher_subjects(&self) -> Subjects {
        match self.about {
            About::Nothing => Subjects::None,
            About::FileName(_) => Subjects::Files,
            About::Field("tool_name") | About::Tool(_) => Subjects::Tools,
            About::Field(_) if !self.values.is_empty() => Subjects::Closed(self.values),
            About::Field(_) | About::Model(_) => Subjects::Open,
        }
    }

    /// Returns the neutral row of the event.
    pub(crate) fn event_row(&self) -> EventRow {
        EventRow {
            name: Cow::Borrowed(self.name),
            event: Cow::Borrowed(self.event),
            subject: self.about.subject(),
            powers: self.powers(),
            timeout: self.timeout,
            failure: self.failure,
            cap: self.cap,
            dispatch: Dispatch::Awaited,
            when: Cow::Borrowed(self.when),
        }
    }
}

impl About {
    const fn subject(self) -> Subject {
        match self {
            Self::Nothing => Subject::None,
            Self::Field(key) => Subject::Field(key),
            Self::Tool(words) => Subject::Tool(words),
            Self::FileName(key) => Subject::FileName(key),
            Self::Model(key) => Subject::Model(key),
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
            Self::Behavior(powers) => powers,
            Self::Context => &[Power::Context],
            Self::Input => &[Power::Input],
            Self::Output | Self::McpOutput | Self::Display => &[Power::Output],
            Self::Watch => &[Power::Watch],
            Self::FirstMessage => &[Power::InitialMessage],
            Self::Retry => &[Power::Retry],
            Self::Action | Self::Denial(_) => &[Power::Deny],
            Self::PermissionReason | Self::ExtraText | Self::ExtraFlag | Self::ExtraObject => &[],
        }
    }
}
