//! `install` and `uninstall`: make an agent call Tenterhook, and undo that. The library decides what is written.
//!
//! Nothing is written before all of it is known to be right, and a file that changed meanwhile is left (BR-60, BR-63).

mod adopt;
mod behind;
mod beside;
pub(super) mod files;
mod made;
mod program;
pub(super) mod switches;

use std::path::Path;

use tenterhook_core::agents::{Agent, Form, Scope, caller, callers};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::install::foreign;

use super::change::{write_in_place, write_new};
use super::status;
use crate::ambient::Here;
use crate::args::{Install, ScopeArg, Uninstall};
use crate::exit::Exit;
use crate::load::shorten;
use crate::openings::openings;
use crate::person;
use crate::problem::Problem;
use crate::show::diff;
use crate::show::layout::count;
use crate::show::paint::{BOLD, DIM, GOOD, HELP, WARNING, paint};
use crate::term::Term;
use files::Change;

pub(crate) fn install(args: &Install, here: &Here, term: Term) -> Result<Exit, Problem> {
    let scope = scope(args.scope);
    let agents = match args.all {
        true => callers().filter(|agent| files::is_here(agent, here) && can_call(agent)).collect(),
        false => named(&args.agents)?,
    };
    if agents.is_empty() {
        let names: Vec<&str> = callers().map(|caller| caller.name).collect();
        return Err(Problem::new("no agent that can call Tenterhook is found here")
            .help(format!("name one: {}", names.join(", "))));
    }
    if scope == Scope::User {
        here.require_home()?;
    }
    let program = program::find(args.program.as_deref(), scope, here)?;
    // All of it is right, or nothing is written.
    let mut planned = Vec::new();
    for agent in agents {
        if !can_call(agent) {
            let title = agent.title;
            return Err(Problem::new(format!("{title} cannot be answered by this version")));
        }
        let changes = match args.adopt {
            true => adopt::put(agent, scope, &program, here)?,
            false => files::put(agent, scope, &program, here)?,
        };
        let changes = beside::put(agent, (scope, args.guard), changes, here)?;
        let changes = behind::put(agent, (scope, args.only_own), changes, here)?;
        planned.push((agent, changes));
    }
    for (agent, changes) in planned {
        finish(agent, &changes, args, (scope, here), term)?;
    }
    Ok(Exit::Good)
}

/// Prints or applies the changes of an agent, and what the user does next.
fn finish(
    agent: &'static Agent,
    changes: &[Change],
    args: &Install,
    (scope, here): (Scope, &Here),
    term: Term,
) -> Result<(), Problem> {
    if args.print {
        return print(agent, changes, here, term);
    }
    apply(agent, changes, args.dry_run, "installed", here, term)?;
    if let Some(note) = behind::note(agent, scope, args.only_own, here) {
        term.note_after(WARNING, "note:", &note);
    }
    if !args.dry_run {
        beside::verify(agent, scope, here)?;
        for note in beside::notes(agent, (scope, args.guard)) {
            term.note_after(WARNING, "note:", &note);
        }
        own(agent, scope, args.adopt, here, term);
        if args.adopt {
            for policy in adopt::policies(agent, here) {
                term.note_after(WARNING, "note:", &policy);
            }
        }
        if let Some(off) = status::remains_off(agent, here) {
            term.note_after(WARNING, "warning:", &off);
        }
        for open in openings(agent, here).iter().filter(|opening| !opening.is_held) {
            let lead = paint(WARNING, "not covered:");
            term.data(&format!("  {lead} {}; {}\n", open.of.gap, open.offer()))?;
        }
        term.data(&format!("  {} {}\n", paint(HELP, "next:"), next(agent, scope)))?;
    }
    Ok(())
}

/// What the person does next.
fn next(agent: &Agent, scope: Scope) -> String {
    if agent.installation.approvals.is_some() && agent.installation.approvals_of(scope).is_none() {
        return format!("{} reads it at the next start, without asking for approval", agent.title);
    }
    agent.installation.next.to_owned()
}

pub(crate) fn uninstall(args: &Uninstall, here: &Here, term: Term) -> Result<Exit, Problem> {
    let scope = scope(args.scope);
    let agents = if args.all { callers().collect() } else { named(&args.agents)? };
    let agents = agents
        .into_iter()
        .filter(|agent| !args.all || files::file_path(agent, scope, here).is_some());
    let mut planned = Vec::new();
    for agent in agents {
        let changes = match adopt::take(agent, scope, here)? {
            Some(changes) => changes,
            None => files::take(agent, scope, here)?,
        };
        let changes = beside::take(agent, scope, changes, here)?;
        let changes = behind::take(agent, scope, changes, here)?;
        if !(args.all && changes.is_empty()) {
            planned.push((agent, changes));
        }
    }
    for (agent, changes) in planned {
        apply(agent, &changes, args.dry_run, "uninstalled", here, term)?;
    }
    if args.purge {
        purge(args.dry_run, here, term)?;
    }
    Ok(Exit::Good)
}

/// Removes the state directory: records, approvals, sessions and notes (BR-126).
fn purge(dry: bool, here: &Here, term: Term) -> Result<(), Problem> {
    let shown = shorten(&here.state.to_string_lossy(), &here.roots);
    if !here.state.is_dir() || here.state.is_symlink() {
        return term.data(&format!("`{shown}` is no directory: nothing to remove\n"));
    }
    if dry {
        return term.data(&format!("would remove `{shown}`\n"));
    }
    person::require_terminal("tenterhook uninstall --purge", here)?;
    std::fs::remove_dir_all(&here.state)
        .map_err(|error| Problem::new(format!("`{shown}` cannot be removed: {error}")))?;
    term.data(&format!("removed `{shown}`\n"))
}

