//! What can a dialect be asked? Hands each question on to the data and functions that the dialect is made of; knows no dialect.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Dialect;
use crate::answer::{Answer, Failure, Powers, SlipKind};
use crate::dialect::kit::reply::{self, Reply, Told};
use crate::dialect::kit::unasked;
use crate::dialect::{
    Candidate, ConditionFault, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins,
    Roots, Scan, ServerFiles, ServerVariables, Silencer, SlipPolicy,
};
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{
    Compat, Hook, Inherit, Interpolation, Layer, OnFailure, Phase, Prompt, Run, Sandbox, Wait,
};
use crate::matcher::Condition;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

impl Dialect {
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

    /// The reader of what in files silences the hooks of its agent's settings, or could; `None` where none is known.
    #[must_use]
    pub const fn silencers(&self) -> Option<fn(Scan<'_>) -> Vec<Silencer>> {
        self.silencers
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
        self.withheld.iter().any(|prefix| variable.starts_with(prefix))
    }

    /// Whether this first line of stdout asks to go on in the background, by the reading that the hook's source asks for.
    #[must_use]
    pub fn detaches(&self, first_line: &[u8], compat: Compat) -> bool {
        (self.detaches)(first_line, compat)
    }

    /// Whether the agent discards what a hook with this `wait` adds (G-43).
    pub(crate) const fn discards(&self, wait: Wait) -> bool {
        self.discards_detached && matches!(wait, Wait::Detached)
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
        Some(self.replies?.say(name).map_or(Powers::NONE, |row| row.powers()))
    }

    /// Every event on which its agent can be told something, by its own name, and what.
    #[must_use]
    pub fn can_all(&self) -> Vec<(&'static str, Powers)> {
        let events = self.replies.map_or(&[][..], |replies| replies.events);
        events.iter().map(|event| (event.event, event.powers())).collect()
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

    /// The variables in which its agent names its project to hooks (BR-18).
    #[must_use]
    pub const fn project_variables(&self) -> &'static [&'static str] {
        self.project_variables
    }

    /// Whether a call carries one id in the events before and after it, and each call that runs fires both (BR-93).
    #[must_use]
    pub const fn pairs_calls(&self) -> bool {
        self.pairs_calls
    }

    /// The files of a project from which its agent runs commands without asking a gate of tool calls, as paths: `*` is any name,
    /// and `**` any folders (T-65).
    pub fn unasked_files(&self) -> impl Iterator<Item = &'static str> {
        self.unasked.iter().map(|file| file.path)
    }

    /// The commands in such a file: the line of each, when the agent runs it, and the command.
    #[must_use]
    pub fn unasked_in(&self, path: &str, text: &str) -> Vec<(usize, String, String)> {
        let file = self.unasked.iter().find(|file| file.path == path);
        file.map_or_else(Vec::new, |file| unasked::read(file, text))
    }

    /// Whether standard error is for people there, and never read as an answer.
    #[must_use]
    pub fn hears_stderr(&self) -> bool {
        self.replies.is_none_or(|replies| replies.hears_stderr)
    }

    /// Its agent, in words, where it is one that calls us.
    #[must_use]
    pub fn agent(&self) -> Option<&'static str> {
        self.replies.map(|replies| replies.agent)
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
    /// When the node is not a condition.
    pub(crate) fn condition(
        &self,
        node: &Node,
        source: &Source,
    ) -> Result<Condition, ConditionFault> {
        (self.condition)(node, source)
    }

    /// How its agent fills variables into the requests of its hooks (HT-21).
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Whether its agent asks again where a server redirects it (HT-14).
    #[must_use]
    pub const fn follows_redirects(&self) -> bool {
        self.follows_redirects
    }

    /// Whether the same entry in two of its files runs once.
    #[must_use]
    pub const fn drops_repeats(&self) -> bool {
        self.drops_repeats
    }
}
