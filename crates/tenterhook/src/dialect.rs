//! The square: one agent's protocol, taken apart in four directions and read from its config. Pure: no file is opened
//! and no program started here.
//!
//! ```text
//!  agent ──decode_event──▶  Event  ──encode_event──▶ Envelope ──▶ program
//!                           Answer ◀──read_answer─── Report   ◀── program
//!  config file ──read_config──▶ hooks + diagnostics with spans
//! ```
//!
//! A dialect is one folder and one row of [`DIALECTS`]. Nothing outside its folder knows its spelling.

pub mod claude;
pub mod codewhale;
mod findings;
mod first_line;
pub mod gencode;
pub mod ignis;
mod lost_no;
pub mod native;
mod near_miss;
mod objection;
pub mod reasonix;
mod requests;
pub mod tools;
mod typed;
mod wire;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::answer::{Answer, Failure, Powers, SlipKind};
use crate::config::{Mode, ReadConfig, Source};
use crate::event::{Event, EventName};
use crate::hook::{Hook, Inherit, Layer, OnFailure, Phase, Prompt, Run};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::report::Report;
use crate::syntax::Node;
use tools::ToolWords;

/// Every dialect that this build speaks, in the order in which files are offered to them.
pub static DIALECTS: &[&dyn Dialect] = &[
    &native::Native,
    &claude::Claude,
    &gencode::Gen,
    &ignis::Ignis,
    &codewhale::CodeWhale,
    &reasonix::Reasonix,
];

/// The name of a dialect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DialectId(&'static str);

impl DialectId {
    /// Tenterhook's own.
    pub const NATIVE: Self = Self("native");
    /// Claude Code's.
    pub const CLAUDE: Self = Self("claude");
    /// Gen's.
    pub const GEN: Self = Self("gen");
    /// CodeWhale's.
    pub const CODEWHALE: Self = Self("codewhale");
    /// Reasonix's.
    pub const REASONIX: Self = Self("reasonix");
    /// That of ignis.
    pub const IGNIS: Self = Self("ignis");

    /// The dialect of that name, if this build speaks it.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        DIALECTS.iter().map(|it| it.id()).find(|id| id.0 == name)
    }

    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The dialect itself.
    #[must_use]
    pub fn dialect(self) -> &'static dyn Dialect {
        let found = DIALECTS.iter().find(|it| it.id() == self);
        *found.unwrap_or(&(&native::Native as &dyn Dialect))
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a matcher of an event is tested on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The event has no subject; a matcher on it means nothing.
    None,
    /// A text field of the payload.
    Field(&'static str),
    /// The tool, in the agent's words.
    Tool(&'static [ToolWords]),
    /// The last component of a path field of the payload.
    FileName(&'static str),
    /// A text field that a config named for its own event.
    Declared(Arc<str>),
}

impl Subject {
    /// The text that a matcher is tested on; `None` where the event has, or here carries, no subject.
    #[must_use]
    pub fn of<'a>(&self, event: &'a Event) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::Field(key) => event.text(key),
            Self::Declared(key) => event.text(key),
            Self::Tool(table) => event.text("tool_name").map(|name| {
                let own = tools::by_neutral(table, name).and_then(|tool| tool.own.first());
                own.map_or(name, |own| *own)
            }),
            Self::FileName(key) => {
                event.text(key).map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path))
            }
        }
    }

    /// What else the same subject is called, in older or newer versions of the agent and by other agents: a matcher that
    /// knows one of these names means it too (S-5).
    #[must_use]
    pub fn others<'a>(&self, event: &'a Event) -> Vec<&'a str> {
        let Self::Tool(table) = self else { return Vec::new() };
        let Some(name) = event.text("tool_name") else { return Vec::new() };
        let own = tools::by_neutral(table, name).map_or(&[][..], |tool| tool.own);
        if own.is_empty() {
            return Vec::new();
        }
        own.iter().skip(1).copied().chain([name]).collect()
    }
}

