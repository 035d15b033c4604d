//! `install` and `uninstall`: make an agent call Tenterhook, and undo that. The library decides what is written.
//!
//! Nothing is written before all of it is known to be right, and a file that changed meanwhile is left (BR-60, BR-63).

mod adopt;
mod behind;
mod beside;
mod evidence;
pub(super) mod files;
pub(super) mod listed;
mod made;
mod program;
pub(super) mod switches;

use std::path::Path;

use tenterhook_core::agents::{Agent, Approvals, Scope, agents_with_hook_installation};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::install::foreign_entries;

use super::change::{replace_text_atomically, write_new_file_atomically};
use super::presence::Presence;
use super::status;
use crate::ambient::Here;
use crate::args::{Install, ScopeArg, Uninstall};
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::openings::find_tools_unseen_by_hooks;
use crate::person;
use crate::problem::Problem;
use crate::show::diff;
use crate::show::layout::format_count;
use crate::show::paint::{BOLD, DIM, GOOD, HELP, WARNING, paint};
use crate::term::Term;
use files::Change;

pub(crate) fn run_install(args: &Install, here: &Here, term: Term) -> Result<Exit, Problem> {
    let scope = scope_from_arg(args.scope);
    let agents = match args.all {
        true => {
            let present = agents_with_hook_installation()
                .filter(|agent| files::is_agent_present(agent, here) && can_call_tenterhook(agent));
            evidence::without_read_agents(present.collect(), args.experimental, term)
        }
        false => agents_without_repeats(&args.agents),
    };
    evidence::require_experimental_flag(&agents, args.experimental)?;
    if agents.is_empty() {
        let names: Vec<&str> = agents_with_hook_installation().map(|caller| caller.name).collect();
        return Err(Problem::new("no agent that can call Tenterhook is found here")
            .with_help(format!("name one: {}", names.join(", "))));
    }
    if scope == Scope::User {
        here.require_home()?;
    }
    let program = program::program_path_to_register(args.program.as_deref(), scope, here)?;
    // `--print` may prepare the entries of another machine.
    if scope == Scope::Managed && !args.print {
        program::require_program_for_all_users(Path::new(&program), here)?;
    }
    // All of it is right, or nothing is written. The changes are found again when they are applied:
    // the installation before may have written the notes for `uninstall`, which all share.
    let plan = plan_changes(&agents, args.all, |agent| {
        changes_for_agent(agent, args, (scope, &program), here)
    })?;
    if args.dry_run {
        // Before the notes about the agents, which would scroll away.
        plan.changes.iter().try_for_each(|changes| print_diffs(changes, here, term))?;
    }
    for agent in &plan.agents {
        let changes = changes_for_agent(agent, args, (scope, &program), here)?;
        print_or_apply_install(agent, &changes, args, (scope, here), term)?;
    }
    Ok(plan.print_refusals(term))
}

