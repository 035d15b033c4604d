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
    Candidate, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins, Roots, Scan,
    ServerFiles, ServerVariables, Silencer, SlipPolicy, native, rule,
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
    /// What in files silences the hooks of its agent's settings, or could.
    pub(super) silencers: Option<fn(Scan<'_>) -> Vec<Silencer>>,
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
    /// Whether its agent discards what a hook adds that its configuration detaches, unless the hook may wake the agent.
    pub(super) discards_detached: bool,
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
    /// The variables in which its agent names its project to hooks, the first that is set counts.
    pub(super) project_variables: &'static [&'static str],
    /// Whether a call carries one id in the events before and after it, and each call that runs fires both (BR-93).
    pub(super) pairs_calls: bool,
    /// What its agent runs of a project's files without asking a gate of tool calls.
    pub(super) unasked: &'static [UnaskedFile],
    /// How its agent fills variables into requests.
    pub(super) interpolation: Interpolation,
    /// Whether its agent asks again where a server redirects it.
    pub(super) follows_redirects: bool,
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
