//! What hooks may do on one event of a dialect, and how its hooks run together. Values only.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::{Hook, OnFailure, Wait, model};
use crate::answer::{Power, Powers};
use crate::event::tool::names::{self, ToolWords};
use crate::event::{Event, EventName};

/// Events at which a block sends the agent back to work.
const KEEPS_AT_WORK: &[&str] = &["Stop", "SubagentStop"];

/// The default timeout of a hook on a host's own event.
const CUSTOM: Duration = Duration::from_mins(1);

/// What one dialect lets its hooks do on one event: one row of its event table (E-3). A host
/// declares its own events with [`EventRow::custom`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventRow {
    /// The dialect's own name for the event.
    pub name: Cow<'static, str>,
    /// The neutral name.
    pub event: Cow<'static, str>,
    /// The subject of its matchers.
    pub subject: Subject,
    /// The effects that a hook may have.
    pub powers: Powers,
    /// The default timeout of a hook.
    pub timeout: Duration,
    /// What a gate's missing answer means: the dialect's promise for this event (decision 2).
    pub failure: OnFailure,
    /// How many denials in a row have an effect, which prevents endless loops.
    pub cap: Option<Cap>,
    /// Whether the agent waits for its hooks.
    pub dispatch: Dispatch,
    /// When it fires, for people.
    pub when: Cow<'static, str>,
}

/// Whether an agent waits for the hooks of an event before it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// It waits for every hook that its configuration does not detach.
    #[default]
    Awaited,
    /// It goes on at once, and the hooks run in the background.
    FireAndForget,
}

/// Events before something happens that cannot be undone: a tool, a permission, a prompt, a call of
/// a model. Elsewhere nothing is at stake that waits for the answer, and a question would only hold
/// up the session.
///
/// The second column is how people call what is held while a part of a file that might gate it
/// cannot be read (C-72). Prompts have none, as the end of a turn and of a session have none: the
/// person who mends the file needs them.
const BEFORE_EFFECTS: &[(&str, Option<&str>)] = &[
    ("PreToolUse", Some("tool call")),
    // What holds tool calls holds these (BR-90).
    ("PreSkillShellCommand", None),
    ("PermissionRequest", Some("permission")),
    ("PreModelCall", Some("model call")),
    ("Elicitation", None),
    ("ElicitationResult", None),
    ("PreModelSwitch", None),
    // A task of Kiro's specs.
    ("PreTaskExec", None),
    ("TurnStart", None),
    ("UserPromptExpansion", None),
    ("UserPromptSubmit", None),
];

/// Returns the events that are gated in place of an unreadable part of a config file, each with its
/// name for people (C-72).
pub fn events_gated_if_config_unreadable() -> impl Iterator<Item = (&'static str, &'static str)> {
    BEFORE_EFFECTS.iter().filter_map(|(event, name)| Some((*event, (*name)?)))
}

impl EventRow {
    /// Creates an event from its own and its neutral name. A failed hook blocks nothing on it, and
    /// the number of denials is not limited.
    pub(crate) const fn new(
        (name, event): (&'static str, &'static str),
        subject: Subject,
        powers: &[Power],
        timeout: Duration,
        when: &'static str,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            event: Cow::Borrowed(event),
            subject,
            powers: Powers::from_slice(powers),
            timeout,
            failure: OnFailure::Continue,
            cap: None,
            dispatch: Dispatch::Awaited,
            when: Cow::Borrowed(when),
        }
    }

    /// Marks the event as one whose hooks the agent does not wait for.
    #[must_use]
    pub const fn fire_and_forget(mut self) -> Self {
        self.dispatch = Dispatch::FireAndForget;
        self
    }

    /// Sets what happens if a hook gives no answer.
    #[must_use]
    pub const fn on_failure(mut self, failure: OnFailure) -> Self {
        self.failure = failure;
        self
    }

    /// Sets how many denials in a row have an effect.
    #[must_use]
    pub const fn with_cap(mut self, cap: Cap) -> Self {
        self.cap = Some(cap);
        self
    }

    /// Creates an event of a host's own, which hooks can only observe: no subject, a timeout of one
    /// minute, and a failed hook blocks nothing.
    #[must_use]
    pub fn custom(event: &str) -> Self {
        Self::new_row_of_unknown_event(&EventName::new(event), Powers::NONE, CUSTOM)
    }

    /// Makes matchers test this text field of the payload.
    #[must_use]
    pub fn with_subject(mut self, field: &str) -> Self {
        self.subject = Subject::Declared(field.into());
        self
    }

    /// Sets what a hook may do on the event. If it may deny, a hook that gives no answer blocks
    /// (decision 2).
    #[must_use]
    pub const fn with_powers(mut self, powers: &[Power]) -> Self {
        self.powers = Powers::from_slice(powers);
        if self.powers.has(Power::Deny) {
            self.failure = OnFailure::Block;
        }
        self
    }

    /// Sets the default timeout of the event's hooks.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the description of when the event fires.
    #[must_use]
    pub fn when(mut self, when: &str) -> Self {
        self.when = Cow::Owned(when.to_owned());
        self
    }

    /// Creates the row of an event that is not in the dialect's table.
    pub(crate) fn new_row_of_unknown_event(
        event: &EventName,
        powers: Powers,
        timeout: Duration,
    ) -> Self {
        Self {
            name: Cow::Owned(event.to_string()),
            event: Cow::Owned(event.to_string()),
            subject: Subject::None,
            powers,
            timeout,
            failure: OnFailure::Continue,
            cap: None,
            dispatch: Dispatch::Awaited,
            when: Cow::Borrowed(""),
        }
    }

    /// Returns true if the event waits for this hook to finish.
    #[must_use]
    pub fn waits_for(&self, hook: &Hook) -> bool {
        self.dispatch == Dispatch::Awaited && hook.wait == Wait::Attached && !hook.runs_detached()
    }

    /// Returns true if a block on this event prevents nothing, but makes the agent continue its
    /// turn.
    #[must_use]
    pub fn block_continues_turn(&self) -> bool {
        KEEPS_AT_WORK.contains(&&*self.event)
    }

    /// Returns true if the event comes before an effect, so that an unclear answer makes the host
    /// ask the user.
    #[must_use]
    pub fn is_before_effect(&self) -> bool {
        BEFORE_EFFECTS.iter().any(|(event, _)| *event == self.event)
    }
}