/// What one dialect lets its hooks do on one event: one row of its event table (E-3).
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// The dialect's own name for the event.
    pub name: Cow<'static, str>,
    /// The neutral name.
    pub event: Cow<'static, str>,
    /// What its matchers are tested on.
    pub subject: Subject,
    /// What a hook may do.
    pub powers: Powers,
    /// How long a hook may take that says nothing itself.
    pub timeout: Duration,
    /// What a gate's silence means: the dialect's promise for this event (decision 2).
    pub failure: OnFailure,
    /// How many denials in a row the event bears, so that nothing loops for ever.
    pub cap: Option<Cap>,
    /// When it fires, for people.
    pub when: Cow<'static, str>,
}

/// How many denials in a row an event bears, and what then happens (N-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cap {
    /// So many denials hold; the next one does not.
    pub denials: u32,
    /// What happens to the next one.
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
    /// So many denials hold, then the action goes on.
    #[must_use]
    pub const fn give_way(denials: u32) -> Self {
        Self { denials, then: Then::GiveWay }
    }

    /// So many denials hold, then everything ends.
    #[must_use]
    pub const fn stop(denials: u32) -> Self {
        Self { denials, then: Then::Stop }
    }
}

/// What an agent does with an answer that slipped, under exact reading. The order is the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Honour {
    /// It counts as if it had not slipped.
    Counts,
    /// The agent does not see it: [`Answer::plain`] stands.
    PlainText,
    /// It is an error: no answer.
    Fails,
}

/// What a hook is handed, built once per dialect and event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Standard input, or the body of a request.
    pub body: Vec<u8>,
    /// Variables.
    pub env: Vec<(String, String)>,
    /// The variable that names a file into which the hook may write `export` lines; its content comes back in the report.
    pub env_file: Option<&'static str>,
}

/// How long most envelopes are at least: bytes that grow from nothing are copied again and again.
const USUAL: usize = 1 << 10;

impl Envelope {
    /// The bytes of a form. Written as bytes from the start: as text that anybody may display it takes twice as long.
    pub(crate) fn written(form: &impl serde::Serialize) -> Vec<u8> {
        // Its keys are texts and its values JSON: there is nothing in it that cannot be written.
        let mut bytes = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut bytes, form).map(|()| bytes).unwrap_or_default()
    }
}

/// Why an event could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EventFault {
    /// What is wrong with it and what was expected.
    pub message: String,
}

/// The directories from which a dialect finds its files; the caller names them, nothing is read from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    /// Where the agent would be started.
    pub cwd: PathBuf,
    /// The root of the repository round `cwd`, if there is one.
    pub repository: Option<PathBuf>,
    /// The user's home.
    pub home: PathBuf,
    /// Where the organisation keeps managed files.
    pub managed: Option<PathBuf>,
    /// Where the user's configuration of the agent lies, when not at its usual place under `home`.
    pub config_home: Option<PathBuf>,
    /// Where the user keeps the configuration of all programs, when not in `.config` under `home`.
    pub user_config: Option<PathBuf>,
}

/// A file that an agent would load from given roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file. A `*` in its name, or in a directory's, stands for every one that is there, in sorted order.
    pub path: PathBuf,
    /// Whose configuration it is.
    pub layer: Layer,
}

/// How surely a text is a config of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is not.
    No,
    /// Its shape would do.
    Shape,
    /// Its place, or an unmistakable key, says so.
    Certain,
}

/// One agent's protocol.
pub trait Dialect: Sync + fmt::Debug {
    /// Its name.
    fn id(&self) -> DialectId;

    /// Its event table.
    fn rows(&self) -> &'static [EventRow];

