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

/// Returns the tools of the agent that no hook sees, and whether a rule pack covers each.
pub(crate) fn find_tools_unseen_by_hooks(agent: &'static Agent, here: &Here) -> Vec<Opening> {
    let opening = |of| Opening { of, is_held: is_pack_active(of.pack, here) };
    agent.installation.unhooked.iter().map(opening).collect()
}

/// Returns whether any rule of the pack applies.
fn is_pack_active(pack: &str, here: &Here) -> bool {
    let which = Which { config: Vec::new(), dialect: None, compat: None };
    let Ok(mut loaded) = load::load_hooks(&which, here) else { return false };
    let start = format!("{pack}/");
    let counts = |hook: &Hook| {
        let armed = matches!(hook.arming, Arming::Armed);
        armed && !hook.enforcement.is_shadow() && hook.id.as_str().starts_with(&start)
    };
    loaded.build_engine(Builder::self_protection).ruleset().hooks().iter().any(|hook| counts(hook))
}

impl Opening {
    /// Describes how to cover this gap.
    pub(crate) fn hint_to_cover_gap(&self) -> String {
        format!("`tenterhook rules add {}` asks before that begins", self.of.pack)
    }

    /// Describes this gap, and the pack that covers it.
    pub(crate) fn gap_and_covering_pack(&self) -> String {
        format!("{}: `{}` asks before that begins", self.of.gap, self.of.pack)
    }
}
