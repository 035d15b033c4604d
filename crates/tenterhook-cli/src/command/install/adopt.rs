//! What `install --adopt` changes, and what `uninstall` makes of it again (BR-75). Writes nothing.

use std::path::{Path, PathBuf};

use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Layout, Scope};
use tenterhook_core::config::Switch;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Layer;
use tenterhook_core::install::{self, add_own_entries, remove_own_entries, restore_moved_entries};

use super::files::{
    Change, agent_file_path, content_of_emptied_settings, read_or_problem, unusable_file_problem,
    without_no_op_changes,
};
use crate::ambient::Here;
use crate::load::shorten_path;
use crate::problem::Problem;

/// The files of an adoption.
struct Files {
    settings: PathBuf,
    /// The entries that were moved.
    moved: PathBuf,
    /// The settings as they were, so that they can be put back to the byte.
    before: PathBuf,
    /// The path of the settings: a person may have several homes of an agent, and the entries go back to theirs.
    from: PathBuf,
}

impl Files {
    /// Returns the name of other settings whose entries are already stored at the target path.
    fn conflicting_settings(&self, here: &Here) -> Result<Option<String>, Problem> {
        if read_or_problem(&self.moved, here)?.is_none() {
            return Ok(None);
        }
        let from = read_or_problem(&self.from, here)?;
        Ok(from.filter(|text| *text != self.settings_name()))
    }

    fn settings_name(&self) -> String {
        self.settings.to_string_lossy().into_owned()
    }
}

/// Returns the files of an adoption; `None` for an agent whose entries are not moved.
fn adoption_files(agent: &Agent, scope: Scope, here: &Here) -> Option<Files> {
    let id = DialectId::agents().find(|dialect_id| dialect_id.as_str() == agent.name)?;
    let moved = discover::moved_entries_file(id, &here.roots).filter(|_| scope == Scope::User)?;
    let before = here.state.join("adopted").join(format!("{}.before", agent.name));
    let from = discover::path_of_moved_entries_note(&moved);
    Some(Files { settings: agent_file_path(agent, scope, here)?, moved, before, from })
}

/// Returns the changes of `install --adopt`. Entries that were moved before are first moved back,
/// so that a second run changes nothing.
pub(super) fn changes_for_adoption(
    agent: &Agent,
    scope: Scope,
    program: &str,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    if scope != Scope::User {
        return Err(Problem::new("`--adopt` moves your own hooks, and none that others share")
            .with_help("leave `--scope` out, or `--adopt`"));
    }
    let Some(files) = adoption_files(agent, scope, here) else {
        let form = agent.installation.form;
        let layout = form.hook_file().map(|file| file.layout).filter(|_| form.is_shared_file());
        let why = match layout {
            Some(Layout::Json(_)) => "it cannot be answered by this version",
            Some(Layout::Tables { .. }) => "their file is TOML: move the tables yourself",
            Some(Layout::Yaml) => "its file is not edited in this way: move them yourself",
            _ => "it reads them from files that are each a hook's own: move those yourself",
        };
        return Err(Problem::new(format!("hooks of {} are not moved: {why}", agent.title)));
    };
    if let Some(other) = files.conflicting_settings(here)? {
        let (moved, other) = (
            shorten_path(&files.moved.to_string_lossy(), &here.roots),
            shorten_path(&other, &here.roots),
        );
        return Err(Problem::new(format!("`{moved}` holds the hooks of `{other}`"))
            .with_help("run `tenterhook uninstall` where that is the agent's home first, or leave `--adopt` out"));
    }
    let settings = read_or_problem(&files.settings, here)?;
    let moved = read_or_problem(&files.moved, here)?;
    let wrong = |error: install::Wrong| unusable_file_problem(&error, &files.settings, here);
    let own = restored_settings(agent, settings.as_deref(), moved.as_deref(), &files, here)?;
    let adopted = match &own {
        Some(text) => install::move_entries_to_tenterhook(agent, text).map_err(wrong)?,
        None => None,
    };
    let (left, now) = match adopted {
        Some(adopted) => (adopted.left, Some(adopted.moved)),
        None => (own.clone(), None),
    };
    let after = add_own_entries(agent, program, left.as_deref()).map_err(wrong)?;
    let (before, from) =
        (read_or_problem(&files.before, here)?, read_or_problem(&files.from, here)?);
    let kept = own.filter(|_| now.is_some());
    let name = now.is_some().then(|| files.settings_name());
    // A hook that stands in both files for a moment runs twice, and one that stands in none does not run.
    Ok(without_no_op_changes(vec![
        Change::of_private_file(files.from, from, name),
        Change::of_private_file(files.before, before, kept),
        Change::of_private_file(files.moved, moved, now),
        Change::new(files.settings, settings, Some(after)),
    ]))
}

