//! What did agents do yesterday? Reads the sessions that they record into events, in order. Opens no file, decides nothing, and
//! writes nothing.
//!
//! One [`Decoder`] reads one file, line by line, and tells what it finds as it goes: nothing is kept but what later lines need. What
//! it does not know it counts and names (TR-4), and how sure an agent's records are is said of the agent ([`Agent::sure`]).

pub(crate) mod copies;
pub(crate) mod lines;
pub(crate) mod own;
pub(crate) mod raw;
pub(crate) mod told;
pub(crate) mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
pub(crate) use std::sync::Arc;

pub(crate) use crate::agents::{
    claude::transcript as claude, codex::transcript as codex, copilot::transcript as copilot,
    gemini::transcript as gemini, opencode::transcript as opencode, qwen::transcript as qwen,
};
pub use copies::Copies;
pub use lines::{Line, Lines};
pub use told::{Call, Ended, Kind, Refuser, Told, What};
pub use words::Around;

#[cfg(test)]
mod tests;

/// Whose sessions can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
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
    /// The reference agent.
    Tenterhook,
}

/// How much of what happened an agent's records tell (TR-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    /// A call is told as its hooks saw it.
    Exact,
    /// Names and inputs are translated by a table.
    Mapped,
    /// Some calls, or what some of them were before a rewrite, are not there.
    Partial,
}

impl Sure {
    /// The word that people see.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Mapped => "mapped",
            Self::Partial => "partial",
        }
    }
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Copilot,
        Self::Gemini,
        Self::Qwen,
        Self::OpenCode,
        Self::Tenterhook,
    ];

    /// The word by which programs and flags name it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::OpenCode => "opencode",
            Self::Tenterhook => "tenterhook-agent",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot CLI",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::OpenCode => "OpenCode",
            Self::Tenterhook => "Tenterhook Agent",
        }
    }

    /// How much its records tell.
    #[must_use]
    pub const fn sure(self) -> Sure {
        match self {
            Self::Claude | Self::Copilot | Self::Tenterhook => Sure::Exact,
            Self::Codex | Self::OpenCode => Sure::Mapped,
            Self::Gemini | Self::Qwen => Sure::Partial,
        }
    }

    /// Whose record this line is, where its shape tells.
    #[must_use]
    pub fn of_line(line: &[u8]) -> Option<Self> {
        raw::recognize(line)
    }
}

/// What a file tells about itself, so far.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The agent's version.
    pub version: Option<Arc<str>>,
    /// The session that the file is about.
    pub session: Option<Arc<str>>,
    /// Records that are of no known kind, by what they call themselves (TR-4).
    pub unknown: BTreeMap<String, u64>,
    /// Lines that were half a record, too long, or no record at all, by what is wrong with them.
    pub unread: BTreeMap<&'static str, u64>,
    /// Whether calls of code mode are in it, whose denials leave no record (TR-2).
    pub has_scripts: bool,
}

/// How many kinds of unknown records are told apart.
const KINDS: usize = 64;

impl Facts {
    /// Every record that could not be used.
    #[must_use]
    pub fn unknown_records(&self) -> u64 {
        self.unknown.values().chain(self.unread.values()).sum()
    }

    /// Counts a record of a kind that is not known. What a file says is not to be trusted: only a word is taken over.
    pub(crate) fn unknown(&mut self, kind: &str) {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "._/-$".contains(c);
        // A key or a token has more digits than a name.
        let digits = kind.chars().filter(char::is_ascii_digit).count();
        let plain = (1..=40).contains(&kind.len()) && digits < 4 && kind.chars().all(is_word);
        let kind = if plain { kind } else { "(no word)" };
        let known = self.unknown.contains_key(kind) || self.unknown.len() < KINDS;
        *self
            .unknown
            .entry(if known { kind } else { "(further kinds)" }.to_owned())
            .or_default() += 1;
    }

    fn unread(&mut self, why: &'static str) {
        *self.unread.entry(why).or_default() += 1;
    }
}

/// What holds until another line says otherwise.
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
    pub(crate) fn told<'a>(&self, what: What<'a>) -> Told<'a> {
        Told {
            line: self.line,
            time: self.time,
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            mode: self.mode.clone(),
            subagent: self.subagent.clone(),
            is_copied: self.is_copied,
            what,
        }
    }
}

/// Where a decoder tells what it found.
pub(crate) type Tell<'t> = &'t mut dyn FnMut(Told<'_>);

/// One agent's reader of lines.
pub(crate) trait Reads: Send {
    /// Reads one line; an error is why it is no record of this agent.
    fn line(
        &mut self,
        line: &str,
        carried: &mut Carried,
        tell: Tell<'_>,
    ) -> Result<(), raw::Unread>;
}

/// Reads one file of one agent.
pub struct Decoder {
    agent: Agent,
    carried: Carried,
    reads: Box<dyn Reads>,
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
    /// A reader of a file of this agent.
    #[must_use]
    pub fn new(agent: Agent) -> Self {
        let reads: Box<dyn Reads> = match agent {
            Agent::Claude => Box::<claude::Claude>::default(),
            Agent::Codex => Box::<codex::Codex>::default(),
            Agent::Copilot => Box::<copilot::Copilot>::default(),
            Agent::Gemini => Box::<gemini::Gemini>::default(),
            Agent::Qwen => Box::<qwen::Qwen>::default(),
            Agent::OpenCode => Box::<opencode::OpenCode>::default(),
            Agent::Tenterhook => Box::<own::Own>::default(),
        };
        Self { agent, carried: Carried::default(), reads }
    }

    /// Says what the file's place tells, and the file does not: where the agent worked, and which subagent it is about.
    #[must_use]
    pub fn about(mut self, cwd: Option<&str>, subagent: Option<&str>) -> Self {
        self.carried.cwd = cwd.map(Into::into);
        self.carried.subagent = subagent.map(Into::into);
        self
    }

    /// Reads one line, and tells what is in it.
    pub fn line(&mut self, line: Line<'_>, tell: &mut dyn FnMut(Told<'_>)) {
        self.carried.line = line.number;
        let Some(bytes) = line.bytes else {
            self.carried.facts.unread("line too long");
            return;
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        // Binary output that an agent wrote as it came: what is no text in it is marked, and the rest counts.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let read = self.reads.line(&text, &mut self.carried, tell);
        if let Err(raw::Unread) = read {
            let why = if line.is_whole { "no record" } else { "half a line at the end" };
            self.carried.facts.unread(why);
        }
    }

    /// What the file tells about itself.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.carried.facts
    }

    /// The agent whose file it reads.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        self.agent
    }
}
