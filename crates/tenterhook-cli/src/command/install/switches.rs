//! Does anything switch an agent's hooks off, in the files that `install` writes or in others? Reads files, strongest first.

use std::path::{Path, PathBuf};

use tenterhook_core::agents::{Agent, Below, EnvFile, Pin, Scope, SwitchFile};
use tenterhook_core::install::{self, Switched, find_variable};

use super::files::{agent_user_directory, env_variable, read_if_exists};
use super::listed::{find_setting_against_plugin, plugin_list_path};
use crate::ambient::Here;

/// A file of the agent that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) scope: Scope,
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
    /// Whether an entry of ours stands in it.
    pub(crate) calls: bool,
}

/// What a file says of all hooks of its agent.
#[derive(Clone, Debug)]
pub(crate) struct SwitchSetting {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) switched: Switched,
}

fn directory_of(below: Below, agent: &Agent, here: &Here) -> PathBuf {
    match below {
        Below::AgentHome => agent_user_directory(agent, here),
        Below::UserHome => here.roots.home.clone(),
        Below::Project => here.roots.repository.as_ref().unwrap_or(&here.roots.cwd).clone(),
        Below::Root => PathBuf::from("/"),
    }
}

/// Reads the switch from that file, if it is set there.
fn read_switch(switch: &SwitchFile, agent: &Agent, here: &Here) -> Option<SwitchSetting> {
    let path = directory_of(switch.below, agent, here).join(switch.file);
    let text = read_if_exists(&path).ok().flatten()?;
    let switched = install::find_hook_switch(agent, &[switch.key], &text)?;
    Some(SwitchSetting { path, text, switched })
}

/// Returns the setting that switches all hooks off: the file with the highest precedence that has
/// the setting decides (BR-69).
pub(crate) fn find_off_switch(
    agent: &'static Agent,
    files: &[Seen<'_>],
    here: &Here,
) -> Option<SwitchSetting> {
    let in_file = |seen: &Seen<'_>| {
        let switched = install::find_hook_switch(agent, agent.installation.switches, seen.text)?;
        Some(SwitchSetting { path: seen.path.to_owned(), text: seen.text.to_owned(), switched })
    };
    let (managed, others): (Vec<&Seen<'_>>, Vec<&Seen<'_>>) =
        files.iter().rev().partition(|file| file.scope == Scope::Managed);
    let stays = matches!(agent.installation.protection.pin, Pin::Agent(_))
        && managed.iter().any(|file| file.calls);
    let others = if stays { Vec::new() } else { others };
    let elsewhere = agent.installation.switches_elsewhere.iter().filter(|_| !stays);
    if files.iter().any(|file| file.calls)
        && let Some(setting) = find_setting_against_plugin(agent, here)
    {
        return Some(setting);
    }
    if files.iter().any(|file| file.calls)
        && let Some(setting) = find_variable_against_hooks(agent, here)
    {
        return Some(setting);
    }
    let mut all = managed
        .into_iter()
        .filter_map(in_file)
        .chain(elsewhere.filter_map(|switch| read_switch(switch, agent, here)))
        .chain(others.into_iter().filter_map(in_file));
    all.next().filter(|statement| statement.switched.off)
}

