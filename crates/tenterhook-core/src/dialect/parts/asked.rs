//! The methods of a dialect: each returns or calls one of its parts. Knows no agent.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Checks, Dialect, Inherited};
use crate::agents::{Installation, agent_with_hook_installation};
use crate::answer::{Answer, Failure, Powers, SlipKind};
use crate::dialect::kit::reply::{self, Replies, Reply, ReplyInput};
use crate::dialect::kit::shape::{RefusedValue, StoppedEvent};
use crate::dialect::tools::OWN_NAME;
use crate::dialect::{
    Candidate, ConditionFault, DIALECTS, DialectId, Disk, Envelope, EventFault, EventRow, Fit,
    Plugins, Roots, Scan, ServerFiles, Silencer, SlipPolicy, Subject, servers,
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
    /// Returns the identifier of the dialect.
    #[must_use]
    pub const fn id(&self) -> DialectId {
        self.core.id
    }

    /// Returns the variable that names the directory of the user's files, if the agent has one.
    #[must_use]
    pub fn home_variable(&self) -> Option<&'static str> {
        self.installation()?.home_variable
    }

    /// Returns how Tenterhook's hooks are registered with the agent, if it calls Tenterhook.
    pub(crate) fn installation(&self) -> Option<&'static Installation> {
        agent_with_hook_installation(self.core.id.as_str()).map(|agent| &agent.installation)
    }

    /// Returns the event table.
    #[must_use]
    pub fn event_rows(&self) -> &'static [EventRow] {
        (self.core.rows)()
    }

    /// Returns the row of `event`.
    #[must_use]
    pub fn event_row(&self, event: &EventName) -> Option<&'static EventRow> {
        self.event_rows().iter().find(|row| row.event == event.as_str())
    }

    /// Returns the neutral name of the event of an entry, which has the agent's name for it.
    #[must_use]
    pub fn event_of_entry(&self, name: &str) -> EventName {
        let rows = self.event_rows().iter().chain((self.calls.more_entries)());
        let row = rows.into_iter().find(|row| row.name == name || row.event == name);
        row.map_or_else(|| EventName::from(name), |row| EventName::new(&*row.event))
    }

    /// Returns the text that the agent's matchers test: its own name of a tool (S-1).
    pub(crate) fn matcher_subject<'a>(
        &self,
        row: &EventRow,
        event: &'a Event,
    ) -> Option<Cow<'a, str>> {
        let text = row.subject.matcher_text(event)?;
        let is_tool = matches!(row.subject, Subject::Tool(_));
        let own = || {
            let given = event.text(OWN_NAME).filter(|_| self.matching.tests_own_name);
            given.map(str::to_owned).or_else(|| servers::own_name(self.matching.server_tool, text))
        };
        let own = is_tool.then(own).flatten();
        Some(own.map_or(Cow::Borrowed(text), Cow::Owned))
    }

    /// Returns the values that the subject of a neutral event can have, if the agent has a closed
    /// list of them.
    #[must_use]
    pub fn possible_subject_values(&self, event: &str) -> &'static [&'static str] {
        (self.matching.subjects)(event)
    }

    /// Returns the row of an event that is not in the table: usually hooks only observe it.
    #[must_use]
    pub fn row_for_unknown_event(&self, event: &EventName) -> EventRow {
        (self.core.unknown_row)(event)
    }

    /// Returns whether the file at `path` with this content is a config of this dialect.
    #[must_use]
    pub fn recognize_config_file(&self, path: &Path, root: Option<&Node>) -> Fit {
        (self.core.recognizes)(path, root)
    }

    /// Returns the config files that the agent would load.
    #[must_use]
    pub fn candidate_files(&self, roots: &Roots) -> Vec<Candidate> {
        (self.core.places)(roots)
    }

    /// Returns `true` if the dialect also has TOML hook files. Most agents have JSON, or front
    /// matter in texts.
    #[must_use]
    pub fn has_toml_files(&self) -> bool {
        let files = self.candidate_files(&Roots::default());
        files.iter().any(|file| file.path.extension().is_some_and(|extension| extension == "toml"))
    }

    /// Returns the active plugins according to `settings`, weakest first, and their files.
    #[must_use]
    pub fn active_plugins(&self, settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
        (self.files.plugins)(settings, roots, disk)
    }

    /// Returns the function that finds settings which silence the agent's hooks, or could; `None`
    /// if no such setting is known.
    #[must_use]
    pub const fn silencing_settings_finder(&self) -> Option<fn(Scan<'_>) -> Vec<Silencer>> {
        self.files.silencers
    }

    /// Returns the value for which the agent refuses a whole settings file with this root.
    pub(crate) fn find_refused_value(&self, root: &Node) -> Option<RefusedValue> {
        match self.files.checks {
            Checks::File(find) => find(root),
            _ => None,
        }
    }

    /// Returns the events of which a value of a settings file with this root stops all hooks.
    pub(crate) fn find_stopped_events(&self, root: &Node) -> Vec<StoppedEvent> {
        match self.files.checks {
            Checks::Events(find) => find(root),
            _ => Vec::new(),
        }
    }

    /// Returns the files in which the agent configures MCP servers, if they are known.
    #[must_use]
    pub const fn mcp_server_files(&self) -> Option<&'static ServerFiles> {
        self.files.servers
    }

    /// Reads a config file into hooks and diagnostics.
    #[must_use]
    pub fn read_config(&self, source: &Source) -> ReadConfig {
        (self.core.read_config)(source)
    }

    /// Reads an event in the form in which the agent passes it to a hook.
    ///
    /// # Errors
    ///
    /// If `json` lacks a field that every event of the dialect has.
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

    /// Returns `true` if the agent removes this variable from the environment of hooks.
    #[must_use]
    pub fn withholds_variable(&self, variable: &str) -> bool {
        match self.commands.inherited {
            Inherited::AllBut(prefixes) => prefixes.iter().any(|p| variable.starts_with(p)),
            Inherited::All | Inherited::Listed => false,
        }
    }

    /// Returns `true` if this first line of stdout moves the hook to the background, under the
    /// reading mode of its source.
    #[must_use]
    pub fn is_detach_line(&self, first_line: &[u8], compat: Compat) -> bool {
        (self.runs.detaches)(first_line, compat)
    }

    /// Returns `true` if the agent discards the effects of a hook with this `wait` (G-43).
    pub(crate) const fn discards_effects(&self, wait: Wait) -> bool {
        self.runs.discards_detached && matches!(wait, Wait::Detached)
    }

    /// Reads the answer of a hook.
    #[must_use]
    pub fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        (self.core.read_answer)(event, row, report)
    }

    /// Writes the reply to an outcome (BR-1); `None` if the agent does not call Tenterhook.
    /// `way_out` says how a person can allow an action that the agent cannot ask about.
    #[must_use]
    pub fn encode_outcome(
        &self,
        event: &Event,
        outcome: &Outcome,
        way_out: Option<&str>,
    ) -> Option<Reply> {
        let name = self.agent_event_name(&event.name);
        Some(reply::write_reply(self.calls.replies?, ReplyInput { name, event, outcome, way_out }))
    }

    /// Returns the agent's name for an event.
    fn agent_event_name<'n>(&self, event: &'n EventName) -> &'n str {
        self.event_row(event).map_or(event.as_str(), |row| &row.name)
    }

    /// Returns the variable that the agent sets for its hooks alone, if there is one.
    #[must_use]
    pub const fn own_variable(&self) -> Option<&'static str> {
        self.calls.own_variable
    }

    /// Returns the reply to an event that says nothing.
    #[must_use]
    pub fn silent_reply(&self, event: &EventName) -> Reply {
        let name = self.agent_event_name(event);
        let text = |replies: &Replies| replies.text((replies.silence)(name));
        Reply { stdout: self.calls.replies.map_or_else(String::new, text), ..Reply::default() }
    }

    /// Returns the powers that the agent accepts on an event; `None` if it does not call
    /// Tenterhook.
    #[must_use]
    pub fn accepted_powers(&self, event: &EventName) -> Option<Powers> {
        let name = self.agent_event_name(event);
        Some(self.calls.replies?.event_replies(name).map_or(Powers::NONE, |row| row.powers()))
    }

    /// Returns the events of the reply table, by the agent's names, with the powers that each
    /// accepts.
    #[must_use]
    pub fn reply_table(&self) -> Vec<(&'static str, Powers)> {
        let events = self.calls.replies.map_or(&[][..], |replies| replies.events);
        events.iter().map(|event| (event.event, event.powers())).collect()
    }

    /// Returns `true` if the agent loads a source and runs the hooks in it (BR-30). It does not
    /// load a source that Tenterhook adopted (BR-75).
    #[must_use]
    pub fn loads_source(&self, source: &Source) -> bool {
        !source.holds_moved_entries() && (self.layers.loads)(source, self.core.id)
    }

    /// Returns what the agent does if a hook gives no answer. Hooks of other dialects are at least
    /// as strict (BR-9).
    #[must_use]
    pub fn policy_without_answer(&self, event: &str, failure: &Failure) -> OnFailure {
        (self.failures.without_answer)(event, failure)
    }

    /// Returns `true` if the agent's `stop_hook_active` is reliable; otherwise the caller counts
    /// delayed ends of a turn.
    #[must_use]
    pub const fn reports_stop_hook_active(&self) -> bool {
        self.calls.says_stopped_before
    }

    /// Returns `true` if an event describes no action.
    #[must_use]
    pub fn is_noise_event(&self, event: &Event) -> bool {
        (self.calls.is_noise)(event)
    }

    /// Returns the variables in which the agent names its project to hooks (BR-18).
    #[must_use]
    pub const fn project_variables(&self) -> &'static [&'static str] {
        self.calls.project_variables
    }

    /// Returns the version of the agent, if it tells it with a call: in the payload's `fields`, or
    /// in a variable, whose value `variable` returns (RE-7).
    pub fn agent_version<'a>(
        &self,
        fields: &'a Map<String, Value>,
        variable: impl Fn(&str) -> Option<&'a str>,
    ) -> Option<String> {
        self.calls.versions.iter().find_map(|source| source.find_version(fields, &variable))
    }

    /// Returns `true` if the events before and after a call have the same id, and each call that
    /// runs fires both (BR-93).
    #[must_use]
    pub const fn pairs_tool_events(&self) -> bool {
        self.calls.pairs_calls
    }

    /// Returns `true` if the agent never reads standard error as an answer, so that warnings can be
    /// printed there.
    #[must_use]
    pub fn ignores_stderr(&self) -> bool {
        self.calls.replies.is_none_or(|replies| replies.hears_stderr)
    }

    /// Returns the agent's title, if it calls Tenterhook.
    #[must_use]
    pub fn calling_agent_title(&self) -> Option<&'static str> {
        self.calls.replies.map(|replies| replies.agent)
    }

    /// Returns the instructions on the form of the answer for a model that serves as a hook (MO-3):
    /// those of a native answer if the agent has no such hooks.
    #[must_use]
    pub fn answer_instructions(&self, prompt: &Prompt, row: &EventRow) -> String {
        (self.models.shape)(prompt, row)
    }

    /// Reads the answer of a model that serves as a hook.
    #[must_use]
    pub fn read_model_answer(
        &self,
        prompt: &Prompt,
        event: &Event,
        row: &EventRow,
        report: &Report,
    ) -> Answer {
        (self.models.read)(prompt, event, row, report)
    }

    /// Returns the timeout of a hook that sets none.
    #[must_use]
    pub fn default_timeout(&self, run: &Run, row: &EventRow) -> Duration {
        (self.runs.timeout)(run, row)
    }

    /// Returns what the agent does with an answer that deviates from its protocol.
    #[must_use]
    pub fn slip_policy(&self, slip: SlipKind) -> SlipPolicy {
        (self.failures.slips)(slip)
    }

    /// Why no event of the agent can select `hook`, and the rule that says so, if that is certain.
    ///
    /// Another host may well have such an event, so the hook stays armed.
    #[must_use]
    pub fn why_never_selected(&self, hook: &Hook) -> Option<(String, &'static str)> {
        (self.matching.unreachable)(hook)
    }

    /// Returns the agent's title if its matchers test a tool only by its present name (S-5).
    pub(crate) fn agent_that_tests_one_name(&self) -> Option<&'static str> {
        self.calling_agent_title().filter(|_| !self.matching.tests_other_names)
    }

    /// Returns the least restraint of an action while a file that might forbid it cannot be read
    /// (C-72): usually the user is asked. `None` means the policy of the event.
    #[must_use]
    pub const fn policy_for_unreadable_file(&self) -> Option<OnFailure> {
        self.failures.while_unread
    }

    /// Returns the key of an entry that sets its timeout.
    #[must_use]
    pub fn timeout_key(&self) -> &'static str {
        // Two dialects of one agent have the same files.
        let title = self.calling_agent_title();
        let is_same_agent =
            |other: &&&Self| title.is_some() && other.calling_agent_title() == title;
        let other =
            || DIALECTS.iter().filter(is_same_agent).find_map(|other| other.files.written.ok());
        let file = self.files.written.ok().or_else(other);
        file.and_then(|file| file.timeout()).map_or("timeout", |(key, _)| key)
    }

    /// Returns the policy of a gate that gave no answer, if neither its entry nor its source sets
    /// one: usually that of the event.
    #[must_use]
    pub fn default_failure_policy(
        &self,
        hook: &Hook,
        row: &EventRow,
        failure: &Failure,
    ) -> OnFailure {
        (self.failures.promise)(hook, row, failure)
    }

    /// Returns how the hooks of one phase of an event relate.
    #[must_use]
    pub fn mode(&self, phase: Phase) -> Mode {
        (self.runs.mode)(phase)
    }

    /// Applies the settings of one layer to the hooks of others, once all are read, in configured
    /// order. A replaced hook is disarmed, never removed, so that `explain` can say why it does not
    /// run.
    pub fn apply_layer_settings(&self, layers: &mut [(&Source, &mut ReadConfig)]) {
        (self.layers.settle)(layers);
    }

    /// Returns the sandbox of a hook without a setting, for this home directory of the user.
    #[must_use]
    pub(crate) fn default_sandbox(&self, hook: &Hook, home: &Path) -> Sandbox {
        (self.commands.sandbox)(hook, home)
    }

    /// Returns which variables of the host commands inherit.
    #[must_use]
    pub const fn inherited_variables(&self) -> Inherit {
        match self.commands.inherited {
            Inherited::All | Inherited::AllBut(_) => Inherit::All,
            Inherited::Listed => Inherit::Listed,
        }
    }

    /// Returns `true` if sources of this layer come after all others, however the host orders them.
    #[must_use]
    pub fn runs_layer_last(&self, layer: Layer) -> bool {
        self.layers.last == Some(layer)
    }

    /// Reads a condition in a native file for a hook of this dialect: usually one rule about a tool
    /// call.
    ///
    /// # Errors
    ///
    /// When the node is not a condition.
    pub(crate) fn read_condition(
        &self,
        node: &Node,
        source: &Source,
    ) -> Result<Condition, ConditionFault> {
        (self.matching.condition)(node, source)
    }

    /// Returns how the agent fills variables into the requests of hooks (HT-21).
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.requests.interpolation
    }

    /// Returns `true` if the agent follows redirects (HT-14).
    #[must_use]
    pub const fn follows_redirects(&self) -> bool {
        self.requests.follows_redirects
    }

    /// Returns `true` if the same entry in two files runs once.
    #[must_use]
    pub const fn drops_repeated_entries(&self) -> bool {
        self.layers.drops_repeats
    }
}
