//! The records of a transcript. Knows no agent's file format.

use std::borrow::Cow;
use std::sync::Arc;

/// One record of a transcript, in the order of its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptRecord<'a> {
    /// Its line, from 1; in a database, its row.
    pub line: u64,
    /// Its time in milliseconds since 1970, if recorded.
    pub time: Option<i64>,
    /// The session's id.
    pub session: Option<Arc<str>>,
    /// The agent's working directory.
    pub cwd: Option<Arc<str>>,
    /// The agent's name for the permission mode.
    pub mode: Option<Arc<str>>,
    /// The subagent that acted.
    pub subagent: Option<Arc<str>>,
    /// Whether the file itself marks the record as a copy from a different file.
    pub is_copied: bool,
    /// The recorded action.
    pub action: Action<'a>,
}

impl TranscriptRecord<'_> {
    /// Returns a copy that does not borrow from its line.
    #[must_use]
    pub fn to_owned(&self) -> TranscriptRecord<'static> {
        TranscriptRecord {
            line: self.line,
            time: self.time,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            is_copied: self.is_copied,
            action: self.action.to_owned(),
        }
    }
}

impl Action<'_> {
    /// Returns a copy that does not borrow from its line.
    #[must_use]
    pub fn to_owned(&self) -> Action<'static> {
        let owned = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
        match self {
            Self::Prompt(text) => Action::Prompt(owned(text)),
            Self::Call(call) => Action::Call(Call {
                id: owned(&call.id),
                tool: owned(&call.tool),
                input: owned(&call.input),
                kind: call.kind,
            }),
            Self::Result { call, ended } => Action::Result { call: owned(call), ended: *ended },
            Self::Denial { call, by } => Action::Denial { call: owned(call), by: *by },
            Self::Asked(call) => Action::Asked(owned(call)),
            Self::Rewritten { call, input } => {
                Action::Rewritten { call: owned(call), input: owned(input) }
            }
            Self::Stop => Action::Stop,
        }
    }

    /// Estimates the memory that a record of it needs, in bytes.
    #[must_use]
    pub fn estimated_bytes(&self) -> usize {
        let texts = match self {
            Self::Prompt(text) | Self::Asked(text) => text.len(),
            Self::Call(call) => call.id.len() + call.tool.len() + call.input.len(),
            Self::Result { call, .. } | Self::Denial { call, .. } => call.len(),
            Self::Rewritten { call, input } => call.len() + input.len(),
            Self::Stop => 0,
        };
        size_of::<TranscriptRecord<'_>>() + texts
    }
}

/// What happened in the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Action<'a> {
    /// The agent received a prompt.
    Prompt(Cow<'a, str>),
    /// The model called a tool.
    Call(Call<'a>),
    /// A call ended.
    Result {
        /// The call's id.
        call: Cow<'a, str>,
        /// How it ended.
        ended: Ended,
    },
    /// A call was refused, or the user ended it.
    Denial {
        /// The call's id.
        call: Cow<'a, str>,
        /// The part that refused it.
        by: Refuser,
    },
    /// The agent asked hooks about the call with this id, according to the file.
    Asked(Cow<'a, str>),
    /// The agent ran a call with a different input than the model's.
    Rewritten {
        /// The call's id.
        call: Cow<'a, str>,
        /// The input that ran, as JSON.
        input: Cow<'a, str>,
    },
    /// The agent ended its turn.
    Stop,
}

/// One tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The agent's id for it, unique in its file.
    pub id: Cow<'a, str>,
    /// The agent's name for the tool.
    pub tool: Cow<'a, str>,
    /// Its input, as JSON.
    pub input: Cow<'a, str>,
    /// Where the call comes from.
    pub kind: Kind,
}

/// Where a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The model made it.
    Plain,
    /// The model ran a script that makes calls. Those calls fire hooks; the script does not.
    Script,
    /// A script made it.
    Nested,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ran.
    Ran,
    /// It ran, and failed.
    Failed,
    /// The agent did not run it, because the tool does not exist or the input is wrong.
    /// No hook is asked about such a call.
    Refused,
}

/// The part that refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refuser {
    /// A hook.
    Hook,
    /// A rule of the agent's configuration.
    Rule,
    /// The permission mode of a session without a user to ask.
    Mode,
    /// The user, or an interrupt.
    Person,
    /// The file does not record it.
    Unsaid,
}

impl Refuser {
    /// Returns the name for output.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Rule => "rule",
            Self::Mode => "mode",
            Self::Person => "person",
            Self::Unsaid => "unsaid",
        }
    }
}
