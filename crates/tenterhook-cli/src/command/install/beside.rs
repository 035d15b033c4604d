//! What `install` writes beside its entries so that nothing silences them, and what `uninstall` makes of it again (BR-85, BR-86).
//! Writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Below, Scope};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Layer;
use tenterhook_core::install::{
    self, GUARD_GAPS, Setting, guard_files, guard_settings, has_guard, hooks_stay_on, put_settings,
    settings_of, take_settings,
};

use super::files::{self, Change, emptied, only_new, read_here, refuse};
use crate::ambient::Here;
use crate::load::shorten;
use crate::problem::Problem;
use crate::silence;

/// The settings that were written, by file, each with how many keys of its path were there before.
type Notes = BTreeMap<PathBuf, Vec<(Setting, usize)>>;

/// The changes of an installation, with those that keep its entries from being silenced. `guard` asks for a guard of the user's own.
pub(super) fn put(
    agent: &Agent,
    (scope, guard): (Scope, bool),
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(path) = files::file_path(agent, scope, here) else { return Ok(changes) };
    let mut wanted = vec![(path.clone(), settings_of(agent, scope))];
    if scope == Scope::Managed {
        is_not_unseated(agent, here)?;
    }
    let mut first = Vec::new();
    if guard {
        let folder = may_have_guard(agent, scope, here)?;
        wanted.push((path, guard_settings(&folder)));
        wanted.extend(local_settings(agent, here).map(|path| (path, vec![hooks_stay_on()])));
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (file, text) in guard_files(&name) {
            let path = folder.join(file);
            let before = read_here(&path, here)?;
            first.push(Change::new(path, before, Some(text)));
        }
    }
    let (kept, mut notes) = read_notes(here)?;
    for (path, settings) in wanted.into_iter().filter(|(_, settings)| !settings.is_empty()) {
        let (before, text) = state(&changes, &path, here)?;
        let (after, added) = put_settings(agent, text.as_deref(), &settings)
            .map_err(|wrong| refuse(&wrong, &path, here))?;
        notes.entry(path.clone()).or_default().extend(added);
        set(&mut changes, Change::new(path.clone(), before, Some(after)));
    }
    // What was written is known before it is, or nothing could take it out again.
    first.insert(0, Change::private(notes_path(here), kept, written(notes)));
    first.extend(changes);
    Ok(only_new(first))
}

/// The changes of a removal, with those that take out the settings and the guard.
pub(super) fn take(
    agent: &Agent,
    scope: Scope,
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(own) = files::file_path(agent, scope, here).filter(|_| has_guard(agent)) else {
        return Ok(changes);
    };
    let managed = files::file_path(agent, Scope::Managed, here);
    let (kept, mut notes) = read_notes(here)?;
    let is_of_scope = |path: &PathBuf| match scope {
        Scope::User => Some(path) != managed.as_ref(),
        Scope::Managed | Scope::Project => *path == own,
    };
    let noted: Vec<PathBuf> = notes.keys().filter(|path| is_of_scope(path)).cloned().collect();
    for path in noted {
        let settings = notes.remove(&path).unwrap_or_default();
        let (before, text) = state(&changes, &path, here)?;
        let Some(text) = text else { continue };
        let after = take_settings(agent, &text, &settings)
            .map_err(|wrong| refuse(&wrong, &path, here))?
            .or_else(|| emptied(&path));
        set(&mut changes, Change::new(path.clone(), before, after));
    }
    if scope == Scope::User {
        changes.extend(without_guard(here)?);
    }
    changes.push(Change::private(notes_path(here), kept, written(notes)));
    Ok(only_new(changes))
}

/// Reads back what was written: settings that do not parse keep Claude Code from starting.
pub(super) fn verify(agent: &Agent, scope: Scope, here: &Here) -> Result<(), Problem> {
    let settings = settings_of(agent, scope);
    let Some(path) = files::file_path(agent, scope, here).filter(|_| !settings.is_empty()) else {
        return Ok(());
    };
    let text = read_here(&path, here)?;
    let found = put_settings(agent, text.as_deref(), &settings)
        .map_err(|wrong| refuse(&wrong, &path, here))?;
    if found.1.is_empty() {
        return Ok(());
    }
    let shown = shorten(&path.to_string_lossy(), &here.roots);
    Err(Problem::new(format!("`{shown}` does not hold what was written into it")))
}

/// What the person should know of it.
pub(super) fn notes(agent: &Agent, (scope, guard): (Scope, bool)) -> Vec<String> {
    let mut found = Vec::new();
    if scope == Scope::Managed && has_guard(agent) {
        found.push(
            "no file switches hooks off here, and modules of plugins that are not managed do not load; hooks, skills and commands of plugins stay"
                .to_owned(),
        );
    }
    if guard {
        found.extend(GUARD_GAPS.iter().map(|gap| format!("the guard does not hold {gap}")));
    }
    found
}

