//! Would a configured hook have run for a recorded call? Reported if the call has no firing on record. Runs no hook.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tenterhook::session::View;
use tenterhook_core::config::{Ruleset, Source, is_tenterhook_entry};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Event;
use tenterhook_core::hook::Hook;
use tenterhook_core::plan;
use tenterhook_core::transcript::TranscriptAgent;

use crate::ambient::Here;
use crate::args::Which;
use crate::command::status;
use crate::load;
use crate::problem::Problem;

/// What the configuration says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// A hook would be asked.
    Asked,
    /// A hook matches, and the agent starts neither it nor this program.
    NotCalled,
    /// No hook matches.
    Unmatched,
}

/// The hooks that are configured here, and which of them each agent has asked.
pub(super) struct Configured {
    ruleset: Arc<Ruleset>,
    /// The agents that call this program, for every hook.
    calling: HashSet<TranscriptAgent>,
    /// The files whose hooks an agent starts by itself.
    own: HashMap<TranscriptAgent, HashSet<String>>,
}

impl Configured {
    pub(super) fn load(here: &Here) -> Result<Self, Problem> {
        let which = Which { config: Vec::new(), dialect: None, compat: None };
        let mut loaded = load::load_hooks(&which, here)?;
        let own = |agent: TranscriptAgent| {
            let dialect = DialectId::from_name(agent.key()).map(DialectId::dialect);
            let loads = |source: &&Source| dialect.is_some_and(|by| by.loads_source(source));
            loaded.sources.iter().filter(loads).map(|source| source.name.to_string()).collect()
        };
        let own = TranscriptAgent::ALL.into_iter().map(|agent| (agent, own(agent))).collect();
        // The reference agent is an engine itself.
        let calls = |agent: &TranscriptAgent| {
            *agent == TranscriptAgent::Tenterhook
                || status::is_tenterhook_called_by_agent(agent.key(), here)
        };
        let calling = TranscriptAgent::ALL.into_iter().filter(calls).collect();
        Ok(Self { ruleset: loaded.build_engine(|builder| builder).ruleset(), calling, own })
    }

    pub(super) fn coverage_of_event(&self, agent: TranscriptAgent, event: &Event) -> Coverage {
        let explained = plan::explain(&self.ruleset, &View::default(), event);
        let mut matching = explained
            .iter()
            .filter(|(hook, why)| why.selected && !is_tenterhook_entry(&hook.run))
            .peekable();
        if matching.peek().is_none() {
            return Coverage::Unmatched;
        }
        match matching.any(|(hook, _)| self.is_hook_run_for_agent(agent, hook)) {
            true => Coverage::Asked,
            false => Coverage::NotCalled,
        }
    }

    fn is_hook_run_for_agent(&self, agent: TranscriptAgent, hook: &Hook) -> bool {
        let is_own = |files: &HashSet<String>| {
            hook.place.as_ref().is_some_and(|location| files.contains(&*location.file))
        };
        self.calling.contains(&agent) || self.own.get(&agent).is_some_and(is_own)
    }
}
