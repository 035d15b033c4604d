//! What is one agent's protocol made of? Data, and functions for what no table can say. A dialect is one `static` of this
//! type; nobody outside this folder can make another.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::kit::reply::{self, Replies, Reply, Told};
use super::{
    Candidate, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins, Roots, ServerFiles,
    ServerVariables, SlipPolicy, native, rule,
};
use crate::answer::{Answer, Failure, Powers, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{Compat, Hook, Inherit, Layer, OnFailure, Phase, Prompt, Run, Sandbox};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// What every dialect says for itself.
pub(super) struct Core {
    pub(super) id: DialectId,
    /// Its event table.
    pub(super) rows: fn() -> &'static [EventRow],
    /// What hooks may do on an event that the table does not have.
    pub(super) unknown_row: fn(&EventName) -> EventRow,
    pub(super) recognizes: fn(&Path, Option<&Node>) -> Fit,
    pub(super) places: fn(&Roots) -> Vec<Candidate>,
    pub(super) read_config: fn(&Source) -> ReadConfig,
    pub(super) decode_event: fn(&Map<String, Value>, &Roots) -> Result<Event, EventFault>,
    pub(super) encode_event: fn(&Event) -> Envelope,
    pub(super) read_answer: fn(&Event, &EventRow, &Report) -> Answer,
}

/// One agent's protocol.
pub struct Dialect {
    pub(super) core: Core,
    /// The variable that names where the user's files of its agent lie.
    pub(super) home_variable: Option<&'static str>,
    /// Whether its files are TOML, too: those of most are JSON, or front matter in texts.
    pub(super) is_toml: bool,
    pub(super) plugins: fn(&[&Source], &Roots, &dyn Disk) -> Plugins,
    pub(super) servers: Option<&'static ServerFiles>,
    pub(super) server_variables: ServerVariables,
    pub(super) while_unread: Option<OnFailure>,
    pub(super) timeout_key: &'static str,
    /// The values that matchers of an event can meet, where its agent has a closed list of them.
    pub(super) subjects: fn(&str) -> &'static [&'static str],
    /// What the variables begin with that the agent keeps from its hooks.
    pub(super) withheld: &'static [&'static str],
    /// Whether a first line of output asks for the background.
    pub(super) detaches: fn(&[u8], Compat) -> bool,
    /// What becomes of an answer that slipped, and the slips that the agent does not mind.
    pub(super) slips: SlipPolicy,
    pub(super) counted_slips: &'static [SlipKind],
    /// What a model that serves as a hook is told, how its words are read, and how long a run may take.
    pub(super) shape: fn(&Prompt, &EventRow) -> String,
    pub(super) read_words: fn(&Prompt, &Event, &EventRow, &Report) -> Answer,
    pub(super) timeout: fn(&Run, &EventRow) -> Duration,
    pub(super) unreachable: fn(&Hook) -> Option<(String, &'static str)>,
    pub(super) promise: fn(&Hook, &EventRow, &Failure) -> OnFailure,
    pub(super) mode: fn(Phase) -> Mode,
    pub(super) settle_layers: fn(&mut [(&Source, &mut ReadConfig)]),
    pub(super) inherit: Inherit,
    /// What its agent leaves to a hook of its own file of which nobody says anything.
    pub(super) sandbox: fn(&Hook, &Path) -> Sandbox,
    /// The layer whose sources come after all others.
    pub(super) last_layer: Option<Layer>,
    pub(super) condition: fn(&Node, &Source) -> Result<Condition, String>,
    /// Whether the same entry in two of its files runs once.
    pub(super) drops_repeats: bool,
    /// What its agent can be told of outcomes, where it is an agent that calls us.
    pub(super) replies: Option<&'static Replies>,
    /// What its agent does where a hook gives no answer on the event of that neutral name.
    pub(super) without_answer: fn(&str, &Failure) -> OnFailure,
    /// Whether `stop_hook_active` means that the end of the turn was put off before.
    pub(super) says_stopped_before: bool,
    /// Whether an event is none: nobody did what it tells of.
    pub(super) is_noise: fn(&Event) -> bool,
    /// Whether its agent loads a source that was found, and runs the hooks in it.
    pub(super) loads: fn(&Source, DialectId) -> bool,
}

