//! Finds the active plugins, from the agent's registry and its settings. Pure: opens no file.
//!
//! The registry lists every plugin that was ever installed; `enabledPlugins` of the settings
//! enables them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::accepted::{Acceptance, acceptance};
use crate::dialect::{Disk, GROUPS, Plugins, Roots};
use crate::source::{Completeness, Flaw, Plugin, Source};
use crate::syntax::{self, Entry, Format, Node, NodeValue, Parsed};

/// The active plugins, each with its hook files.
pub(super) fn find(settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
    let place = registry(roots);
    let Some((registry, flaw)) = disk.read(&place) else { return Plugins::default() };
    let texts: Vec<&str> = settings.iter().map(|setting| &*setting.text).collect();
    let flaw = flaw.filter(|flaw| flaw.kept != Completeness::All).or_else(|| {
        let help = "mend it, or install the plugins anew".to_owned();
        Some(Flaw {
            why: broken_registry_message(&registry)?,
            help,
            kept: Completeness::Nothing,
            untrusted: None,
        })
    });
    // The plugins of an unreadable registry are unknown. If no plugin is enabled, this has no
    // effect.
    let flaw = flaw
        .filter(|_| any_enabled(&texts))
        .map(|flaw| Flaw { kept: Completeness::Nothing, ..flaw });
    let with_files = |plugin: Plugin| {
        let files = hook_files(&plugin, disk);
        (plugin, files)
    };
    let active = active(&registry, &texts, roots).into_iter().map(with_files);
    Plugins { active: active.collect(), flawed: flaw.map(|flaw| (place, flaw)) }
}

/// The hook files of a plugin. A manifest that cannot be read may bring hooks, and name files that
/// do.
pub(super) fn hook_files(plugin: &Plugin, disk: &dyn Disk) -> Vec<PathBuf> {
    let manifest = disk.read(&self::manifest(plugin));
    let mut files = files(plugin, manifest.as_ref().map(|(text, _)| &**text));
    let flawed = manifest.is_some_and(|(_, flaw)| flaw.is_some());
    if flawed && !files.contains(&self::manifest(plugin)) {
        files.push(self::manifest(plugin));
    }
    files
}

/// The agent's list of installed plugins.
fn registry(roots: &Roots) -> PathBuf {
    directory(roots).join("installed_plugins.json")
}

pub(super) fn directory(roots: &Roots) -> PathBuf {
    user_files(roots).join("plugins")
}

/// The directory of the user's files of the agent.
pub(super) fn user_files(roots: &Roots) -> PathBuf {
    roots.config_home.clone().unwrap_or_else(|| roots.home.join(".claude"))
}

/// The plugins that `settings`, weakest first, enable and `registry` knows, in the order of their
/// names (C-38).
fn active(registry: &str, settings: &[&str], roots: &Roots) -> Vec<Plugin> {
    let registry = read(registry).root;
    let known = registry.as_ref().and_then(|registry| registry.get("plugins"));
    enabled(settings, may_be_read)
        .into_iter()
        .filter(|(_, on)| *on)
        .filter_map(|(name, _)| {
            let installed = known?.get(&name)?.as_array()?.iter();
            let root = installed.filter(|node| is_here(node, roots)).find_map(install_path)?;
            let data = directory(roots).join("data").join(file_name(&name));
            let short = name.split('@').next().unwrap_or(&name).to_owned();
            Some(Plugin { name: short, root, data })
        })
        .collect()
}

/// What `settings`, weakest first, say of each plugin; a `false` in a file that is not read counts
/// for nothing.
pub(super) fn enabled(settings: &[&str], is_read: impl Fn(&str) -> bool) -> BTreeMap<String, bool> {
    let mut enabled = BTreeMap::new();
    for text in settings {
        let root = read(text).root;
        let is_read = is_read(text);
        let said = root.as_ref().and_then(|root| root.get("enabledPlugins"));
        for entry in said.map(Node::entries).unwrap_or_default() {
            enabled.insert(entry.key.clone(), is_enabled(&entry.node, is_read));
        }
    }
    enabled
}

/// Whether Claude Code (2.1.332, played) loads a plugin: only `false`, in a file that it reads,
/// switches one off.
fn is_enabled(node: &Node, is_read: bool) -> bool {
    node.as_bool() != Some(false) || !is_read
}

/// Whether Claude Code is not known to refuse a settings file.
fn may_be_read(text: &str) -> bool {
    !matches!(settings_acceptance(text), Some(Acceptance::Refused(_)) | None)
}

/// Why Claude Code refuses a settings file, or may, as a clause; `None` for one that it reads
/// (BR-102).
pub(crate) fn why_refused(text: &str) -> Option<String> {
    match settings_acceptance(text) {
        None => Some("Claude Code refuses a file that is not one object of strict JSON".to_owned()),
        Some(Acceptance::Accepted) => None,
        Some(Acceptance::Refused(key)) => {
            Some(format!("Claude Code refuses the whole file for the value of `{key}`"))
        }
        Some(Acceptance::Unknown(key)) => Some(format!(
            "whether Claude Code reads a file with this value of `{key}` is not known"
        )),
    }
}

