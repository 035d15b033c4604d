//! What `install` writes beside its entries so that nothing silences them, and what `uninstall` makes of it again (BR-85, BR-86).
//! Writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Below, Pin, Scope, agents_with_hook_installation};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Layer;
use tenterhook_core::install::{
    self, GUARD_GAPS, Setting, add_settings, anti_silencing_settings, files_of_named_guard,
    remove_settings, setting_keeping_hooks_enabled, supports_guard_module,
    user_settings_loading_guard,
};

use super::files::{
    self, Change, content_of_emptied_settings, read_or_problem, unusable_file_problem,
    without_no_op_changes,
};
use super::switches::is_pinned_by_hand;
use crate::ambient::Here;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::silence;

/// The settings that were written, by file, each with how many keys of its path were there before.
type Notes = BTreeMap<PathBuf, Vec<(Setting, usize)>>;

/// Adds the changes that keep the entries of an installation from being silenced. `guard` asks for
/// a guard of the user's own.
pub(super) fn with_changes_against_silencing(
    agent: &Agent,
    (scope, guard): (Scope, bool),
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(path) = files::agent_file_path(agent, scope, here) else { return Ok(changes) };
    let mut wanted = vec![(path.clone(), anti_silencing_settings(agent, scope))];
    if scope == Scope::Managed {
        require_vendor_guard_enabled(agent, here)?;
    }
    let mut first = Vec::new();
    if guard {
        let folder = usable_guard_directory(agent, scope, here)?;
        wanted.push((path, user_settings_loading_guard(&folder)));
        wanted.extend(
            local_settings_if_shared_off(agent, here)
                .map(|path| (path, vec![setting_keeping_hooks_enabled()])),
        );
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (file, text) in files_of_named_guard(&name) {
            let path = folder.join(file);
            let before = read_or_problem(&path, here)?;
            first.push(Change::new(path, before, Some(text)));
        }
    }
    let (kept, mut notes) = read_guard_notes(here)?;
    for (path, settings) in wanted.into_iter().filter(|(_, settings)| !settings.is_empty()) {
        let (before, text) = text_before_and_after_changes(&changes, &path, here)?;
        let (after, added) = add_settings(agent, text.as_deref(), &settings)
            .map_err(|wrong| unusable_file_problem(&wrong, &path, here))?;
        notes.entry(path.clone()).or_default().extend(added);
        replace_or_add_change(&mut changes, Change::new(path.clone(), before, Some(after)));
    }
    // What was written is known before it is, or nothing could take it out again.
    first.insert(
        0,
        Change::of_private_file(guard_notes_path(here), kept, serialize_guard_notes(notes)),
    );
    first.extend(changes);
    Ok(without_no_op_changes(first))
}

/// Adds the changes that remove the settings and the guard to those of `uninstall`.
pub(super) fn with_guard_and_settings_removal(
    agent: &Agent,
    scope: Scope,
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let writes_settings =
        supports_guard_module(agent) || !anti_silencing_settings(agent, scope).is_empty();
    let Some(own) = files::agent_file_path(agent, scope, here).filter(|_| writes_settings) else {
        return Ok(changes);
    };
    let managed: Vec<PathBuf> = agents_with_hook_installation()
        .filter_map(|agent| files::agent_file_path(agent, Scope::Managed, here))
        .collect();
    let (kept, mut notes) = read_guard_notes(here)?;
    let is_of_scope = |path: &PathBuf| match scope {
        Scope::User => !managed.contains(path),
        Scope::Managed | Scope::Project => *path == own,
    };
    let noted: Vec<PathBuf> = notes.keys().filter(|path| is_of_scope(path)).cloned().collect();
    for path in noted {
        let settings = notes.remove(&path).unwrap_or_default();
        let (before, text) = text_before_and_after_changes(&changes, &path, here)?;
        let Some(text) = text else { continue };
        let after = remove_settings(agent, &text, &settings)
            .map_err(|wrong| unusable_file_problem(&wrong, &path, here))?
            .or_else(|| content_of_emptied_settings(agent, &path));
        replace_or_add_change(&mut changes, Change::new(path.clone(), before, after));
    }
    if scope == Scope::User {
        changes.extend(removals_of_guard_files(here)?);
    }
    changes.push(Change::of_private_file(
        guard_notes_path(here),
        kept,
        serialize_guard_notes(notes),
    ));
    Ok(without_no_op_changes(changes))
}

/// Reads back the written settings: Claude Code does not start with settings that do not parse.
pub(super) fn verify_written_settings(
    agent: &Agent,
    scope: Scope,
    here: &Here,
) -> Result<(), Problem> {
    let settings = anti_silencing_settings(agent, scope);
    let Some(path) = files::agent_file_path(agent, scope, here).filter(|_| !settings.is_empty())
    else {
        return Ok(());
    };
    let text = read_or_problem(&path, here)?;
    let found = add_settings(agent, text.as_deref(), &settings)
        .map_err(|wrong| unusable_file_problem(&wrong, &path, here))?;
    if found.1.is_empty() {
        return Ok(());
    }
    let shown = shorten_path(&path.to_string_lossy(), &here.roots);
    Err(Problem::new(format!("`{shown}` does not hold what was written into it")))
}

