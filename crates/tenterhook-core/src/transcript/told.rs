//! What a transcript tells: the values. Knows no agent's form.

use std::borrow::Cow;
use std::sync::Arc;

/// One thing that a transcript tells, in the order of its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Told<'a> {
    /// The line that tells it, from 1; of a database, the row.
    pub line: u64,
    /// When, in milliseconds since 1970, where it is told.
    pub time: Option<i64>,
    /// In which session.
    pub session: Option<Arc<str>>,
    /// Where the agent worked.
    pub cwd: Option<Arc<str>>,
    /// The permission mode, in the agent's word.
    pub mode: Option<Arc<str>>,
    /// The subagent that did it.
    pub subagent: Option<Arc<str>>,
    /// Whether the file itself says that another one told it before.
    pub is_copied: bool,
    /// What.
    pub what: What<'a>,
}

impl Told<'_> {
    /// The same, kept beyond its line.
    #[must_use]
    pub fn to_owned(&self) -> Told<'static> {
        Told {
            line: self.line,
            time: self.time,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            is_copied: self.is_copied,
            what: self.what.to_owned(),
        }
    }
}

impl What<'_> {
    /// The same, kept beyond its line.
    #[must_use]
    pub fn to_owned(&self) -> What<'static> {
        let kept = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
        match self {
            Self::Prompt(text) => What::Prompt(kept(text)),
            Self::Call(call) => What::Call(Call {
                id: kept(&call.id),
                tool: kept(&call.tool),
                input: kept(&call.input),
                kind: call.kind,
            }),
            Self::Result { call, ended } => What::Result { call: kept(call), ended: *ended },
            Self::Denial { call, by } => What::Denial { call: kept(call), by: *by },
            Self::Asked(call) => What::Asked(kept(call)),
            Self::Rewritten { call, input } => {
                What::Rewritten { call: kept(call), input: kept(input) }
            }
            Self::Stop => What::Stop,
        }
    }

    /// About how much memory it takes to keep it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let texts = match self {
            Self::Prompt(text) | Self::Asked(text) => text.len(),
            Self::Call(call) => call.id.len() + call.tool.len() + call.input.len(),
            Self::Result { call, .. } | Self::Denial { call, .. } => call.len(),
            Self::Rewritten { call, input } => call.len() + input.len(),
            Self::Stop => 0,
        };
        size_of::<Told<'_>>() + texts
    }
}

/// What a line tells.
#[derive(Clone, Debug, PartialEq)]
pub enum What<'a> {
    /// Somebody said something to the agent.
    Prompt(Cow<'a, str>),
    /// The model wanted a tool.
    Call(Call<'a>),
    /// A call came to an end.
    Result {
        /// The call.
        call: Cow<'a, str>,
        /// How.
        ended: Ended,
    },
    /// A call was refused, or a person ended it.
    Denial {
        /// The call.
        call: Cow<'a, str>,
        /// By whom, where the file says it.
        by: Refuser,
    },
    /// The file itself says that hooks were asked about a call.
    Asked(Cow<'a, str>),
    /// What ran in the place of what the model wanted: its input, as JSON.
    Rewritten {
        /// The call.
        call: Cow<'a, str>,
        /// The input.
        input: Cow<'a, str>,
    },
    /// The agent ended its turn.
    Stop,
}

/// One tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The agent's id of it, unique in its file.
    pub id: Cow<'a, str>,
    /// What the agent calls the tool.
    pub tool: Cow<'a, str>,
    /// Its input, as JSON.
    pub input: Cow<'a, str>,
    /// What kind of call it is.
    pub kind: Kind,
}

/// What kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The model's own.
    Plain,
    /// A script that makes calls: they fire hooks, and it does not.
    Script,
    /// One that a script made.
    Nested,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It ran.
    Ran,
    /// It ran, and failed.
    Failed,
    /// The agent never ran it: there is no such tool, or its input is wrong. No hook is asked about such a call.
    Refused,
}

/// Who refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refuser {
    /// A hook.
    Hook,
    /// A rule of the agent's configuration.
    Rule,
    /// The permission mode, where nobody was there to be asked.
    Mode,
    /// The person, or an interrupt.
    Person,
    /// The file does not say.
    Unsaid,
}

impl Refuser {
    /// The word that people see.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Rule => "rule",
            Self::Mode => "mode",
            Self::Person => "person",
            Self::Unsaid => "unsaid",
        }
    }
}