pub(super) const fn scope(given: ScopeArg) -> Scope {
    match given {
        ScopeArg::User => Scope::User,
        ScopeArg::Project => Scope::Project,
        ScopeArg::Managed => Scope::Managed,
    }
}

/// Whether `tenterhook hook` knows its words: an entry that nothing answers would deny everything.
pub(super) fn can_call(agent: &Agent) -> bool {
    DialectId::agents().any(|dialect_id| dialect_id.as_str() == agent.name)
}

pub(super) fn named(names: &[String]) -> Result<Vec<&'static Agent>, Problem> {
    let find = |name: &String| {
        caller(name).ok_or_else(|| {
            let known: Vec<&str> = callers().map(|caller| caller.name).collect();
            Problem::new(format!("`{name}` is not an agent that can call Tenterhook"))
                .help(format!("these can: {}", known.join(", ")))
        })
    };
    let mut agents: Vec<&'static Agent> = names.iter().map(find).collect::<Result<_, _>>()?;
    let mut seen = Vec::new();
    agents.retain(|agent| {
        let is_new = !seen.contains(&agent.name);
        seen.push(agent.name);
        is_new
    });
    Ok(agents)
}

/// Shows what changes, and does it.
fn apply(
    agent: &Agent,
    changes: &[Change],
    dry: bool,
    done: &str,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    if changes.is_empty() {
        return term.data(&format!("{}: nothing to change\n", paint(BOLD, agent.title)));
    }
    // Stored backups are not settings.
    let settings = changes.iter().filter(|change| !adopt::is_kept(&change.path, here));
    for setting in settings.clone() {
        let shown = shorten(&setting.path.to_string_lossy(), &here.roots);
        let (before, after) = (setting.before.as_deref(), setting.after.as_deref());
        let text = diff::unified(&shown, before.unwrap_or_default(), after.unwrap_or_default());
        term.data(&format!("{text}\n"))?;
    }
    let files = match settings.count() {
        0 => "no file".to_owned(),
        files => count(files, "file"),
    };
    for change in changes.iter().filter(|change| change.after.is_none()) {
        link_alone(&change.path, here, term);
    }
    if dry {
        return term.data(&format!("{}: would change {files}\n", paint(BOLD, agent.title)));
    }
    for change in changes {
        write(change, here).map_err(|error| {
            let shown = shorten(&change.path.to_string_lossy(), &here.roots);
            Problem::new(format!("`{shown}` cannot be written: {error}"))
        })?;
    }
    term.data(&format!("{}: {} ({files})\n", paint(BOLD, agent.title), paint(GOOD, done)))
}

/// Removes a link in the place of one of our files. Its target belongs to the user and stays (BR-77).
fn link_alone(path: &Path, here: &Here, term: Term) {
    if let Ok(to) = std::fs::read_link(path) {
        let (shown, to) = (shorten(&path.to_string_lossy(), &here.roots), to.to_string_lossy());
        let text = format!("`{shown}` is a link: the link goes, and `{to}` stays as it is");
        term.note_after(WARNING, "note:", &text);
    }
}

fn write(change: &Change, here: &Here) -> std::io::Result<()> {
    if files::read(&change.path)? != change.before {
        return Err(std::io::Error::other("it was changed meanwhile; try again"));
    }
    match (&change.before, &change.after) {
        (Some(_), Some(after)) => write_in_place(&change.path, after)?,
        (None, Some(after)) => {
            let missing = made::missing(&change.path);
            let written = write_new(&change.path, after, change.readers);
            made::note(missing, here);
            written?;
        }
        (_, None) => {
            std::fs::remove_file(&change.path)?;
            made::remove_empty(&change.path, here);
        }
    }
    if change.is_script && change.after.is_some() {
        crate::executable::make_executable(&change.path)?;
    }
    Ok(())
}

fn print(agent: &Agent, changes: &[Change], here: &Here, term: Term) -> Result<(), Problem> {
    if changes.is_empty() {
        term.note(&format!("{}: nothing to change", paint(BOLD, agent.title)));
    }
    for change in changes.iter().filter(|change| !adopt::is_kept(&change.path, here)) {
        let shown = shorten(&change.path.to_string_lossy(), &here.roots);
        term.note(&paint(DIM, shown).to_string());
        term.data(change.after.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

/// The entries of the person's own in the file: the agent runs them itself, by its rules (BR-66).
fn own(agent: &Agent, scope: Scope, adopted: bool, here: &Here, term: Term) {
    let Some(path) =
        files::file_path(agent, scope, here).filter(|_| agent.installation.form == Form::Groups)
    else {
        return;
    };
    let Ok(Some(text)) = files::read(&path) else { return };
    let others = foreign(agent, &text).unwrap_or_default().len();
    if others > 0 {
        let hooks = count(others, "hook");
        let moves = match adopted || scope != Scope::User {
            true => String::new(),
            false => {
                format!("; `tenterhook install {} --adopt` moves what can be moved", agent.name)
            }
        };
        let text = format!(
            "this file holds {hooks} that {} runs itself, by its own rules, and Tenterhook does not{moves}",
            agent.title
        );
        term.note_after(WARNING, "note:", &text);
    }
}
