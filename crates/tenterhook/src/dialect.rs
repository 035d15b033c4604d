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

mod broken;
pub mod claude;
pub mod codewhale;
mod files;
mod findings;
mod first_line;
pub mod gencode;
pub mod ignis;
mod kit;
pub mod native;
pub mod reasonix;
mod requests;
pub mod tools;
mod typed;
mod wire;
mod words;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::answer::{Answer, Failure, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{Hook, Inherit, Layer, OnFailure, Phase, Prompt, Run};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::{Lists, Node};

pub use crate::hook::named::DialectId;
pub use crate::hook::row::{Cap, EventRow, Subject, Then};
/// The object of an event, before any dialect reads it.
pub use crate::strict::{Whole, whole as whole_object};
pub use files::{Disk, Plugins, ReadServers, ServerFile, ServerFiles, ServerVariables};

/// Every dialect that this build speaks, in the order in which files are offered to them.
pub static DIALECTS: &[&dyn Dialect] = &[
    &native::Native,
    &claude::Claude,
    &gencode::Gen,
    &ignis::Ignis,
    &codewhale::CodeWhale,
    &reasonix::Reasonix,
];

/// How the agents' files group entries, where they do: what is whole is found by it in one that is broken (C-71).
pub const GROUPS: Lists = Lists { inner: "hooks", known_by: "matcher" };

impl DialectId {
    /// The dialect of that name, if this build speaks it.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        DIALECTS.iter().map(|it| it.id()).find(|id| id.as_str() == name)
    }

    /// Whether the event of this name, the dialect's own or the neutral one, may come before something that cannot be undone: so
    /// does every event that no dialect has, for a config may have declared it (E-10).
    #[must_use]
    pub fn is_at_stake(self, event: &str) -> bool {
        let own = self.dialect().rows().iter().find(|row| row.name == event || row.event == event);
        let others = DIALECTS.iter().flat_map(|it| it.rows());
        let row = own.or_else(|| others.into_iter().find(|row| row.event == event));
        row.is_none_or(EventRow::is_before_effect)
    }

    /// The dialect itself.
    #[must_use]
    pub fn dialect(self) -> &'static dyn Dialect {
        let found = DIALECTS.iter().find(|it| it.id() == self);
        *found.unwrap_or(&(&native::Native as &dyn Dialect))
    }
}

impl Hook {
    /// How long it may take on an event of this row: what its entry says, else what its dialect promises.
    #[must_use]
    pub fn time(&self, row: &EventRow) -> Duration {
        self.timeout.unwrap_or_else(|| self.dialect.dialect().timeout(&self.run, row))
    }
}

/// What an agent does with an answer that slipped, under exact reading. The order is the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlipPolicy {
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

/// The directories from which a dialect finds its files; the caller names them. With the feature `env`, `Roots::from_env` names
/// those of this process. The default names none: no file is found from it, the managed ones of an organisation included.
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

    /// Whether its files are TOML: those of most are JSON, or front matter in texts.
    fn is_toml(&self) -> bool {
        false
    }

    /// The plugins that count by what `settings`, weakest first, and the files of the agent say: by default it has none.
    fn plugins(&self, _settings: &[&Source], _roots: &Roots, _disk: &dyn Disk) -> Plugins {
        Plugins::default()
    }

    /// Where its agent finds the MCP servers that it connects, where it is known here.
    fn servers(&self) -> Option<&'static ServerFiles> {
        None
    }

    /// Where the entry of a server in its files may name variables.
    fn server_variables(&self) -> ServerVariables {
        ServerVariables::Everywhere
    }

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
    fn slip_policy(&self, slip: SlipKind) -> SlipPolicy;

    /// Why no event of its agent can select `hook`, and the rule that says so, where that is certain.
    ///
    /// Another host may well have such an event, so the hook stays armed.
    fn unreachable(&self, _hook: &Hook) -> Option<(String, &'static str)> {
        None
    }

    /// What becomes at least of an action while a file that might forbid it cannot be read, whatever was promised (C-72): by
    /// default a person decides, for nobody promised a denial, and nobody agreed. `None`: what the event's row says.
    fn while_unread(&self) -> Option<OnFailure> {
        Some(OnFailure::Ask)
    }

    /// What the entry of a hook calls its time limit.
    fn timeout_key(&self) -> &'static str {
        "timeout"
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// E-7, CW-59: `fire` replaced the place of an event by its own directory.
    #[test]
    fn an_event_keeps_its_place_wherever_it_is_handed_on() {
        let events = [
            ("claude", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            ("gen", json!({"hook_event_name": "Stop", "cwd": "/repo/p"})),
            (
                "ignis",
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "", "cwd": "/repo/p"}),
            ),
            ("reasonix", json!({"event": "Stop", "cwd": "/repo/p"})),
            ("codewhale", json!({"event": "turn_end", "workspace": "/repo/p"})),
            ("native", json!({"v": 1, "event": "Stop", "session": {"cwd": "/repo/p"}})),
        ];
        assert_eq!(events.len(), DIALECTS.len());
        for (dialect, event) in events {
            for from in ["/elsewhere", "/repo", "/repo/p/deep", ""] {
                let roots = Roots { cwd: from.into(), ..Roots::default() };
                let it = DialectId::find(dialect).unwrap().dialect();
                let event = it.decode_event(event.as_object().unwrap(), &roots).unwrap();
                assert_eq!(event.within.cwd, Path::new("/repo/p"), "{dialect} from `{from}`");
                let told = it.encode_event(&event);
                let body = String::from_utf8_lossy(&told.body);
                assert!(body.is_empty() || body.contains("\"/repo/p\""), "{dialect}: {body}");
                for (name, value) in told.env.iter().filter(|it| it.0.ends_with("_WORKSPACE")) {
                    assert_eq!(value, "/repo/p", "{name} from `{from}`");
                }
            }
        }
    }
}
