//! Whose hooks run behind an agent, and the note that leaves those of other agents out (BR-124). Writes nothing.

use std::collections::BTreeMap;

use tenterhook_core::agents::{AGENTS, Agent, Scope};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Arming, Layer};
use tenterhook_core::install::installed_events_and_commands;

use super::files::{
    Change, agent_file_path, is_agent_present, read_if_exists, read_or_problem,
    without_no_op_changes,
};
use crate::ambient::Here;
use crate::load::{self, Whose};
use crate::problem::Problem;
use crate::show::layout::format_count;

/// The text of the note. Its name says all that is read.
const NOTE: &str = "Hooks in files of other agents do not run behind this agent.\n";

/// Adds the marker file to the changes of an installation if `--only-own` is given; otherwise
/// removes it.
pub(super) fn with_only_own_marker_change(
    agent: &Agent,
    (scope, only_own): (Scope, bool),
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    if scope != Scope::User {
        return match only_own {
            false => Ok(changes),
            true => Err(Problem::new("`--only-own` is an option of your own installation")
                .with_help("leave `--scope` out")),
        };
    }
    let path = here.only_own_hooks_marker_path(agent.name);
    let before = read_or_problem(&path, here)?;
    let after = only_own.then(|| NOTE.to_owned());
    changes.extend(without_no_op_changes(vec![Change::of_private_file(path, before, after)]));
    Ok(changes)
}

/// Returns a line about an agent on this machine that runs this agent's file, too, and may give our
/// entries in it no event, so that they deny there (BR-171).
pub(super) fn other_reader_note(agent: &Agent, here: &Here) -> Option<String> {
    let may_starve = |reader: &&&Agent| {
        let mut rows = reader.reads.iter().filter(|row| row.owner == agent.name);
        rows.any(|row| !row.denial.is_empty()) && is_agent_present(reader, here)
    };
    let reader = AGENTS.iter().find(may_starve)?;
    let path = agent_file_path(reader, Scope::User, here)?;
    let text = read_if_exists(&path).ok().flatten().unwrap_or_default();
    let calls = installed_events_and_commands(reader, &text).is_ok_and(|all| !all.is_empty());
    (!calls).then(|| {
        format!(
            "{title} reads this file, too, and our entries deny where it gives them no event: `tenterhook install {name} --experimental` makes \
             {title} call Tenterhook itself",
            title = reader.title,
            name = reader.name,
        )
    })
}

/// Returns one line about the hooks of other files that run behind an agent; `None` without such
/// hooks.
pub(super) fn other_hooks_note(
    agent: &Agent,
    scope: Scope,
    only_own: bool,
    here: &Here,
) -> Option<String> {
    let agent_id = DialectId::agents().find(|id| id.as_str() == agent.name)?;
    let mut loaded = load::read_sources(&[], Whose::Unsaid, here);
    let ruleset = loaded.build_engine(|builder| builder.behind(agent_id)).ruleset();
    let mut others: BTreeMap<String, (usize, Option<&str>)> = BTreeMap::new();
    for hook in ruleset.hooks() {
        let is_other = load::is_hook_for_other_agent(hook.dialect, hook.layer, agent_id);
        // The agent's own hooks, e.g. moved ones, run as before.
        let is_listed = hook.layer != Layer::BuiltIn && hook.dialect != agent_id;
        let runs = hook.arming == Arming::Armed && is_listed;
        let Some(place) = hook.place.as_ref().filter(|_| runs) else { continue };
        let written_for = is_other.then(|| hook.dialect.dialect().calling_agent_title()).flatten();
        let shown = loaded.texts.display_name(&place.file).to_owned();
        others.entry(shown).or_insert((0, written_for)).0 += 1;
    }
    others.retain(|_, (_, written_for)| !only_own || written_for.is_none());
    let has_others = others.values().any(|(_, written_for)| written_for.is_some());
    let each: Vec<String> = others
        .into_iter()
        .map(|(file, (hooks, written_for))| match written_for {
            Some(other) => {
                format!("`{file}` ({}, written for {other})", format_count(hooks, "hook"))
            }
            None => format!("`{file}` ({})", format_count(hooks, "hook")),
        })
        .collect();
    let offer = match has_others && scope == Scope::User {
        true => format!(
            "; `tenterhook install {} --only-own` leaves out what was written for other agents",
            agent.name
        ),
        false => String::new(),
    };
    let files = each.join(", ");
    (!each.is_empty())
        .then(|| format!("behind {}, Tenterhook runs here {files}{offer}", agent.title))
}

/// Adds the removal of an agent's marker file to the changes of `uninstall`.
pub(super) fn with_only_own_marker_removal(
    agent: &Agent,
    scope: Scope,
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    if scope == Scope::User {
        let path = here.only_own_hooks_marker_path(agent.name);
        let before = read_or_problem(&path, here)?;
        changes.extend(without_no_op_changes(vec![Change::of_private_file(path, before, None)]));
    }
    Ok(changes)
}
