//! Decodes the sessions that agents record into events, in order. Opens no file, decides nothing,
//! and writes nothing.
//!
//! One [`Decoder`] reads one file, line by line, and emits each record at once. It stores only what
//! later lines need. It counts and names what it does not know (TR-4). How complete an agent's
//! records are depends on the agent ([`TranscriptAgent::fidelity`]).

pub(crate) mod copies;
pub(crate) mod event;
pub(crate) mod lines;
pub(crate) mod own;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod usage;

use std::borrow::Cow;
use std::collections::BTreeMap;
pub(crate) use std::sync::Arc;

use crate::agents;
pub(crate) use crate::agents::{
    claude::transcript as claude, codex::transcript as codex, copilot::transcript as copilot,
    droid::transcript as droid, gemini::transcript as gemini, hermes::transcript as hermes,
    opencode::transcript as opencode, pi::transcript as pi, qwen::transcript as qwen,
    vibe::transcript as vibe,
};
pub use copies::Copies;
pub use event::EventContext;
pub use lines::{Line, Lines};
pub use record::{Action, Call, Ended, Kind, Refuser, TranscriptRecord};
pub use usage::Usage;

#[cfg(test)]
mod tests;

/// An agent whose sessions can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TranscriptAgent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// OpenCode.
    OpenCode,
    /// Kilo.
    Kilo,
    /// Droid.
    Droid,
    /// Pi.
    Pi,
    /// OpenClaw.
    OpenClaw,
    /// Mistral Vibe.
    Vibe,
    /// Hermes.
    Hermes,
    /// The reference agent.
    Tenterhook,
}

/// How completely an agent's records describe what happened (TR-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Each call is recorded as its hooks received it.
    Exact,
    /// A table translates names and inputs.
    Mapped,
    /// Some calls, or the inputs of some calls before a rewrite, are missing.
    Partial,
}

impl Fidelity {
    /// Returns the name for output.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Mapped => "mapped",
            Self::Partial => "partial",
        }
    }
}

impl TranscriptAgent {
    /// Every agent.
    pub const ALL: [Self; 13] = [
        Self::Claude,
        Self::Codex,
        Self::Copilot,
        Self::Gemini,
        Self::Qwen,
        Self::OpenCode,
        Self::Kilo,
        Self::Droid,
        Self::Pi,
        Self::OpenClaw,
        Self::Vibe,
        Self::Hermes,
        Self::Tenterhook,
    ];

    /// Returns the agent's row in the table of agents.
    #[must_use]
    pub const fn agent_row(self) -> &'static agents::Agent {
        match self {
            Self::Claude => &agents::CLAUDE,
            Self::Codex => &agents::CODEX,
            Self::Copilot => &agents::COPILOT,
            Self::Gemini => &agents::GEMINI,
            Self::Qwen => &agents::QWEN,
            Self::OpenCode => &agents::OPENCODE,
            Self::Kilo => &agents::KILO,
            Self::Droid => &agents::DROID,
            Self::Pi => &agents::PI,
            Self::OpenClaw => &agents::OPENCLAW,
            Self::Vibe => &agents::VIBE,
            Self::Hermes => &agents::HERMES,
            Self::Tenterhook => &agents::TENTERHOOK,
        }
    }

    /// Returns the name for flags and JSON.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tenterhook => "tenterhook-agent",
            agent => agent.agent_row().name,
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            // The schemas of reports list this name.
            Self::Codex => "Codex",
            Self::Tenterhook => "Tenterhook Agent",
            agent => agent.agent_row().title,
        }
    }

    /// Returns how complete the records of this agent are.
    #[must_use]
    pub const fn fidelity(self) -> Fidelity {
        match self {
            Self::Claude | Self::Copilot | Self::Droid | Self::Tenterhook => Fidelity::Exact,
            Self::Codex
            | Self::OpenCode
            | Self::Kilo
            | Self::Pi
            | Self::OpenClaw
            | Self::Hermes => Fidelity::Mapped,
            Self::Gemini | Self::Qwen | Self::Vibe => Fidelity::Partial,
        }
    }

    /// The agent that wrote this line, if its shape shows it.
    #[must_use]
    pub fn recognize_by_line(line: &[u8]) -> Option<Self> {
        raw::recognize_agent_by_line(line)
    }
}

/// Facts about a file, as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The agent's version.
    pub version: Option<Arc<str>>,
    /// The session that the file records.
    pub session: Option<Arc<str>>,
    /// Number of records of unknown kinds, by the kind's name (TR-4).
    pub unknown: BTreeMap<String, u64>,
    /// Number of lines that could not be read, by the reason.
    pub unread: BTreeMap<&'static str, u64>,
    /// Whether it holds calls of code mode, whose denials leave no record (TR-2).
    pub has_scripts: bool,
}

/// How many kinds of unknown records are counted separately.
const KINDS: usize = 64;

