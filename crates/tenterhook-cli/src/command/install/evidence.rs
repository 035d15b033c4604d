//! Agents that were never run with Tenterhook: `install` asks for `--experimental` before it
//! registers hooks with one (BR-170). Writes nothing.

use tenterhook_core::agents::Agent;

use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::term::Term;

/// Returns an error that names the flag if one of the agents was never run and the flag is not
/// given.
pub(super) fn require_experimental_flag(
    agents: &[&'static Agent],
    is_given: bool,
) -> Result<(), Problem> {
    let mut read = agents.iter().filter_map(|agent| read_agent(agent));
    match read.next().filter(|_| !is_given) {
        None => Ok(()),
        Some((agent, source)) => Err(Problem::new(format!(
            "{} was never run with Tenterhook: its hooks are known only from {source}",
            agent.title
        ))
        .with_help(format!(
            "a denial may not reach it; `tenterhook install {} --experimental` installs all the same",
            agent.name
        ))),
    }
}

/// Leaves the agents that were never run out of `install --all` unless the flag is given, with a
/// note about each.
pub(super) fn without_read_agents(
    agents: Vec<&'static Agent>,
    is_given: bool,
    term: Term,
) -> Vec<&'static Agent> {
    let (read, installed): (Vec<&'static Agent>, Vec<&'static Agent>) =
        agents.into_iter().partition(|agent| !is_given && read_agent(agent).is_some());
    for (agent, source) in read.iter().filter_map(|agent| read_agent(agent)) {
        let text = format!(
            "{} is left out: its hooks are known only from {source}; `--experimental` installs there, too",
            agent.title
        );
        term.print_labelled_note(WARNING, "note:", &text);
    }
    installed
}

/// Returns an agent that was never run, and where the facts about it were read.
fn read_agent(agent: &'static Agent) -> Option<(&'static Agent, &'static str)> {
    Some((agent, agent.evidence.source_if_only_read()?))
}

#[cfg(test)]
mod tests {
    use tenterhook_core::agents::{AGENTS, Evidence};

    use super::*;

    /// BR-170.
    #[test]
    fn agent_known_from_documents_is_refused_without_flag() {
        let known: &'static Agent = AGENTS[1];
        let read: &'static Agent = Box::leak(Box::new(Agent {
            name: "example",
            title: "Example",
            evidence: Evidence::Read { source: "its documents of 2026-11" },
            ..*known
        }));
        let problem = require_experimental_flag(&[known, read], false).expect_err("a refusal");
        let text = format!("{problem:?}");
        for part in ["Example", "its documents of 2026-11", "install example --experimental"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(require_experimental_flag(&[known, read], true).is_ok());
        assert!(require_experimental_flag(&[known], false).is_ok());
    }
}
