//! What is one agent's protocol made of? Data, and functions for what no table can say. A dialect is one `static` of this
//! type; nobody outside this folder can make another.

mod asked;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::kit::reply::Replies;
use super::kit::unasked::UnaskedFile;
use super::{
    Candidate, ConditionFault, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins,
    Roots, Scan, ServerFiles, ServerVariables, Silencer, SlipPolicy, native, rule,
};
use crate::answer::{Answer, Failure, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::row::Mode;
use crate::hook::{
    Compat, Hook, Inherit, Interpolation, Layer, OnFailure, Phase, Prompt, Run, Sandbox,
};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// What every dialect says for itself.
pub(crate) struct Core {
    pub(crate) id: DialectId,
    /// Its event table.
    pub(crate) rows: fn() -> &'static [EventRow],
    /// What hooks may do on an event that the table does not have.
    pub(crate) unknown_row: fn(&EventName) -> EventRow,
    pub(crate) recognizes: fn(&Path, Option<&Node>) -> Fit,
    pub(crate) places: fn(&Roots) -> Vec<Candidate>,
    pub(crate) read_config: fn(&Source) -> ReadConfig,
    pub(crate) decode_event: fn(&Map<String, Value>, &Roots) -> Result<Event, EventFault>,
    pub(crate) encode_event: fn(&Event) -> Envelope,
    pub(crate) read_answer: fn(&Event, &EventRow, &Report) -> Answer,
}

/// One agent's protocol.
pub struct Dialect {
    pub(crate) core: Core,
    /// The variable that names where the user's files of its agent lie.
    pub(crate) home_variable: Option<&'static str>,
    /// Whether its files are TOML, too: those of most are JSON, or front matter in texts.
    pub(crate) is_toml: bool,
    pub(crate) plugins: fn(&[&Source], &Roots, &dyn Disk) -> Plugins,
    /// What in files silences the hooks of its agent's settings, or could.
    pub(crate) silencers: Option<fn(Scan<'_>) -> Vec<Silencer>>,
    pub(crate) servers: Option<&'static ServerFiles>,
    pub(crate) server_variables: ServerVariables,
    pub(crate) while_unread: Option<OnFailure>,
    pub(crate) timeout_key: &'static str,
    /// The values that matchers of an event can meet, where its agent has a closed list of them.
    pub(crate) subjects: fn(&str) -> &'static [&'static str],
    /// What the variables begin with that the agent keeps from its hooks.
    pub(crate) withheld: &'static [&'static str],
    /// Whether a first line of output asks for the background.
    pub(crate) detaches: fn(&[u8], Compat) -> bool,
    /// Whether its agent discards what a hook adds that its configuration detaches, unless the hook may wake the agent.
    pub(crate) discards_detached: bool,
    /// What becomes of an answer that slipped, and the slips that the agent does not mind.
    pub(crate) slips: SlipPolicy,
    pub(crate) counted_slips: &'static [SlipKind],
    /// What a model that serves as a hook is told, how its words are read, and how long a run may take.
    pub(crate) shape: fn(&Prompt, &EventRow) -> String,
    pub(crate) read_words: fn(&Prompt, &Event, &EventRow, &Report) -> Answer,
    pub(crate) timeout: fn(&Run, &EventRow) -> Duration,
    pub(crate) unreachable: fn(&Hook) -> Option<(String, &'static str)>,
    pub(crate) promise: fn(&Hook, &EventRow, &Failure) -> OnFailure,
    pub(crate) mode: fn(Phase) -> Mode,
    pub(crate) settle_layers: fn(&mut [(&Source, &mut ReadConfig)]),
    pub(crate) inherit: Inherit,
    /// What its agent leaves to a hook of its own file of which nobody says anything.
    pub(crate) sandbox: fn(&Hook, &Path) -> Sandbox,
    /// The layer whose sources come after all others.
    pub(crate) last_layer: Option<Layer>,
    pub(crate) condition: fn(&Node, &Source) -> Result<Condition, ConditionFault>,
    /// Whether the same entry in two of its files runs once.
    pub(crate) drops_repeats: bool,
    /// What its agent can be told of outcomes, where it is an agent that calls us.
    pub(crate) replies: Option<&'static Replies>,
    /// What its agent does where a hook gives no answer on the event of that neutral name.
    pub(crate) without_answer: fn(&str, &Failure) -> OnFailure,
    /// Whether `stop_hook_active` means that the end of the turn was put off before.
    pub(crate) says_stopped_before: bool,
    /// Whether an event is none: nobody did what it tells of.
    pub(crate) is_noise: fn(&Event) -> bool,
    /// The variables in which its agent names its project to hooks, the first that is set counts.
    pub(crate) project_variables: &'static [&'static str],
    /// Whether a call carries one id in the events before and after it, and each call that runs fires both (BR-93).
    pub(crate) pairs_calls: bool,
    /// What its agent runs of a project's files without asking a gate of tool calls.
    pub(crate) unasked: &'static [UnaskedFile],
    /// How its agent fills variables into requests.
    pub(crate) interpolation: Interpolation,
    /// Whether its agent asks again where a server redirects it.
    pub(crate) follows_redirects: bool,
    /// Whether its agent loads a source that was found, and runs the hooks in it.
    pub(crate) loads: fn(&Source, DialectId) -> bool,
}

impl Dialect {
    /// A dialect without peculiarities: no background by a first line, slips are not seen, rewriters see each other's work and
    /// gates run at once, layers add up, commands inherit everything.
    pub(crate) const fn of(core: Core) -> Self {
        Self {
            core,
            home_variable: None,
            is_toml: false,
            plugins: |_, _, _| Plugins::default(),
            silencers: None,
            servers: None,
            server_variables: ServerVariables::Everywhere,
            while_unread: Some(OnFailure::Ask),
            timeout_key: "timeout",
            subjects: |_| &[],
            withheld: &[],
            detaches: |_, _| false,
            discards_detached: false,
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
            project_variables: &[],
            pairs_calls: false,
            unasked: &[],
            interpolation: Interpolation::STRICT,
            follows_redirects: false,
            loads: |source, own| source.dialect == own,
        }
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dialect").field(&self.core.id).finish()
    }
}
