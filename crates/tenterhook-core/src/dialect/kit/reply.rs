//! Replies to an agent, from an outcome. A dialect brings a table: the parts of an outcome that
//! each of its events accepts, and their paths in the object that the agent reads. Makes no
//! decision.
//!
//! Implements `docs/spec/bridge.md` (BR-).

pub(crate) mod phrases;
mod write;

use serde_json::Value;

use crate::answer::{Power, Powers};
use crate::dialect::tools::ToolWords;
use crate::event::Event;
use phrases::PowerPhrase;

pub(crate) use write::{ReplyInput, write_reply};

/// The reply to an agent for one outcome, to the byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Standard output: empty where there is nothing to say.
    pub stdout: String,
    /// Standard error, where the agent reads its reasons there.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// The parts of the outcome that the agent does not accept, and what it got instead.
    pub warnings: Vec<String>,
}

/// All replies that one agent accepts.
#[derive(Debug)]
pub(crate) struct Replies {
    /// The agent, in words.
    pub(crate) agent: &'static str,
    /// The text before the object, on its line.
    pub(crate) lead: &'static str,
    /// Whether it leaves standard error alone, where standard output is empty.
    pub(crate) hears_stderr: bool,
    /// What it calls the tools that all agents share.
    pub(crate) tools: &'static [ToolWords],
    /// Its events; any other event accepts nothing.
    pub(crate) events: &'static [EventReplies],
    /// The object for an event, by the agent's name for it, if there is nothing to say; empty for
    /// no output.
    pub(crate) silence: fn(&str) -> &'static str,
}

/// The parts of a reply with their paths in the agent's object, key by key.
pub(crate) type Phrase = &'static [(&'static [&'static str], Part)];

/// The replies that one event accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventReplies {
    /// The agent's own name for it.
    pub(crate) event: &'static str,
    /// The powers that it accepts, and the phrase of each.
    pub(crate) can: &'static [PowerPhrase],
    /// Powers that replace a denial on an event that takes none, the strongest first.
    pub(crate) instead: &'static [Power],
    /// A denial is exit code 2 with its reason on standard error: the event reads no object.
    pub(crate) by_exit: bool,
    /// A changed call or new permission rules would also consent, so they need consent.
    pub(crate) only_with_consent: bool,
    /// Another object that denies a call of this tool, if there is one.
    pub(crate) denies: fn(&Event, &str) -> Option<Value>,
    /// Converts a changed input of a tool to the agent's form; an error if the agent takes no such
    /// input.
    pub(crate) input: fn(&Event, &Value) -> Result<Value, InputFault>,
    /// Fields of `extra` in an outcome, and their paths.
    pub(crate) carries: &'static [(&'static str, &'static [&'static str])],
}

/// Why an agent does not take a changed tool call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InputFault {
    /// The changed call of a shell tool has no command.
    #[error("a changed call needs a `command`")]
    NoCommand,
    /// The agent takes changed calls of other tools only.
    #[error("it takes no changed call of `{tool}`")]
    OtherTool {
        /// The agent's name for the tool.
        tool: String,
    },
    /// The agent would refuse the changed call, and end its run.
    #[error("it would refuse `{key}` in a changed call of `{tool}`")]
    Refused {
        /// The agent's name for the tool.
        tool: String,
        /// The key that is unknown or missing, or has a value of another type.
        key: String,
    },
    /// No hook consented to the call.
    #[error("it takes a changed call with consent alone")]
    NoConsent,
}

/// One part of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// This word.
    Word(&'static str),
    /// This truth value.
    Flag(bool),
    /// The agent's name for the event.
    Event,
    /// Why.
    Reason,
    /// What the hooks gave: an input, a text, a list.
    Given,
    /// The same; a list of texts is read, too.
    GivenTexts,
    /// The same as a text.
    GivenText,
    /// The same, as the value of this key of the only object in a list.
    GivenInList(&'static str),
}

impl EventReplies {
    /// Creates the replies of an event that accepts none.
    pub(crate) const fn empty(event: &'static str) -> Self {
        Self {
            event,
            can: &[],
            instead: &[],
            by_exit: false,
            only_with_consent: false,
            denies: |_, _| None,
            input: |_, value| Ok(value.clone()),
            carries: &[],
        }
    }

    /// Creates the replies of an event that accepts these phrases.
    pub(crate) const fn with_phrases(event: &'static str, can: &'static [PowerPhrase]) -> Self {
        Self { can, ..Self::empty(event) }
    }

    /// Returns the powers that the event accepts.
    pub(crate) fn powers(&self) -> Powers {
        self.can.iter().fold(Powers::NONE, |powers, (power, _)| powers.with(*power))
    }

    /// Returns the phrase for a power.
    fn phrase_for(&self, power: Power) -> Option<Phrase> {
        self.can.iter().find(|(other, _)| *other == power).map(|(_, phrase)| *phrase)
    }
}

impl Replies {
    /// Creates the replies of an agent that reads a bare object, and nothing where there is nothing
    /// to say.
    pub(crate) const fn new(
        agent: &'static str,
        tools: &'static [ToolWords],
        events: &'static [EventReplies],
    ) -> Self {
        Self { agent, lead: "", hears_stderr: true, tools, events, silence: |_| "" }
    }

    /// Returns the text of a reply with this object; empty if the object is.
    pub(crate) fn text(&self, object: &str) -> String {
        if object.is_empty() { String::new() } else { format!("{}{object}\n", self.lead) }
    }

    /// Returns the replies for an event, by the agent's name.
    pub(crate) fn event_replies(&self, event: &str) -> Option<&'static EventReplies> {
        self.events.iter().find(|row| row.event == event)
    }
}
