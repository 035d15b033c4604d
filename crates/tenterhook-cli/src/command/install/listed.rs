//! What `install` writes into the file that lists an agent's plugins, and what `uninstall` removes from it. Writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tenterhook_core::agents::{Agent, PluginList, Scope};
use tenterhook_core::install::{
    self, Setting, add_settings, find_unlisted_plugin, remove_settings, settings_listing_plugin,
};

use super::files::{
    Change, agent_file_path, agent_user_directory, content_of_emptied_settings, env_variable,
    read_if_exists, read_or_problem, unusable_file_problem, without_no_op_changes,
};
use super::switches::SwitchSetting;
use crate::ambient::Here;
use crate::problem::Problem;

/// The settings that were written, by file, each with how many keys of its path were there before.
type Notes = BTreeMap<PathBuf, Vec<(Setting, usize)>>;

/// Adds the change that lists the plugin, after those that write its files: an agent may refuse to
/// start with a list that names a missing plugin.
pub(super) fn with_plugin_listed(
    agent: &Agent,
    scope: Scope,
    mut changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some((path, folder)) = list_and_folder(agent, scope, here) else { return Ok(changes) };
    let before = read_or_problem(&path, here)?;
    let unusable = |wrong: install::Wrong| unusable_file_problem(&wrong, &path, here);
    let settings = settings_listing_plugin(agent, &folder, before.as_deref()).map_err(unusable)?;
    let (after, added) = add_settings(agent, before.as_deref(), &settings).map_err(unusable)?;
    let (text, mut notes) = read_notes(agent, here)?;
    notes.entry(path.clone()).or_default().extend(added);
    // What was written is known before it is, or nothing could remove it.
    changes
        .insert(0, Change::of_private_file(notes_path(agent, here), text, serialize_notes(notes)));
    changes.push(Change::of_private_file(path, before, Some(after)));
    Ok(without_no_op_changes(changes))
}

/// Adds the changes that remove the plugin from the lists, before those that remove its files.
pub(super) fn with_plugin_unlisted(
    agent: &Agent,
    scope: Scope,
    changes: Vec<Change>,
    here: &Here,
) -> Result<Vec<Change>, Problem> {
    let Some((own, folder)) = list_and_folder(agent, scope, here) else { return Ok(changes) };
    let (text, mut notes) = read_notes(agent, here)?;
    if !notes.contains_key(&own)
        && let Some(text) = read_or_problem(&own, here)?
    {
        // Without notes, every list stays: an empty one may have been there before.
        let settings = settings_listing_plugin(agent, &folder, Some(&text)).unwrap_or_default();
        let keys_kept = |setting: &Setting| match setting {
            Setting::Item(path, _) => path.len(),
            Setting::Is(..) | Setting::Path(..) => 1,
        };
        let settings = settings.into_iter().map(|setting| (keys_kept(&setting), setting));
        notes.insert(own, settings.map(|(keys, setting)| (setting, keys)).collect());
    }
    let mut first = Vec::new();
    for (path, settings) in notes {
        let Some(before) = read_or_problem(&path, here)? else { continue };
        let after = remove_settings(agent, &before, &settings)
            .map_err(|wrong| unusable_file_problem(&wrong, &path, here))?
            .or_else(|| content_of_emptied_settings(agent, &path));
        first.push(Change::new(path, Some(before), after));
    }
    first.extend(changes);
    first.push(Change::of_private_file(notes_path(agent, here), text, None));
    Ok(without_no_op_changes(first))
}

/// Returns the setting because of which the agent does not load the plugin whose files are there.
pub(crate) fn find_setting_against_plugin(agent: &Agent, here: &Here) -> Option<SwitchSetting> {
    let (path, folder) = list_and_folder(agent, Scope::User, here)?;
    let text = read_if_exists(&path).ok().flatten();
    let switched = find_unlisted_plugin(agent, &folder, text.as_deref())?;
    Some(SwitchSetting { path, text: text.unwrap_or_default(), switched })
}

/// Returns the file that lists the agent's plugins, and the folder of ours.
fn list_and_folder(agent: &Agent, scope: Scope, here: &Here) -> Option<(PathBuf, String)> {
    let list = agent.installation.plugin_list()?;
    let folder = agent_file_path(agent, scope, here)?;
    Some((plugin_list_path(agent, list, here), folder.to_string_lossy().into_owned()))
}

/// Returns the path of the file that lists the agent's plugins.
pub(super) fn plugin_list_path(agent: &Agent, list: &PluginList, here: &Here) -> PathBuf {
    let moved = list.variable.and_then(|name| env_variable(name, here)).map(Path::new);
    match moved.filter(|path| path.is_absolute()) {
        Some(path) => path.to_owned(),
        None => agent_user_directory(agent, here).join(list.file),
    }
}

fn notes_path(agent: &Agent, here: &Here) -> PathBuf {
    here.state.join("installed").join(format!("{}.json", agent.name))
}

/// Reads the notes: their text and their content.
fn read_notes(agent: &Agent, here: &Here) -> Result<(Option<String>, Notes), Problem> {
    let path = notes_path(agent, here);
    let Some(text) = read_or_problem(&path, here)? else { return Ok((None, Notes::new())) };
    let notes = serde_json::from_str(&text).map_err(|error| {
        let (message, line, column) = (error.to_string(), error.line(), error.column());
        unusable_file_problem(&install::Wrong { message, line, column }, &path, here)
    })?;
    Ok((Some(text), notes))
}

/// Serializes the notes; `None` if they are empty.
fn serialize_notes(mut notes: Notes) -> Option<String> {
    notes.retain(|_, settings| !settings.is_empty());
    (!notes.is_empty()).then(|| serde_json::to_string(&notes).ok()).flatten()
}