/// Managed settings in which the vendor's guard is taken away are not written into.
fn is_not_unseated(agent: &Agent, here: &Here) -> Result<(), Problem> {
    let found = silence::of_agent(agent.name, here);
    let unseated = found.iter().find(|silencer| silencer.finding.code == Code::GuardUnseated);
    let Some(silencer) = unseated else { return Ok(()) };
    let place = silence::location(silencer, here);
    let problem = Problem::new(format!("{place}: {}", silencer.finding.message));
    Err(problem.help(silencer.finding.help.clone().unwrap_or_default()))
}

/// The folder of the guard, where one can hold.
fn may_have_guard(agent: &Agent, scope: Scope, here: &Here) -> Result<PathBuf, Problem> {
    if scope != Scope::User || !has_guard(agent) {
        return Err(Problem::new("`--guard` writes into your own settings of Claude Code")
            .help("leave `--scope` out, and name `claude`"));
    }
    let sources = discover::find(&here.roots).sources;
    let managed = sources
        .iter()
        .find(|source| source.layer == Layer::Managed && source.dialect.as_str() == agent.name);
    if let Some(managed) = managed {
        let message = format!(
            "`{}` is there: with managed settings Claude Code ignores a guard of your own",
            managed.name
        );
        return Err(Problem::new(message).help("use `--scope managed`, which closes more"));
    }
    let directory = guards(here)
        .ok_or_else(|| Problem::new("there is no directory for the guard: no home is known"))?;
    let known = fs::read_dir(&directory).into_iter().flatten().flatten();
    let known =
        known.map(|entry| entry.path()).find(|folder| folder.join("hooks/guard.ts").is_file());
    match known {
        Some(folder) => Ok(folder),
        None => Ok(directory.join(random_name()?)),
    }
}

/// A name that a repository does not know: its settings could switch the guard off by it.
fn random_name() -> Result<String, Problem> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Problem::new(format!("no random name can be made: {error}")))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("th-{digits}"))
}

/// The directory of guards, among the user's own files.
fn guards(here: &Here) -> Option<PathBuf> {
    let adopted = discover::adopted(DialectId::CLAUDE, &here.roots)?;
    Some(adopted.parent()?.parent()?.join("guard"))
}

/// The local settings of the project here, where its shared settings switch hooks off.
fn local_settings(agent: &Agent, here: &Here) -> Option<PathBuf> {
    let found = silence::of_agent(agent.name, here);
    let is_off = found.iter().any(|silencer| {
        silencer.finding.code == Code::HooksDisabled && silencer.layer == Layer::Project
    });
    let root = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
    let mut elsewhere = agent.installation.switches_elsewhere.iter();
    let local = elsewhere.find(|switch| switch.below == Below::Project)?;
    is_off.then(|| root.join(local.file))
}

/// The files of guards, as far as they stand as they were written.
fn without_guard(here: &Here) -> Result<Vec<Change>, Problem> {
    let Some(directory) = guards(here) else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let folder = entry.path();
        for (file, text) in guard_files(&entry.file_name().to_string_lossy()) {
            let path = folder.join(file);
            let before = read_here(&path, here)?;
            if before.as_deref() == Some(&*text) {
                changes.push(Change::new(path, before, None));
            }
        }
    }
    Ok(changes)
}

/// What a file is now and what it would be after the changes so far.
fn state(
    changes: &[Change],
    path: &Path,
    here: &Here,
) -> Result<(Option<String>, Option<String>), Problem> {
    match changes.iter().find(|change| change.path == path) {
        Some(change) => Ok((change.before.clone(), change.after.clone())),
        None => {
            let text = read_here(path, here)?;
            Ok((text.clone(), text))
        }
    }
}

/// Puts a change in the place of the one of the same file.
fn set(changes: &mut Vec<Change>, change: Change) {
    match changes.iter_mut().find(|other| other.path == change.path) {
        Some(other) => other.after = change.after,
        None => changes.push(change),
    }
}

fn notes_path(here: &Here) -> PathBuf {
    here.state.join("installed").join("settings.json")
}

/// The notes as they are kept, and what they say. What cannot be read is left alone: it may name more.
fn read_notes(here: &Here) -> Result<(Option<String>, Notes), Problem> {
    let path = notes_path(here);
    let Some(text) = read_here(&path, here)? else { return Ok((None, Notes::new())) };
    let notes = serde_json::from_str(&text).map_err(|error| {
        let wrong = install::Wrong {
            message: error.to_string(),
            line: error.line(),
            column: error.column(),
        };
        refuse(&wrong, &path, here)
    })?;
    Ok((Some(text), notes))
}

/// The notes as text; `None` where there is nothing to note.
fn written(mut notes: Notes) -> Option<String> {
    notes.retain(|_, settings| !settings.is_empty());
    (!notes.is_empty()).then(|| serde_json::to_string(&notes).ok()).flatten()
}