/// Returns the changes of `uninstall` if entries were moved; otherwise `None`.
pub(super) fn changes_to_undo_adoption(
    agent: &Agent,
    scope: Scope,
    here: &Here,
) -> Result<Option<Vec<Change>>, Problem> {
    let Some(files) = adoption_files(agent, scope, here) else { return Ok(None) };
    let Some(moved) = read_or_problem(&files.moved, here)? else { return Ok(None) };
    if files.conflicting_settings(here)?.is_some() {
        return Ok(None);
    }
    let settings = read_or_problem(&files.settings, here)?;
    let after = restored_settings(agent, settings.as_deref(), Some(&moved), &files, here)?;
    let after = after.or_else(|| content_of_emptied_settings(agent, &files.settings));
    let (before, from) =
        (read_or_problem(&files.before, here)?, read_or_problem(&files.from, here)?);
    Ok(Some(without_no_op_changes(vec![
        Change::new(files.settings, settings, after),
        Change::new(files.moved, Some(moved), None),
        Change::new(files.before, before, None),
        Change::new(files.from, from, None),
    ])))
}

/// Returns the removal of the notes of an adoption that was undone before, if that ended early.
pub(super) fn changes_removing_leftover_notes(
    agent: &Agent,
    scope: Scope,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some(files) = adoption_files(agent, scope, here) else { return Ok(Vec::new()) };
    if read_or_problem(&files.moved, here)?.is_some() {
        return Ok(Vec::new());
    }
    let (before, from) =
        (read_or_problem(&files.before, here)?, read_or_problem(&files.from, here)?);
    Ok(without_no_op_changes(vec![
        Change::new(files.before, before, None),
        Change::new(files.from, from, None),
    ]))
}

/// Returns whether a file only serves to undo an adoption: it is not shown to the user.
pub(super) fn is_backup_file(path: &Path, here: &Here) -> bool {
    let is_origin = |moved: PathBuf| discover::path_of_moved_entries_note(&moved) == path;
    let mut origins =
        DialectId::agents().filter_map(|id| discover::moved_entries_file(id, &here.roots));
    path.starts_with(&here.state) || origins.any(is_origin)
}

/// Lists what the user's and the organisation's files say about the settings that entries were
/// moved from, one line per file (BR-78).
pub(super) fn adopted_settings_policy_lines(agent: &Agent, here: &Here) -> Vec<String> {
    let Some(files) = adoption_files(agent, Scope::User, here) else { return Vec::new() };
    let (Ok(Some(_)), Ok(Some(from))) =
        (read_or_problem(&files.moved, here), read_or_problem(&files.from, here))
    else {
        return Vec::new();
    };
    let shown = |path: &str| shorten_path(path, &here.roots);
    let mut found = Vec::new();
    for source in discover::find(&here.roots).sources {
        let governs = matches!(source.layer, Layer::Managed | Layer::User);
        if !governs || source.dialect != DialectId::NATIVE {
            continue;
        }
        for switch in source.dialect.dialect().read_config(&source).switches {
            let Switch::Govern(govern) = switch else { continue };
            let words = govern.settings();
            if govern.file == Path::new(&from) && !words.is_empty() {
                let (by, of, words) = (shown(&source.name), shown(&from), words.join(", "));
                found.push(format!(
                    "what `{by}` says of `{of}` holds for the moved hooks, too: {words}"
                ));
            }
        }
    }
    found
}

/// Returns the settings without our changes: identical to the original if nothing else was edited.
fn restored_settings(
    agent: &Agent,
    settings: Option<&str>,
    moved: Option<&str>,
    files: &Files,
    here: &Here,
) -> Result<Option<String>, Problem> {
    let wrong = |error: install::Wrong| unusable_file_problem(&error, &files.settings, here);
    let left = match settings {
        Some(text) => remove_own_entries(agent, text).map_err(wrong)?,
        None => None,
    };
    let Some(moved) = moved else { return Ok(left) };
    let before = read_or_problem(&files.before, here)?;
    let is_unedited = |before: &String| {
        let again = install::move_entries_to_tenterhook(agent, before).ok().flatten();
        // What was cut off between two files left the settings as they were: to give back what still stands there would double it.
        let is_cut_off = left.as_ref() == Some(before);
        again.is_some_and(|adopted| (adopted.left == left || is_cut_off) && adopted.moved == *moved)
    };
    if let Some(before) = before.filter(is_unedited) {
        return Ok(Some(before));
    }
    let back = restore_moved_entries(agent, left.as_deref(), moved);
    back.map(Some).map_err(|error| unusable_file_problem(&error, &files.moved, here))
}