/// The agents whose files can be changed, and why those of others cannot.
struct Plan {
    agents: Vec<&'static Agent>,
    changes: Vec<Vec<Change>>,
    refusals: Vec<(&'static Agent, Problem)>,
}

/// Finds the changes of each agent. If one cannot be changed, that is an error, or with `goes_on` a
/// refusal beside the changes of the others (BR-63).
fn plan_changes(
    agents: &[&'static Agent],
    goes_on: bool,
    changes: impl Fn(&'static Agent) -> Result<Vec<Change>, Problem>,
) -> Result<Plan, Problem> {
    let mut plan = Plan { agents: Vec::new(), changes: Vec::new(), refusals: Vec::new() };
    for agent in agents {
        match changes(agent) {
            Ok(changes) => {
                plan.agents.push(agent);
                plan.changes.push(changes);
            }
            Err(problem) if goes_on => plan.refusals.push((agent, problem)),
            Err(problem) => return Err(problem),
        }
    }
    Ok(plan)
}

impl Plan {
    /// Prints why agents were left out, after what was done, and returns the exit code.
    fn print_refusals(self, term: Term) -> Exit {
        let exit = if self.refusals.is_empty() { Exit::Good } else { Exit::Wrong };
        for (agent, problem) in self.refusals {
            let message = format!("{} is left as it is: {}", agent.title, problem.message);
            let help = problem.help.map(|help| help.replace("nothing was changed; ", ""));
            term.print_problem(&Problem { message, help });
        }
        exit
    }
}

/// Returns the changes that make an agent call this program.
fn changes_for_agent(
    agent: &'static Agent,
    args: &Install,
    (scope, program): (Scope, &str),
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    if !can_call_tenterhook(agent) {
        let title = agent.title;
        return Err(Problem::new(format!("{title} cannot be answered by this version")));
    }
    let changes = match args.adopt {
        true => adopt::changes_for_adoption(agent, scope, program, here)?,
        false => files::changes_for_install(agent, scope, program, here)?,
    };
    let changes = listed::with_plugin_listed(agent, scope, changes, here)?;
    let changes =
        beside::with_changes_against_silencing(agent, (scope, args.guard), changes, here)?;
    behind::with_only_own_marker_change(agent, (scope, args.only_own), changes, here)
}

/// Prints or applies the changes for an agent, and prints what the user has to do next.
fn print_or_apply_install(
    agent: &'static Agent,
    changes: &[Change],
    args: &Install,
    (scope, here): (Scope, &Here),
    term: Term,
) -> Result<(), Problem> {
    if args.print {
        return print_changes(agent, changes, here, term);
    }
    // The directory of an agent is there after `install`, whether or not the agent is.
    let parts = Presence::find(agent, here).notes(agent, here);
    apply_changes(agent, changes, args.dry_run, "installed", here, term)?;
    for note in parts {
        term.print_labelled_note(WARNING, "note:", &note);
    }
    let notes = [
        behind::other_hooks_note(agent, scope, args.only_own, here),
        behind::other_reader_note(agent, here),
        foreign_entries_note(agent, scope, args, here),
        status::events_unknown_to_version_note(agent, here),
    ];
    for note in notes.into_iter().flatten() {
        term.print_labelled_note(WARNING, "note:", &note);
    }
    if !args.dry_run {
        beside::verify_written_settings(agent, scope, here)?;
        for note in beside::messages_about_guard(agent, (scope, args.guard), here) {
            term.print_labelled_note(WARNING, "note:", &note);
        }
        if args.adopt {
            for policy in adopt::adopted_settings_policy_lines(agent, here) {
                term.print_labelled_note(WARNING, "note:", &policy);
            }
        }
        if let Some(off) = status::off_switch_warning(agent, here) {
            term.print_labelled_note(WARNING, "warning:", &off);
        }
        for open in
            find_tools_unseen_by_hooks(agent, here).iter().filter(|opening| !opening.is_held)
        {
            let lead = paint(WARNING, "not covered:");
            term.print_data(&format!("  {lead} {}; {}\n", open.of.gap, open.hint_to_cover_gap()))?;
        }
        term.print_data(&format!(
            "  {} {}\n",
            paint(HELP, "next:"),
            next_step_for_user(agent, scope)
        ))?;
    }
    Ok(())
}

/// Describes what the user has to do next.
fn next_step_for_user(agent: &Agent, scope: Scope) -> String {
    if agent.installation.approvals != Approvals::NotNeeded
        && agent.installation.approvals_file(scope).is_none()
    {
        return format!("{} reads it at the next start, without asking for approval", agent.title);
    }
    agent.installation.next.to_owned()
}

pub(crate) fn run_uninstall(args: &Uninstall, here: &Here, term: Term) -> Result<Exit, Problem> {
    match (args.dry_run, args.purge) {
        (true, _) => {}
        (false, true) => person::require_person_at_terminal("tenterhook uninstall --purge", here)?,
        // Without a terminal it works, because a user's own script may call it.
        (false, false) => person::require_no_calling_agent("tenterhook uninstall", here)?,
    }
    let scope = scope_from_arg(args.scope);
    let agents = if args.all {
        agents_with_hook_installation().collect()
    } else {
        agents_without_repeats(&args.agents)
    };
    let agents = agents
        .into_iter()
        .filter(|agent| !args.all || files::agent_file_path(agent, scope, here).is_some());
    let agents: Vec<&'static Agent> = agents.collect();
    // As for `install`.
    let plan = plan_changes(&agents, args.all, |agent| changes_without_agent(agent, scope, here))?;
    if args.dry_run {
        plan.changes.iter().try_for_each(|changes| print_diffs(changes, here, term))?;
    }
    for agent in &plan.agents {
        let changes = changes_without_agent(agent, scope, here)?;
        if !(args.all && changes.is_empty()) {
            apply_changes(agent, &changes, args.dry_run, "uninstalled", here, term)?;
        }
    }
    if args.purge && plan.refusals.is_empty() {
        purge_state(args.dry_run, here, term)?;
    } else if here.state.is_dir() && !args.dry_run {
        let shown = shorten_path(&here.state.to_string_lossy(), &here.roots);
        let text = format!(
            "records and approvals stay in `{shown}`; `tenterhook uninstall --all --purge` removes them"
        );
        term.print_labelled_note(HELP, "note:", &text);
    }
    Ok(plan.print_refusals(term))
}

/// Returns the changes that remove what `install` wrote for an agent.
fn changes_without_agent(
    agent: &'static Agent,
    scope: Scope,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let mut changes = match adopt::changes_to_undo_adoption(agent, scope, here)? {
        Some(changes) => changes,
        None => files::changes_for_uninstall(agent, scope, here)?,
    };
    if !changes.iter().any(|change| adopt::is_backup_file(&change.path, here)) {
        changes.extend(adopt::changes_removing_leftover_notes(agent, scope, here)?);
    }
    let changes = listed::with_plugin_unlisted(agent, scope, changes, here)?;
    let changes = beside::with_guard_and_settings_removal(agent, scope, changes, here)?;
    behind::with_only_own_marker_removal(agent, scope, changes, here)
}

/// Removes the state directory: records, approvals, sessions and notes (BR-126). The caller has
/// checked that a person asks for it.
fn purge_state(dry: bool, here: &Here, term: Term) -> Result<(), Problem> {
    let shown = shorten_path(&here.state.to_string_lossy(), &here.roots);
    if !here.state.is_dir() || here.state.is_symlink() {
        return term.print_data(&format!("`{shown}` is no directory: nothing to remove\n"));
    }
    if dry {
        return term.print_data(&format!("would remove `{shown}`\n"));
    }
    std::fs::remove_dir_all(&here.state)
        .map_err(|error| Problem::new(format!("`{shown}` cannot be removed: {error}")))?;
    term.print_data(&format!("removed `{shown}`\n"))
}

pub(super) const fn scope_from_arg(given: ScopeArg) -> Scope {
    match given {
        ScopeArg::User => Scope::User,
        ScopeArg::Project => Scope::Project,
        ScopeArg::Managed => Scope::Managed,
    }
}

/// Returns whether `tenterhook hook` supports the agent: entries that cannot be answered would deny
/// everything.
pub(super) fn can_call_tenterhook(agent: &Agent) -> bool {
    DialectId::agents().any(|dialect_id| dialect_id.as_str() == agent.name)
}

/// Returns the named agents without repetitions, in their order.
pub(super) fn agents_without_repeats(named: &[&'static Agent]) -> Vec<&'static Agent> {
    let mut agents: Vec<&'static Agent> = Vec::new();
    for agent in named {
        if agents.iter().all(|known| known.name != agent.name) {
            agents.push(agent);
        }
    }
    agents
}

/// Returns the changes of files that people read: stored backups are not settings.
fn settings_changes<'a>(
    changes: &'a [Change],
    here: &'a Here,
) -> impl Iterator<Item = &'a Change> + Clone {
    changes.iter().filter(|change| !adopt::is_backup_file(&change.path, here))
}

/// Returns the unified diff of a change.
fn diff_of_change(change: &Change, here: &Here) -> String {
    let shown = shorten_path(&change.path.to_string_lossy(), &here.roots);
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    diff::unified_diff(&shown, before.unwrap_or_default(), after.unwrap_or_default())
}

fn print_diffs(changes: &[Change], here: &Here, term: Term) -> Result<(), Problem> {
    settings_changes(changes, here)
        .try_for_each(|change| term.print_data(&format!("{}\n", diff_of_change(change, here))))
}

/// Describes a change in one line: the file, and how many lines come and go.
fn change_summary(change: &Change, here: &Here) -> String {
    let shown = shorten_path(&change.path.to_string_lossy(), &here.roots);
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let (added, removed) =
        diff::count_changed_lines(before.unwrap_or_default(), after.unwrap_or_default());
    let what = match (before, after) {
        (None, _) => format!("new, {}", format_count(added, "line")),
        (_, None) => "removed".to_owned(),
        _ => format!("{} added, {removed} removed", format_count(added, "line")),
    };
    format!("{shown}: {what}")
}

/// Applies the changes, unless this is a dry run, and prints a line for each file.
fn apply_changes(
    agent: &Agent,
    changes: &[Change],
    dry: bool,
    done: &str,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    if changes.is_empty() {
        return term.print_data(&format!("{}: nothing to change\n", paint(BOLD, agent.title)));
    }
    let settings = settings_changes(changes, here);
    let files = match settings.clone().count() {
        0 => "no file".to_owned(),
        files => format_count(files, "file"),
    };
    for change in changes.iter().filter(|change| change.after.is_none()) {
        remove_symlink(&change.path, here, term);
    }
    if dry {
        return term.print_data(&format!("{}: would change {files}\n", paint(BOLD, agent.title)));
    }
    let lines: Vec<String> = settings.map(|change| change_summary(change, here)).collect();
    for change in changes {
        write_change(change, here).map_err(|error| {
            let shown = shorten_path(&change.path.to_string_lossy(), &here.roots);
            Problem::new(format!("`{shown}` cannot be written: {error}"))
        })?;
    }
    for line in lines {
        term.print_data(&format!("{}\n", paint(DIM, line)))?;
    }
    term.print_data(&format!("{}: {} ({files})\n", paint(BOLD, agent.title), paint(GOOD, done)))
}

/// Removes a symlink at the path of one of our files. Its target belongs to the user and stays
/// (BR-77).
fn remove_symlink(path: &Path, here: &Here, term: Term) {
    if let Ok(to) = std::fs::read_link(path) {
        let (shown, to) =
            (shorten_path(&path.to_string_lossy(), &here.roots), to.to_string_lossy());
        let text = format!("`{shown}` is a link: the link goes, and `{to}` stays as it is");
        term.print_labelled_note(WARNING, "note:", &text);
    }
}

fn write_change(change: &Change, here: &Here) -> std::io::Result<()> {
    if files::read_if_exists(&change.path)? != change.before {
        return Err(std::io::Error::other("it was changed meanwhile; try again"));
    }
    match (&change.before, &change.after) {
        (Some(_), Some(after)) => replace_text_atomically(&change.path, after)?,
        (None, Some(after)) => {
            let missing = made::missing_folders(&change.path);
            let written = write_new_file_atomically(&change.path, after, change.readers);
            made::record_created_folders(missing, here);
            written?;
        }
        (_, None) => {
            std::fs::remove_file(&change.path)?;
            made::remove_created_empty_folders(&change.path, here);
        }
    }
    if change.is_script && change.after.is_some() {
        crate::executable::make_executable(&change.path)?;
    }
    Ok(())
}

fn print_changes(
    agent: &Agent,
    changes: &[Change],
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    if changes.is_empty() {
        term.print_note(&format!("{}: nothing to change", paint(BOLD, agent.title)));
    }
    for change in changes.iter().filter(|change| !adopt::is_backup_file(&change.path, here)) {
        let shown = shorten_path(&change.path.to_string_lossy(), &here.roots);
        term.print_note(&paint(DIM, shown).to_string());
        term.print_data(change.after.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

/// Returns a note about the user's own entries in the file, which the agent runs itself, by its
/// rules (BR-66).
fn foreign_entries_note(
    agent: &Agent,
    scope: Scope,
    args: &Install,
    here: &Here,
) -> Option<String> {
    let path = files::agent_file_path(agent, scope, here)
        .filter(|_| agent.installation.form.is_shared_file())?;
    let text = files::read_if_exists(&path).ok()??;
    let others = foreign_entries(agent, &text).unwrap_or_default().len();
    // A dry run with `--adopt` shows in its diff which of them would move.
    if others == 0 || args.dry_run && args.adopt {
        return None;
    }
    let hooks = format_count(others, "hook");
    let may_move = !args.adopt && scope == Scope::User && agent.installation.form.is_shared_json();
    let moves = match may_move {
        false => String::new(),
        true => format!("; `tenterhook install {} --adopt` moves what can be moved", agent.name),
    };
    Some(format!(
        "`{}` holds {hooks} that {} runs itself, by its own rules, and Tenterhook does not{moves}",
        shorten_path(&path.to_string_lossy(), &here.roots),
        agent.title
    ))
}
