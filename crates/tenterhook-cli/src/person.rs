//! Is it a person who says this? Asked by commands that loosen a guard; an agent says a lot.

use std::io::{self, IsTerminal};

use tenterhook::leave::{lineage, state_directory};

use crate::ambient::Here;
use crate::problem::Problem;

/// Refuses where no person can be meant: below an agent whose hooks were called, and without a terminal. No option says
/// otherwise: whatever a person's script may say, an agent may say too.
pub(crate) fn is_meant(what: &str, here: &Here) -> Result<(), Problem> {
    let own = "run it in a terminal of your own, beside the agent";
    let state = state_directory(&here.env, &here.roots.home);
    if let Some(agent) = lineage::agent_above(&state) {
        let message = format!("`{what}` is refused: process {agent}, an agent, is above this one");
        return Err(Problem::new(message).help(own));
    }
    if !io::stdin().is_terminal() {
        let message = format!("`{what}` is refused: standard input is no terminal");
        return Err(Problem::new(message).help(own));
    }
    Ok(())
}
