//! Is it a person who says this? Asked by commands that loosen a guard; an agent says a lot.

use std::io::{self, IsTerminal};

use tenterhook::internal::exemptions::lineage;

use crate::ambient::Here;
use crate::problem::Problem;
use crate::show::layout;

/// What a person does instead.
const OWN: &str = "run it in a terminal of your own, beside the agent";

/// Refuses where no person can be meant: below an agent whose hooks were called, and without a terminal. No option says
/// otherwise: whatever a person's script may say, an agent may say too.
pub(crate) fn require_terminal(what: &str, here: &Here) -> Result<(), Problem> {
    is_no_agent(what, here)?;
    if !io::stdin().is_terminal() {
        let message = format!("`{what}` is refused: standard input is not a terminal");
        return Err(Problem::new(message).help(OWN));
    }
    Ok(())
}

/// Refuses below an agent whose hooks were called. A script of a person's own may say this, if it names what it means.
pub(crate) fn is_no_agent(what: &str, here: &Here) -> Result<(), Problem> {
    let Some(agent) = lineage::agent_above(&here.state) else { return Ok(()) };
    let called = std::fs::read_to_string(format!("/proc/{agent}/comm")).unwrap_or_default();
    let called = layout::line(called.trim());
    let message = format!(
        "`{what}` is refused: process {agent} ({called}) is above this one, and calls hooks as an agent does"
    );
    Err(Problem::new(message).help(OWN))
}