/// The subject of an event's matchers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The event has no subject; a matcher on it has no effect.
    None,
    /// A text field of the payload.
    Field(&'static str),
    /// The tool, by the agent's name.
    Tool(&'static [ToolWords]),
    /// The last component of a path field of the payload.
    FileName(&'static str),
    /// A field of the payload that holds a model's name, without what a service adds to it.
    Model(&'static str),
    /// A text field that a config named for its own event.
    Declared(Arc<str>),
}

impl Subject {
    /// Returns the text that matchers test; `None` if the event has no subject or its payload lacks
    /// it.
    #[must_use]
    pub fn matcher_text<'a>(&self, event: &'a Event) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::Field(key) => event.text(key),
            Self::Declared(key) => event.text(key),
            Self::Tool(table) => event.text("tool_name").map(|name| {
                let own =
                    names::find_tool_by_neutral_name(table, name).and_then(|tool| tool.own.first());
                own.map_or(name, |own| *own)
            }),
            Self::Model(key) => event.text(key).map(model::canonical_model_name),
            Self::FileName(key) => {
                event.text(key).map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path))
            }
        }
    }

    /// Returns the other names of the subject, in other versions of the agent and in other agents:
    /// a matcher that lists one of them matches too (S-5).
    #[must_use]
    pub fn alternative_names<'a>(&self, event: &'a Event) -> Vec<&'a str> {
        let given = event.text(names::OWN_NAME);
        let table = match self {
            Self::Tool(table) => table,
            Self::Field("tool_name") => return given.into_iter().collect(),
            Self::Model(key) => return event.text(key).into_iter().collect(),
            _ => return Vec::new(),
        };
        let Some(name) = event.text("tool_name") else { return Vec::new() };
        let own = names::find_tool_by_neutral_name(table, name).map_or(&[][..], |tool| tool.own);
        if own.is_empty() {
            return Vec::new();
        }
        let renamed = given.and_then(|given| names::find_tool_by_own_name(table, given));
        let renamed = renamed.map_or(&[][..], |tool| tool.own).iter().copied();
        own.iter().skip(1).copied().chain([name]).chain(given).chain(renamed).collect()
    }
}

/// How many denials in a row an event bears, and what then happens (N-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cap {
    /// So many denials hold; the next one does not.
    pub denials: u32,
    /// What happens to the next denial.
    pub then: Then,
}

/// What happens to a denial past the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Then {
    /// It does not hold: the action goes on.
    GiveWay,
    /// It does not hold, and everything ends: going on is what the gate was there to prevent.
    Stop,
}

impl Cap {
    /// Creates a cap: this many denials in a row have an effect, then the action goes on.
    #[must_use]
    pub const fn continue_after(denials: u32) -> Self {
        Self { denials, then: Then::GiveWay }
    }

    /// Creates a cap: this many denials in a row have an effect, then the agent stops.
    #[must_use]
    pub const fn stop_after(denials: u32) -> Self {
        Self { denials, then: Then::Stop }
    }
}

/// How the steps of one stage relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All see the same payload and run at once.
    Parallel,
    /// All see the same payload and run one after the other, until one denies.
    Serial,
    /// All of them run, one after the other, with the same payload.
    InTurn,
    /// One after the other, each seeing the last one's rewrite, until one denies.
    Chained,
}
