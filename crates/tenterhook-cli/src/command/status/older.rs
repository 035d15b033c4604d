//! What does the installed version of an agent leave open because it lacks an event, and which key closes it? Finds the version
//! without starting the agent.

use std::path::Path;

use serde_json::Value;
use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Event};
use tenterhook_core::install;

use super::super::install::files::find_on_path;
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
    let version = installed_version(agent, here);
    let lacks = |event: &&Event| {
        let Some((since, key)) = event.since else { return false };
        let is_older =
            version.as_deref().is_none_or(|version| parse_version(version) < parse_version(since));
        let closes = |file: &Found| {
            let switched = install::find_hook_switch(agent, &[key], &file.text);
            switched.is_some_and(|switch| switch.off)
                && !install::agent_may_reject_settings(agent, &file.text)
        };
        is_older && !found.iter().any(closes)
    };
    let lacking = agent.installation.events.iter().filter(lacks).filter_map(|event| {
        let (since, (path, value)) = event.since?;
        let which = match &version {
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

/// Returns the version of the agent's program: the file name of a symlink's target, or the version
/// of the package around it.
pub(crate) fn installed_version(agent: &Agent, here: &Here) -> Option<String> {
    let program = find_on_path(agent.program_name(), here).next()?.canonicalize().ok()?;
    let name = program.file_name().and_then(|name| name.to_str());
    let named = name.filter(|name| parse_version(name).is_some()).map(str::to_owned);
    named.or_else(|| program.ancestors().skip(1).take(4).find_map(version_in_package_json))
}

fn version_in_package_json(directory: &Path) -> Option<String> {
    let text = discover::read_config_file(&directory.join("package.json")).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    let version = package.get("version")?.as_str()?;
    parse_version(version).map(|_| version.to_owned())
}

/// Parses a version into its numbers.
fn parse_version(version: &str) -> Option<Vec<u64>> {
    let plain = version.split(['-', '+']).next()?;
    let numbers: Option<Vec<u64>> = plain.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}