impl Dialect {
    /// A dialect without peculiarities: no background by a first line, slips are not seen, rewriters see each other's work and
    /// gates run at once, layers add up, commands inherit everything.
    pub(super) const fn of(core: Core) -> Self {
        Self {
            core,
            home_variable: None,
            is_toml: false,
            plugins: |_, _, _| Plugins::default(),
            servers: None,
            server_variables: ServerVariables::Everywhere,
            while_unread: Some(OnFailure::Ask),
            timeout_key: "timeout",
            subjects: |_| &[],
            withheld: &[],
            detaches: |_, _| false,
            slips: SlipPolicy::PlainText,
            counted_slips: &[],
            shape: native::shape,
            read_words: |_, _, row, report| native::read_words(row, report),
            timeout: |_, row| row.timeout,
            unreachable: |_| None,
            promise: |_, row, _| row.failure,
            mode: |phase| {
                if matches!(phase, Phase::Rewrite) { Mode::Chained } else { Mode::Parallel }
            },
            settle_layers: |_| {},
            inherit: Inherit::All,
            sandbox: |_, _| Sandbox::Unsaid,
            last_layer: None,
            condition: |node, source| rule(node, source, Reading::Native),
            drops_repeats: false,
            replies: None,
            without_answer: |_, _| OnFailure::Continue,
            says_stopped_before: true,
            is_noise: |_| false,
            loads: |source, own| source.dialect == own,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn id(&self) -> DialectId {
        self.core.id
    }

    /// The variable by which a user says where the files of its agent lie, where there is one.
    #[must_use]
    pub const fn home_variable(&self) -> Option<&'static str> {
        self.home_variable
    }

    /// Its event table.
    #[must_use]
    pub fn rows(&self) -> &'static [EventRow] {
        (self.core.rows)()
    }