    /// The values that matchers of a neutral event can meet, where its agent has a closed list of them.
    fn subjects(&self, _event: &str) -> &'static [&'static str] {
        &[]
    }

    /// What hooks may do on an event that the table does not have: by default they observe.
    fn unknown_row(&self, event: &EventName) -> EventRow;

    /// Whether the file at `path` with this content is a config of this dialect.
    fn recognizes(&self, path: &Path, root: Option<&Node>) -> Fit;

    /// The files that its agent would load.
    fn places(&self, roots: &Roots) -> Vec<Candidate>;

    /// Reads a config file into hooks and diagnostics.
    fn read_config(&self, source: &Source) -> ReadConfig;

    /// Reads an event in the form in which the agent hands it to a hook.
    ///
    /// # Errors
    ///
    /// When `json` lacks what every event of the dialect has.
    fn decode_event(&self, json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault>;

    /// Writes an event in the form that a hook of this dialect expects.
    fn encode_event(&self, event: &Event) -> Envelope;

    /// Whether the agent keeps this variable of its own environment from its hooks.
    fn withholds(&self, _variable: &str) -> bool {
        false
    }

    /// Whether this first line of stdout asks to go on in the background.
    fn detaches(&self, first_line: &[u8]) -> bool;

    /// Reads what a hook said.
    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer;

    /// What a model that serves as a hook is told about the form of its answer (MO-3): by default that of a native answer,
    /// for an agent that has no such hooks.
    fn shape(&self, prompt: &Prompt, row: &EventRow) -> String {
        native::shape(prompt, row)
    }

    /// Reads what such a model said.
    fn read_words(&self, _: &Prompt, _: &Event, row: &EventRow, report: &Report) -> Answer {
        native::read_words(row, report)
    }

    /// How long a hook that runs this may take, where it says nothing itself: by default what the event's row says.
    fn timeout(&self, _run: &Run, row: &EventRow) -> Duration {
        row.timeout
    }

    /// What the agent does with an answer that slipped.
    fn honour(&self, slip: SlipKind) -> Honour;

    /// Why no event of its agent can select `hook`, and the rule that says so, where that is certain.
    ///
    /// Another host may well have such an event, so the hook stays armed.
    fn unreachable(&self, _hook: &Hook) -> Option<(String, &'static str)> {
        None
    }

    /// What becomes of the action when a gate gave no answer and neither its entry nor its source says it: by default
    /// what the event's row says, whatever the way of failing (A-7).
    fn promise(&self, _hook: &Hook, row: &EventRow, _failure: &Failure) -> OnFailure {
        row.failure
    }

    /// How the hooks of one phase of an event relate: by default rewriters see each other's work and gates run at once.
    fn mode(&self, _event: &EventName, phase: Phase) -> Mode {
        if phase == Phase::Rewrite { Mode::Chained } else { Mode::Parallel }
    }

    /// What the layers of this dialect do to each other, once all are read, in configured order: by default they add up.
    /// A hook that another layer replaces is disarmed, never removed, so that `explain` can say why it does not run.
    fn settle_layers(&self, _layers: &mut [(&Source, &mut ReadConfig)]) {}

    /// What its commands inherit of the host's environment, as it promises (R-6).
    fn inherit(&self) -> Inherit {
        Inherit::All
    }

    /// Whether its sources of this layer come after all its others, however the host orders them.
    fn runs_last(&self, _layer: Layer) -> bool {
        false
    }

    /// Reads a further condition as a native file says it of a hook that speaks this dialect: by default one rule about a
    /// tool call, read exactly.
    ///
    /// # Errors
    ///
    /// When it is none: why.
    fn condition(&self, node: &Node, source: &Source) -> Result<Condition, String> {
        rule(node, source, Reading::Native)
    }

    /// Whether the same entry in two of its files runs once.
    fn drops_repeats(&self) -> bool {
        false
    }

    /// The row of `event`.
    fn row(&self, event: &EventName) -> Option<&'static EventRow> {
        self.rows().iter().find(|row| row.event == event.as_str())
    }
}

/// One rule about a tool call, with the places that its paths mean.
fn rule(node: &Node, source: &Source, reading: Reading) -> Result<Condition, String> {
    let text = node.as_str().ok_or_else(|| format!("a rule is a string, not {}", node.kind()))?;
    let condition = Condition::rule(text, reading);
    match condition.fault() {
        Some(fault) => Err(fault.to_string()),
        None => Ok(condition.at(&source.project, &source.home)),
    }
}
