//! Is it a person who says this? Asked by commands that loosen a guard; an agent says a lot.

use std::io::{self, IsTerminal};

use tenterhook::internal::exemptions::lineage;

use crate::ambient::Here;
use crate::problem::Problem;
use crate::show::layout;

/// What a person does instead.
const OWN: &str = "run it in a terminal of your own, beside the agent";

/// Returns an error below an agent whose hooks were called, and without a terminal: the caller may
/// not be a person. No option overrides this, because an agent could use it too.
pub(crate) fn require_person_at_terminal(what: &str, here: &Here) -> Result<(), Problem> {
    require_no_calling_agent(what, here)?;
    if !io::stdin().is_terminal() {
        let message = format!("`{what}` is refused: standard input is not a terminal");
        return Err(Problem::new(message).with_help(OWN));
    }
    Ok(())
}

/// Returns an error below an agent whose hooks were called. A user's own script may call this, if
/// it names what it means.
pub(crate) fn require_no_calling_agent(what: &str, here: &Here) -> Result<(), Problem> {
    let Some(agent) = lineage::recorded_agent_ancestor_id(&here.state) else { return Ok(()) };
    let called = std::fs::read_to_string(format!("/proc/{agent}/comm")).unwrap_or_default();
    let called = layout::to_safe_line(called.trim());
    let message = format!(
        "`{what}` is refused: process {agent} ({called}) is above this one, and calls hooks as an agent does"
    );
    Err(Problem::new(message).with_help(OWN))
}