    /// The row of `event`.
    #[must_use]
    pub fn row(&self, event: &EventName) -> Option<&'static EventRow> {
        self.rows().iter().find(|row| row.event == event.as_str())
    }

    /// The values that matchers of a neutral event can meet, where its agent has a closed list of them.
    #[must_use]
    pub fn subjects(&self, event: &str) -> &'static [&'static str] {
        (self.subjects)(event)
    }

    /// What hooks may do on an event that the table does not have: mostly they observe.
    #[must_use]
    pub fn unknown_row(&self, event: &EventName) -> EventRow {
        (self.core.unknown_row)(event)
    }

    /// Whether the file at `path` with this content is a config of this dialect.
    #[must_use]
    pub fn recognizes(&self, path: &Path, root: Option<&Node>) -> Fit {
        (self.core.recognizes)(path, root)
    }

    /// The files that its agent would load.
    #[must_use]
    pub fn places(&self, roots: &Roots) -> Vec<Candidate> {
        (self.core.places)(roots)
    }

    /// Whether its files are TOML: those of most are JSON, or front matter in texts.
    #[must_use]
    pub const fn is_toml(&self) -> bool {
        self.is_toml
    }

    /// The plugins that count by what `settings`, weakest first, and the files of the agent say.
    #[must_use]
    pub fn plugins(&self, settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
        (self.plugins)(settings, roots, disk)
    }

    /// Where its agent finds the MCP servers that it connects, where it is known here.
    #[must_use]
    pub const fn servers(&self) -> Option<&'static ServerFiles> {
        self.servers
    }

    /// Where the entry of a server in its files may name variables.
    #[must_use]
    pub const fn server_variables(&self) -> ServerVariables {
        self.server_variables
    }

    /// Reads a config file into hooks and diagnostics.
    #[must_use]
    pub fn read_config(&self, source: &Source) -> ReadConfig {
        (self.core.read_config)(source)
    }

    /// Reads an event in the form in which the agent hands it to a hook.
    ///
    /// # Errors
    ///
    /// When `json` lacks what every event of the dialect has.
    pub fn decode_event(
        &self,
        json: &Map<String, Value>,
        roots: &Roots,
    ) -> Result<Event, EventFault> {
        (self.core.decode_event)(json, roots)
    }

    /// Writes an event in the form that a hook of this dialect expects.
    #[must_use]
    pub fn encode_event(&self, event: &Event) -> Envelope {
        (self.core.encode_event)(event)
    }

    /// Whether the agent keeps this variable of its own environment from its hooks.
    #[must_use]
    pub fn withholds(&self, variable: &str) -> bool {
        self.withheld.iter().any(|it| variable.starts_with(it))
    }

    /// Whether this first line of stdout asks to go on in the background, by the reading that the hook's source asks for.
    #[must_use]
    pub fn detaches(&self, first_line: &[u8], compat: Compat) -> bool {
        (self.detaches)(first_line, compat)
    }

    /// Reads what a hook said.
    #[must_use]
    pub fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        (self.core.read_answer)(event, row, report)
    }

    /// Tells the agent of an outcome in its own words (BR-1); `None` where its agent is not one that calls us. `way_out` says how a
    /// person lets pass what the agent cannot ask about.
    #[must_use]
    pub fn encode_outcome(
        &self,
        event: &Event,
        outcome: &Outcome,
        way_out: Option<&str>,
    ) -> Option<Reply> {
        let name = self.row(&event.name).map_or(event.name.as_str(), |row| &row.name);
        Some(reply::write(self.replies?, Told { name, event, outcome, way_out }))
    }

    /// What its agent can be told on an event; `None` where its agent is not one that calls us.
    #[must_use]
    pub fn can(&self, event: &EventName) -> Option<Powers> {
        let name = self.row(event).map_or(event.as_str(), |row| &row.name);
        Some(self.replies?.say(name).map_or(Powers::NONE, |it| it.powers()))
    }

    /// Every event on which its agent can be told something, by its own name, and what.
    #[must_use]
    pub fn can_all(&self) -> Vec<(&'static str, Powers)> {
        let events = self.replies.map_or(&[][..], |it| it.events);
        events.iter().map(|it| (it.event, it.powers())).collect()
    }

    /// Whether its agent loads a source that was found, and runs the hooks in it (BR-30). What was moved away from it, it does
    /// not (BR-75).
    #[must_use]
    pub fn loads(&self, source: &Source) -> bool {
        !source.is_adopted() && (self.loads)(source, self.core.id)
    }

    /// What its agent does where a hook gives no answer: behind it, no hook of another dialect is weaker (BR-9).
    #[must_use]
    pub fn without_answer(&self, event: &str, failure: &Failure) -> OnFailure {
        (self.without_answer)(event, failure)
    }

    /// Whether what its agent says of an end that was put off before can be believed; else whoever calls counts itself.
    #[must_use]
    pub const fn says_stopped_before(&self) -> bool {
        self.says_stopped_before
    }

    /// Whether an event of its agent is none.
    #[must_use]
    pub fn is_noise(&self, event: &Event) -> bool {
        (self.is_noise)(event)
    }

    /// Whether standard error is for people there, and never read as an answer.
    #[must_use]
    pub fn hears_stderr(&self) -> bool {
        self.replies.is_none_or(|it| it.hears_stderr)
    }

    /// Its agent, in words, where it is one that calls us.
    #[must_use]
    pub fn agent(&self) -> Option<&'static str> {
        self.replies.map(|it| it.agent)
    }

    /// What a model that serves as a hook is told about the form of its answer (MO-3): that of a native answer, for an agent
    /// that has no such hooks.
    #[must_use]
    pub fn shape(&self, prompt: &Prompt, row: &EventRow) -> String {
        (self.shape)(prompt, row)
    }

    /// Reads what such a model said.
    #[must_use]
    pub fn read_words(
        &self,
        prompt: &Prompt,
        event: &Event,
        row: &EventRow,
        report: &Report,
    ) -> Answer {
        (self.read_words)(prompt, event, row, report)
    }

    /// How long a hook that runs this may take, where it says nothing itself.
    #[must_use]
    pub fn timeout(&self, run: &Run, row: &EventRow) -> Duration {
        (self.timeout)(run, row)
    }

    /// What the agent does with an answer that slipped.
    #[must_use]
    pub fn slip_policy(&self, slip: SlipKind) -> SlipPolicy {
        if self.counted_slips.contains(&slip) { SlipPolicy::Counts } else { self.slips }
    }

    /// Why no event of its agent can select `hook`, and the rule that says so, where that is certain.
    ///
    /// Another host may well have such an event, so the hook stays armed.
    #[must_use]
    pub fn unreachable(&self, hook: &Hook) -> Option<(String, &'static str)> {
        (self.unreachable)(hook)
    }

    /// What becomes at least of an action while a file that might forbid it cannot be read, whatever was promised (C-72):
    /// mostly a person decides, for nobody promised a denial, and nobody agreed. `None`: what the event's row says.
    #[must_use]
    pub const fn while_unread(&self) -> Option<OnFailure> {
        self.while_unread
    }

    /// What the entry of a hook calls its time limit.
    #[must_use]
    pub const fn timeout_key(&self) -> &'static str {
        self.timeout_key
    }

    /// What becomes of the action when a gate gave no answer and neither its entry nor its source says it: mostly what the
    /// event's row says, whatever the way of failing.
    #[must_use]
    pub fn promise(&self, hook: &Hook, row: &EventRow, failure: &Failure) -> OnFailure {
        (self.promise)(hook, row, failure)
    }

    /// How the hooks of one phase of an event relate.
    #[must_use]
    pub fn mode(&self, phase: Phase) -> Mode {
        (self.mode)(phase)
    }

    /// What the layers of this dialect do to each other, once all are read, in configured order: mostly they add up.
    /// A hook that another layer replaces is disarmed, never removed, so that `explain` can say why it does not run.
    pub fn settle_layers(&self, layers: &mut [(&Source, &mut ReadConfig)]) {
        (self.settle_layers)(layers);
    }

    /// What its agent leaves to a hook of which nobody says anything, where the person's home is this one.
    #[must_use]
    pub(crate) fn sandbox(&self, hook: &Hook, home: &Path) -> Sandbox {
        (self.sandbox)(hook, home)
    }

    /// What its commands inherit of the host's environment, as it promises.
    #[must_use]
    pub const fn inherit(&self) -> Inherit {
        self.inherit
    }

    /// Whether its sources of this layer come after all its others, however the host orders them.
    #[must_use]
    pub fn runs_last(&self, layer: Layer) -> bool {
        self.last_layer == Some(layer)
    }

    /// Reads a further condition as a native file says it of a hook that speaks this dialect: mostly one rule about a tool
    /// call, read exactly.
    ///
    /// # Errors
    ///
    /// When it is none: why.
    pub fn condition(&self, node: &Node, source: &Source) -> Result<Condition, String> {
        (self.condition)(node, source)
    }

    /// Whether the same entry in two of its files runs once.
    #[must_use]
    pub const fn drops_repeats(&self) -> bool {
        self.drops_repeats
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dialect").field(&self.core.id).finish()
    }
}