impl Facts {
    /// Returns the number of records that could not be used.
    #[must_use]
    pub fn count_unusable_records(&self) -> u64 {
        self.unknown.values().chain(self.unread.values()).sum()
    }

    /// Counts a record of an unknown kind. The file is untrusted, so only a plain name is copied
    /// from it.
    pub(crate) fn count_record_of_unknown_kind(&mut self, kind: &str) {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._/-$".contains(c);
        // A key or a token has more digits than a name.
        let digits = kind.chars().filter(char::is_ascii_digit).count();
        let is_name = (1..=40).contains(&kind.len()) && digits < 4 && kind.chars().all(is_allowed);
        let kind = if is_name { kind } else { "(no word)" };
        let has_capacity = self.unknown.contains_key(kind) || self.unknown.len() < KINDS;
        *self
            .unknown
            .entry(if has_capacity { kind } else { "(further kinds)" }.to_owned())
            .or_default() += 1;
    }

    fn count_unreadable_line(&mut self, why: &'static str) {
        *self.unread.entry(why).or_default() += 1;
    }
}

/// Values that apply until a later line changes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carried {
    pub(crate) line: u64,
    pub(crate) time: Option<i64>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) cwd: Option<Arc<str>>,
    pub(crate) mode: Option<Arc<str>>,
    pub(crate) subagent: Option<Arc<str>>,
    is_copied: bool,
    pub(crate) facts: Facts,
}

impl Carried {
    /// Creates a record of this action with the values that apply now.
    pub(crate) fn new_record<'a>(&self, action: Action<'a>) -> TranscriptRecord<'a> {
        TranscriptRecord {
            line: self.line,
            time: self.time,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            is_copied: self.is_copied,
            action,
        }
    }
}

/// Receives each record that a decoder reads.
pub(crate) type Emit<'t> = &'t mut dyn FnMut(TranscriptRecord<'_>);

/// Reads the lines of one agent.
pub(crate) trait ReadLine: Send {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// If the line is no record of this agent.
    fn read_line(
        &mut self,
        line: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), raw::Unread>;
}

/// Reads one file of one agent.
pub struct Decoder {
    agent: TranscriptAgent,
    carried: Carried,
    reader: Box<dyn ReadLine>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder")
            .field("agent", &self.agent)
            .field("at", &self.carried.line)
            .finish()
    }
}

impl Decoder {
    /// Creates a decoder for a file of this agent.
    #[must_use]
    pub fn new(agent: TranscriptAgent) -> Self {
        let reader: Box<dyn ReadLine> = match agent {
            TranscriptAgent::Claude => Box::<claude::Claude>::default(),
            TranscriptAgent::Codex => Box::<codex::Codex>::default(),
            TranscriptAgent::Copilot => Box::<copilot::Copilot>::default(),
            TranscriptAgent::Gemini => Box::<gemini::Gemini>::default(),
            TranscriptAgent::Qwen => Box::<qwen::Qwen>::default(),
            TranscriptAgent::OpenCode | TranscriptAgent::Kilo => {
                Box::<opencode::OpenCode>::default()
            }
            TranscriptAgent::Droid => Box::<droid::Droid>::default(),
            TranscriptAgent::Pi | TranscriptAgent::OpenClaw => Box::<pi::Pi>::default(),
            TranscriptAgent::Vibe => Box::<vibe::Vibe>::default(),
            TranscriptAgent::Hermes => Box::<hermes::Hermes>::default(),
            TranscriptAgent::Tenterhook => Box::<own::Own>::default(),
        };
        Self { agent, carried: Carried::default(), reader }
    }

    /// Sets what only the file's path shows: the working directory and the subagent.
    #[must_use]
    pub fn with_cwd_and_subagent(mut self, cwd: Option<&str>, subagent: Option<&str>) -> Self {
        self.carried.cwd = cwd.map(Into::into);
        self.carried.subagent = subagent.map(Into::into);
        self
    }

    /// Reads one line and emits the records in it.
    pub fn decode_line(&mut self, line: Line<'_>, emit: &mut dyn FnMut(TranscriptRecord<'_>)) {
        self.carried.line = line.number;
        let Some(bytes) = line.bytes else {
            self.carried.facts.count_unreadable_line("line too long");
            return;
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        // An agent may write binary output unchanged: replace what is not UTF-8 and read the rest.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let read = self.reader.read_line(&text, &mut self.carried, emit);
        if let Err(raw::Unread) = read {
            let why = if line.is_whole { "no record" } else { "half a line at the end" };
            self.carried.facts.count_unreadable_line(why);
        }
    }

    /// Returns facts about the part of the file that was read.
    #[must_use]
    pub fn facts_so_far(&self) -> &Facts {
        &self.carried.facts
    }

    /// Returns the agent whose file it reads.
    #[must_use]
    pub const fn agent(&self) -> TranscriptAgent {
        self.agent
    }
}
