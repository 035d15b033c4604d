//! Does a pack of rules count here, for a call of an agent? Reads the configuration as such a call does; runs nothing.

use tenterhook::engine::Builder;
use tenterhook_core::agents::{Agent, Unhooked};
use tenterhook_core::hook::{Arming, Hook};

use crate::ambient::Here;
use crate::args::Which;
use crate::load;

/// What an agent leaves open, and whether the pack that asks before it is on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    pub(crate) of: &'static Unhooked,
    pub(crate) is_held: bool,
}

/// All that the agent leaves open in this way.
pub(crate) fn openings(agent: &'static Agent, here: &Here) -> Vec<Opening> {
    let opening = |of| Opening { of, is_held: is_on(of.pack, here) };
    agent.installation.unhooked.iter().map(opening).collect()
}

/// Whether any rule of the pack counts.
fn is_on(pack: &str, here: &Here) -> bool {
    let which = Which { config: Vec::new(), dialect: None, compat: None };
    let Ok(mut loaded) = load::load(&which, here) else { return false };
    let start = format!("{pack}/");
    let counts = |hook: &Hook| {
        let armed = matches!(hook.arming, Arming::Armed);
        armed && !hook.enforcement.is_shadow() && hook.id.as_str().starts_with(&start)
    };
    loaded.engine(Builder::self_protection).ruleset().hooks().iter().any(|hook| counts(hook))
}

impl Opening {
    /// What closes it, in words for people.
    pub(crate) fn offer(&self) -> String {
        format!("`tenterhook rules add {}` asks before that begins", self.of.pack)
    }

    /// What it is, and what holds it.
    pub(crate) fn closed_by(&self) -> String {
        format!("{}: `{}` asks before that begins", self.of.gap, self.of.pack)
    }
}