/// The key at the root for whose value Claude Code refuses a settings file, where that was seen.
pub(crate) fn refused_key(root: &Node) -> Option<&Entry> {
    let Acceptance::Refused(path) = acceptance(root) else { return None };
    root.entries().iter().rev().find(|entry| path.split('.').next() == Some(&entry.key))
}

/// What becomes of a settings file; `None` for one that is not one object of strict JSON. A byte
/// order mark is read over.
fn settings_acceptance(text: &str) -> Option<Acceptance> {
    let text = text.trim_start_matches('\u{feff}');
    let is_strict = serde_json::from_str::<serde_json::Value>(text).is_ok();
    let root = syntax::parse(text, Format::Json).root.filter(|root| root.as_object().is_some());
    root.filter(|_| is_strict).map(|root| acceptance(&root))
}

/// Whether `settings`, weakest first, enable any plugin, whatever the registry knows.
fn any_enabled(settings: &[&str]) -> bool {
    enabled(settings, may_be_read).into_values().any(|on| on)
}

/// Why some of the registry is not known, where that is so.
fn broken_registry_message(registry: &str) -> Option<String> {
    let parsed = read(registry);
    let fault = parsed.fatal().filter(|_| !parsed.lost.is_empty())?;
    Some(format!("it is not well formed: {}", fault.message))
}

/// What can be read of a text (C-71).
pub(super) fn read(text: &str) -> Parsed {
    syntax::salvage(text, Format::Json, GROUPS)
}

fn install_path(entry: &Node) -> Option<PathBuf> {
    entry
        .get("installPath")
        .and_then(Node::as_str)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// A plugin that is installed for one project is nothing to another.
fn is_here(entry: &Node, roots: &Roots) -> bool {
    let project = entry.get("projectPath").and_then(Node::as_str).map(Path::new);
    project
        .is_none_or(|project| project == roots.cwd || roots.repository.as_deref() == Some(project))
}

fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    name.chars().map(plain).collect()
}

/// The files in which a plugin configures hooks: the usual one, its manifest, and those that the
/// manifest names (C-33).
fn files(plugin: &Plugin, manifest: Option<&str>) -> Vec<PathBuf> {
    let usual = plugin.root.join("hooks/hooks.json");
    let mut files = vec![usual.clone()];
    let parsed = manifest.map(read).unwrap_or_default();
    if !parsed.lost.is_empty() {
        files.push(self::manifest(plugin));
    }
    let Some(hooks) = parsed.root.as_ref().and_then(|root| root.get("hooks")) else { return files };
    let parts = hooks.as_array().unwrap_or(std::slice::from_ref(hooks));
    let holds = parts.iter().any(|part| matches!(part.value, NodeValue::Object(_)));
    if holds && parsed.lost.is_empty() {
        files.push(self::manifest(plugin));
    }
    for named in parts.iter().filter_map(Node::as_str) {
        let path = plugin.root.join(named.strip_prefix("./").unwrap_or(named));
        // A directory stands for the usual file in it.
        let path = if path.extension().is_some() { path } else { path.join("hooks.json") };
        if !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

/// The plugin's manifest.
pub(super) fn manifest(plugin: &Plugin) -> PathBuf {
    plugin.root.join(".claude-plugin/plugin.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        Roots { cwd: "/project".into(), home: "/home/a".into(), ..Roots::default() }
    }

    #[test]
    fn a_plugin_counts_when_it_is_known_enabled_and_for_this_project() {
        let registry = r#"{"version": 2, "plugins": {
            "guard@shop": [{"scope": "user", "installPath": "/p/guard"}],
            "off@shop": [{"installPath": "/p/off"}],
            "elsewhere@shop": [{"installPath": "/p/e", "projectPath": "/other"}],
            "relative@shop": [{"installPath": "p"}]
        }}"#;
        let user =
            r#"{"enabledPlugins": {"guard@shop": false, "off@shop": true, "unknown@shop": true}}"#;
        let project = r#"{"enabledPlugins": {"guard@shop": true, "off@shop": false,
            "elsewhere@shop": true, "relative@shop": true}}"#;
        let found = active(registry, &[user, project], &roots());
        let guard = Plugin {
            name: "guard".to_owned(),
            root: "/p/guard".into(),
            data: "/home/a/.claude/plugins/data/guard-shop".into(),
        };
        assert_eq!(found, [guard]);
        assert_eq!(active("{", &[user], &roots()), []);
    }

    #[test]
    fn a_manifest_may_name_files() {
        let plugin = Plugin { root: "/p".into(), ..Plugin::default() };
        let of = |manifest| files(&plugin, Some(manifest));
        let usual = PathBuf::from("/p/hooks/hooks.json");
        let only = [usual.clone()];
        assert_eq!(files(&plugin, None), only);
        assert_eq!(of(r#"{"hooks": "./hooks/hooks.json"}"#), only);
        assert_eq!(of(r#"{"hooks": "./hooks/"}"#), only);
        assert_eq!(
            of(r#"{"hooks": ["a.json", {}]}"#),
            [usual, "/p/.claude-plugin/plugin.json".into(), "/p/a.json".into()]
        );
    }
}