/// Returns the variable because of which the agent does not run our hooks, in this environment or
/// in a file of variables that the agent loads.
fn find_variable_against_hooks(agent: &Agent, here: &Here) -> Option<SwitchSetting> {
    let files: Vec<LoadedFile> = agent
        .installation
        .env_files
        .iter()
        .filter_map(|file| {
            let path = directory_of(file.below, agent, here).join(file.file);
            let text = read_if_exists(&path).ok().flatten()?;
            Some(LoadedFile { file, path, text })
        })
        .collect();
    let in_files = |name: &str, overrides: bool| {
        let mut files = files.iter().filter(|loaded| loaded.file.overrides == overrides);
        files.find_map(|loaded| Some((Some(loaded), find_variable(&loaded.text, name)?)))
    };
    let setting = |name: &str, loaded: Option<&LoadedFile>| SwitchSetting {
        path: loaded.map_or_else(|| "the environment".into(), |loaded| loaded.path.clone()),
        text: loaded.map_or_else(String::new, |loaded| loaded.text.clone()),
        switched: Switched { key: name.to_owned(), off: true, is_missing: false },
    };
    let switched_off = agent.installation.switch_variables.iter().find_map(|name| {
        let in_environment = || Some((None, env_variable(name, here)?.to_owned()));
        let (loaded, value) =
            in_files(name, true).or_else(in_environment).or_else(|| in_files(name, false))?;
        let is_set = !["", "0", "false", "no", "off"].contains(&&*value.to_ascii_lowercase());
        is_set.then(|| setting(name, loaded))
    });
    // The path that this environment names is the one that `install` writes to.
    let moved = |(name, usual): (Option<&'static str>, PathBuf)| {
        let name = name?;
        let is_named = env_variable(name, here).is_some();
        let (loaded, value) =
            in_files(name, true).or_else(|| in_files(name, false).filter(|_| !is_named))?;
        // Qwen Code 0.24.4 ignores the variable in a project's file.
        let loaded = loaded.filter(|loaded| loaded.file.below != Below::Project)?;
        (!value.is_empty() && Path::new(&value) != usual).then(|| setting(name, Some(loaded)))
    };
    let home = (agent.installation.home_variable, agent_user_directory(agent, here));
    let list = agent.installation.plugin_list();
    let list = list.map(|list| (list.variable, plugin_list_path(agent, list, here)));
    switched_off.or_else(|| [home].into_iter().chain(list).find_map(moved))
}

/// A file of variables that was read.
struct LoadedFile {
    file: &'static EnvFile,
    path: PathBuf,
    text: String,
}

/// Returns whether the organisation wrote the pin that keeps users from switching hooks off.
pub(crate) fn is_pinned_by_hand(agent: &Agent, here: &Here) -> bool {
    let elsewhere = agent.installation.switches_elsewhere.iter();
    matches!(agent.installation.protection.pin, Pin::ByHand(_))
        && elsewhere
            .filter(|switch| switch.below == Below::Root)
            .filter_map(|switch| read_switch(switch, agent, here))
            .any(|setting| !setting.switched.off)
}

/// Returns the setting that makes the agent run only the organisation's hooks, if ours are not
/// among them.
pub(crate) fn find_only_managed_switch(
    agent: &'static Agent,
    files: &[Seen<'_>],
    here: &Here,
) -> Option<SwitchSetting> {
    let mut ours = files.iter().filter(|file| file.calls).peekable();
    ours.peek()?;
    if ours.any(|seen| seen.scope == Scope::Managed) {
        return None;
    }
    let switch = agent.installation.protection.only_managed.as_ref()?;
    read_switch(switch, agent, here).filter(|said| said.switched.off)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-84: neither a project's nor a user's file switches off hooks of managed settings.
    #[test]
    fn entries_of_managed_settings_are_not_silenced() {
        let agent = tenterhook_core::agents::agent_with_hook_installation("claude")
            .expect("the row is there");
        let roots = tenterhook_core::dialect::Roots {
            cwd: "/nowhere/project".into(),
            home: "/nowhere/home".into(),
            ..Default::default()
        };
        let here = Here {
            roots,
            beside: Vec::new(),
            env: Vec::new(),
            left: Vec::new(),
            state: "/nowhere/state".into(),
        };
        let path = Path::new("/nowhere/settings.json");
        let file = |scope, text, calls| Seen { scope, path, text, calls };
        let off = "{\"disableAllHooks\": true}";
        let project = file(Scope::Project, off, false);
        let is_off = |files: &[Seen<'_>]| find_off_switch(agent, files, &here).is_some();
        assert!(is_off(&[file(Scope::User, "{}", true), project]));
        assert!(!is_off(&[file(Scope::Managed, "{}", true), project]));
        assert!(is_off(&[file(Scope::Managed, "{}", false), project]));
        assert!(is_off(&[file(Scope::Managed, off, true), project]));
    }
}
