//! What does the installed version of an agent leave open because it lacks an event, and which key closes it?

use tenterhook_core::agents::{Agent, Event};
use tenterhook_core::install;

use super::super::presence::{Presence, parse_version};
use super::Found;
use crate::ambient::Here;

/// An event that the installed version lacks, or may lack.
pub(super) struct Lacking {
    /// The gap, with the version that closes it.
    pub(super) gap: String,
    /// The key that closes it in any version.
    pub(super) offer: String,
}

/// Returns the events that the agent's version lacks, or may lack if the version is unknown, unless
/// a settings file closes the gap.
pub(super) fn events_agent_version_lacks(
    agent: &Agent,
    found: &[Found],
    here: &Here,
) -> Vec<Lacking> {
    let presence = Presence::find(agent, here);
    let version = presence.oldest_version();
    let lacks = |event: &&Event| {
        let Some((since, key)) = event.since else { return false };
        let is_older = version.is_none_or(|version| parse_version(version) < parse_version(since));
        let closes = |file: &Found| {
            let switched = install::find_hook_switch(agent, &[key], &file.text);
            switched.is_some_and(|switch| switch.off)
                && !install::agent_may_reject_settings(agent, &file.text)
        };
        is_older && !found.iter().any(closes)
    };
    let lacking = agent.installation.events.iter().filter(lacks).filter_map(|event| {
        let (since, (path, value)) = event.since?;
        let which = match version {
            Some(version) => format!("version {version} is installed, and {since} asks hooks"),
            None => format!("before version {since}; the installed version cannot be found"),
        };
        Some(Lacking {
            gap: format!("{} ({which})", event.open_before),
            offer: format!("write `\"{}\": {value}` into its settings", path.join(".")),
        })
    });
    lacking.collect()
}

/// Returns a note if the installed version does not know an event that `install` registers: it says
/// so at its start, and skips the entry (BR-92).
pub(in crate::command) fn events_unknown_to_version_note(
    agent: &Agent,
    here: &Here,
) -> Option<String> {
    let version = installed_version(agent, here)?;
    let is_unknown = |event: &&Event| {
        event.since.is_some_and(|(since, _)| parse_version(&version) < parse_version(since))
    };
    let event = agent.installation.events.iter().find(is_unknown)?;
    let (since, _) = event.since?;
    let (title, name) = (agent.title, event.name);
    Some(format!(
        "{title} {version} warns of `{name}`, an event that it does not know, and skips that entry; {title} {since} knows it"
    ))
}

/// Returns the version of the agent's program that starts first.
pub(crate) fn installed_version(agent: &Agent, here: &Here) -> Option<String> {
    Presence::find(agent, here).version().map(str::to_owned)
}