/// Returns what the user should know about the guard and the settings.
pub(super) fn messages_about_guard(
    agent: &Agent,
    (scope, guard): (Scope, bool),
    here: &Here,
) -> Vec<String> {
    let mut found = Vec::new();
    if scope == Scope::Managed && supports_guard_module(agent) {
        found.push(
            "no file switches hooks off here, and modules of plugins that are not managed do not load; hooks, skills and commands of plugins stay"
                .to_owned(),
        );
    }
    if let (Scope::Managed, Pin::ByHand(pin)) = (scope, agent.installation.protection.pin)
        && !is_pinned_by_hand(agent, here)
    {
        found.push(format!("a user can switch these hooks off, unless you write {pin}"));
    }
    if guard {
        found.extend(GUARD_GAPS.iter().map(|gap| format!("the guard does not hold {gap}")));
    }
    found
}

/// Returns an error if managed settings disable the vendor's guard: such settings are not changed.
fn require_vendor_guard_enabled(agent: &Agent, here: &Here) -> Result<(), Problem> {
    let found = silence::silencers_of_agent(agent.name, here);
    let unseated = found.iter().find(|silencer| silencer.finding.code == Code::GuardUnseated);
    let Some(silencer) = unseated else { return Ok(()) };
    let place = silence::file_and_line(silencer, here);
    let problem = Problem::new(format!("{place}: {}", silencer.finding.message));
    Err(problem.with_help(silencer.finding.help.clone().unwrap_or_default()))
}

/// Returns the directory of the guard, or an error if a guard cannot work here.
fn usable_guard_directory(agent: &Agent, scope: Scope, here: &Here) -> Result<PathBuf, Problem> {
    if scope != Scope::User || !supports_guard_module(agent) {
        return Err(Problem::new("`--guard` writes into your own settings of Claude Code")
            .with_help("leave `--scope` out, and name `claude`"));
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
        return Err(Problem::new(message).with_help("use `--scope managed`, which closes more"));
    }
    let directory = user_guards_directory(here)
        .ok_or_else(|| Problem::new("there is no directory for the guard: no home is known"))?;
    let known = fs::read_dir(&directory).into_iter().flatten().flatten();
    let known =
        known.map(|entry| entry.path()).find(|folder| folder.join("hooks/guard.ts").is_file());
    match known {
        Some(folder) => Ok(folder),
        None => Ok(directory.join(random_guard_name()?)),
    }
}

/// Returns a random name: a repository that knew the name could disable the guard in its settings.
fn random_guard_name() -> Result<String, Problem> {
    Ok(format!("th-{}", random_digits()?))
}

/// Returns 16 random hexadecimal digits.
pub(super) fn random_digits() -> Result<String, Problem> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Problem::new(format!("no random name can be made: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the directory of guards, among the user's own files.
fn user_guards_directory(here: &Here) -> Option<PathBuf> {
    let adopted = discover::moved_entries_file(DialectId::CLAUDE, &here.roots)?;
    Some(adopted.parent()?.parent()?.join("guard"))
}

/// Returns the path of the project's local settings if its shared settings switch hooks off.
fn local_settings_if_shared_off(agent: &Agent, here: &Here) -> Option<PathBuf> {
    let found = silence::silencers_of_agent(agent.name, here);
    let is_off = found.iter().any(|silencer| {
        silencer.finding.code == Code::HooksDisabled && silencer.layer == Layer::Project
    });
    let root = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
    let mut elsewhere = agent.installation.switches_elsewhere.iter();
    let local = elsewhere.find(|switch| switch.below == Below::Project)?;
    is_off.then(|| root.join(local.file))
}

/// Returns the removals of guard files that still have the content that was written.
fn removals_of_guard_files(here: &Here) -> Result<Vec<Change>, Problem> {
    let Some(directory) = user_guards_directory(here) else { return Ok(Vec::new()) };
    let mut changes = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let folder = entry.path();
        for (file, text) in files_of_named_guard(&entry.file_name().to_string_lossy()) {
            let path = folder.join(file);
            let before = read_or_problem(&path, here)?;
            if before.as_deref() == Some(&*text) {
                changes.push(Change::new(path, before, None));
            }
        }
    }
    Ok(changes)
}

/// Returns the current text of a file, and its text after the changes so far.
fn text_before_and_after_changes(
    changes: &[Change],
    path: &Path,
    here: &Here,
) -> Result<(Option<String>, Option<String>), Problem> {
    match changes.iter().find(|change| change.path == path) {
        Some(change) => Ok((change.before.clone(), change.after.clone())),
        None => {
            let text = read_or_problem(path, here)?;
            Ok((text.clone(), text))
        }
    }
}

/// Replaces the change of the same file, or adds a new one.
fn replace_or_add_change(changes: &mut Vec<Change>, change: Change) {
    match changes.iter_mut().find(|other| other.path == change.path) {
        Some(other) => other.after = change.after,
        None => changes.push(change),
    }
}

fn guard_notes_path(here: &Here) -> PathBuf {
    here.state.join("installed").join("settings.json")
}

/// Reads the notes: their text and their content. Unreadable notes are not changed, because they
/// may list more.
fn read_guard_notes(here: &Here) -> Result<(Option<String>, Notes), Problem> {
    let path = guard_notes_path(here);
    let Some(text) = read_or_problem(&path, here)? else { return Ok((None, Notes::new())) };
    let notes = serde_json::from_str(&text).map_err(|error| {
        let wrong = install::Wrong {
            message: error.to_string(),
            line: error.line(),
            column: error.column(),
        };
        unusable_file_problem(&wrong, &path, here)
    })?;
    Ok((Some(text), notes))
}

/// Serializes the notes; `None` if they are empty.
fn serialize_guard_notes(mut notes: Notes) -> Option<String> {
    notes.retain(|_, settings| !settings.is_empty());
    (!notes.is_empty()).then(|| serde_json::to_string(&notes).ok()).flatten()
}
