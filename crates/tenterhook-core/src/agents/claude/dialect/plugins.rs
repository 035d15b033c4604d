//! Finds the active plugins, from the agent's registry and its settings. Pure: opens no file.
//!
//! The registry lists every plugin that was ever installed; `enabledPlugins` of the settings
//! enables them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::accepted::{Acceptance, settings_acceptance_of_root};
use crate::dialect::{Disk, GROUPS, Plugins, Roots};
use crate::source::{Completeness, Flaw, Plugin, Source};
use crate::syntax::{self, Format, Node, NodeValue, Parsed};

/// The active plugins, each with its hook files.
pub(super) fn find_plugins(settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
    let place = plugin_registry_path(roots);
    let Some((registry, flaw)) = disk.read_file(&place) else { return Plugins::default() };
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
        .filter(|_| enables_any_plugin(&texts))
        .map(|flaw| Flaw { kept: Completeness::Nothing, ..flaw });
    let with_files = |plugin: Plugin| {
        let files = hook_files(&plugin, disk);
        (plugin, files)
    };
    let active = active_plugins(&registry, &texts, roots).into_iter().map(with_files);
    Plugins { active: active.collect(), flawed: flaw.map(|flaw| (place, flaw)) }
}

/// Returns the hook files of a plugin. An unreadable manifest is included, because it may contain
/// hooks or name files that do.
pub(super) fn hook_files(plugin: &Plugin, disk: &dyn Disk) -> Vec<PathBuf> {
    let manifest = disk.read_file(&self::manifest_path(plugin));
    let mut files = hook_files_by_manifest(plugin, manifest.as_ref().map(|(text, _)| &**text));
    let flawed = manifest.is_some_and(|(_, flaw)| flaw.is_some());
    if flawed && !files.contains(&self::manifest_path(plugin)) {
        files.push(self::manifest_path(plugin));
    }
    files
}

/// The agent's list of installed plugins.
fn plugin_registry_path(roots: &Roots) -> PathBuf {
    plugins_directory(roots).join("installed_plugins.json")
}

pub(super) fn plugins_directory(roots: &Roots) -> PathBuf {
    user_config_directory(roots).join("plugins")
}

/// The directory of the user's files of the agent.
pub(super) fn user_config_directory(roots: &Roots) -> PathBuf {
    roots.config_home.clone().unwrap_or_else(|| roots.home.join(".claude"))
}

/// The plugins that `settings`, weakest first, enable and `registry` knows, in the order of their
/// names (C-38).
fn active_plugins(registry: &str, settings: &[&str], roots: &Roots) -> Vec<Plugin> {
    let registry = parse_lenient(registry).root;
    let known = registry.as_ref().and_then(|registry| registry.get("plugins"));
    plugin_enablement(settings, may_settings_be_accepted)
        .into_iter()
        .filter(|(_, on)| *on)
        .filter_map(|(name, _)| {
            let installed = known?.get(&name)?.as_array()?.iter();
            let root = installed
                .filter(|node| installation_applies_to_project(node, roots))
                .find_map(install_path)?;
            let data = plugins_directory(roots).join("data").join(sanitize_file_name(&name));
            let short = name.split('@').next().unwrap_or(&name).to_owned();
            Some(Plugin { name: short, root, data })
        })
        .collect()
}

/// Returns for each plugin that `settings`, weakest first, mention whether they enable it; a
/// `false` in a file that the agent does not read has no effect.
pub(super) fn plugin_enablement(
    settings: &[&str],
    is_read: impl Fn(&str) -> bool,
) -> BTreeMap<String, bool> {
    let mut enabled = BTreeMap::new();
    for text in settings {
        let root = parse_lenient(text).root;
        let is_read = is_read(text);
        let said = root.as_ref().and_then(|root| root.get("enabledPlugins"));
        for entry in said.map(Node::entries).unwrap_or_default() {
            enabled.insert(entry.key.clone(), value_enables_plugin(&entry.node, is_read));
        }
    }
    enabled
}

/// Whether Claude Code (2.1.332, tested) loads a plugin: only `false`, in a file that it reads,
/// disables one.
fn value_enables_plugin(node: &Node, is_read: bool) -> bool {
    node.as_bool() != Some(false) || !is_read
}

/// Whether Claude Code is not known to refuse a settings file.
fn may_settings_be_accepted(text: &str) -> bool {
    !matches!(settings_acceptance(text), Some(Acceptance::Refused(_)) | None)
}

/// Returns the reason why Claude Code refuses a settings file, or may refuse it, as a clause;
/// `None` for a file that it reads (BR-102).
pub(crate) fn settings_refusal_reason(text: &str) -> Option<String> {
    match settings_acceptance(text) {
        None => Some("Claude Code refuses a file that is not one object of strict JSON".to_owned()),
        Some(Acceptance::Accepted) => None,
        Some(Acceptance::Refused(refused)) => {
            Some(format!("Claude Code refuses the whole file: {}", refused.sentence()))
        }
        Some(Acceptance::Unknown(key)) => Some(format!(
            "whether Claude Code reads a file with this value of `{key}` is not known"
        )),
    }
}

/// Returns whether the agent accepts a settings file; `None` if the text is not one object of
/// strict JSON. A byte order mark is skipped.
fn settings_acceptance(text: &str) -> Option<Acceptance> {
    let text = text.trim_start_matches('\u{feff}');
    let is_strict = serde_json::from_str::<serde_json::Value>(text).is_ok();
    let root =
        syntax::parse_by_format(text, Format::Json).root.filter(|root| root.as_object().is_some());
    root.filter(|_| is_strict).map(|root| settings_acceptance_of_root(&root))
}

/// Whether `settings`, weakest first, enable any plugin, whether or not the registry lists it.
fn enables_any_plugin(settings: &[&str]) -> bool {
    plugin_enablement(settings, may_settings_be_accepted).into_values().any(|on| on)
}

/// Returns the reason why a part of the registry cannot be read, if there is one.
fn broken_registry_message(registry: &str) -> Option<String> {
    let parsed = parse_lenient(registry);
    let fault = parsed.fatal_fault().filter(|_| !parsed.lost.is_empty())?;
    Some(format!("it is not well formed: {}", fault.message))
}

/// Parses as much of a JSON text as can be read (C-71).
pub(super) fn parse_lenient(text: &str) -> Parsed {
    syntax::parse_or_salvage(text, Format::Json, GROUPS)
}

fn install_path(entry: &Node) -> Option<PathBuf> {
    entry
        .get("installPath")
        .and_then(Node::as_str)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Whether an installation applies to this project. A plugin that is installed for one project does
/// not apply to others.
fn installation_applies_to_project(entry: &Node, roots: &Roots) -> bool {
    let project = entry.get("projectPath").and_then(Node::as_str).map(Path::new);
    project
        .is_none_or(|project| project == roots.cwd || roots.repository.as_deref() == Some(project))
}

fn sanitize_file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    name.chars().map(plain).collect()
}

/// The files in which a plugin configures hooks: the usual one, its manifest, and those that the
/// manifest names (C-33).
fn hook_files_by_manifest(plugin: &Plugin, manifest: Option<&str>) -> Vec<PathBuf> {
    let usual = plugin.root.join("hooks/hooks.json");
    let mut files = vec![usual.clone()];
    let parsed = manifest.map(parse_lenient).unwrap_or_default();
    if !parsed.lost.is_empty() {
        files.push(self::manifest_path(plugin));
    }
    let Some(hooks) = parsed.root.as_ref().and_then(|root| root.get("hooks")) else { return files };
    let parts = hooks.as_array().unwrap_or(std::slice::from_ref(hooks));
    let holds = parts.iter().any(|part| matches!(part.value, NodeValue::Object(_)));
    if holds && parsed.lost.is_empty() {
        files.push(self::manifest_path(plugin));
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
pub(super) fn manifest_path(plugin: &Plugin) -> PathBuf {
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
        let found = active_plugins(registry, &[user, project], &roots());
        let guard = Plugin {
            name: "guard".to_owned(),
            root: "/p/guard".into(),
            data: "/home/a/.claude/plugins/data/guard-shop".into(),
        };
        assert_eq!(found, [guard]);
        assert_eq!(active_plugins("{", &[user], &roots()), []);
    }

    #[test]
    fn a_manifest_may_name_files() {
        let plugin = Plugin { root: "/p".into(), ..Plugin::default() };
        let of = |manifest| hook_files_by_manifest(&plugin, Some(manifest));
        let usual = PathBuf::from("/p/hooks/hooks.json");
        let only = [usual.clone()];
        assert_eq!(hook_files_by_manifest(&plugin, None), only);
        assert_eq!(of(r#"{"hooks": "./hooks/hooks.json"}"#), only);
        assert_eq!(of(r#"{"hooks": "./hooks/"}"#), only);
        assert_eq!(
            of(r#"{"hooks": ["a.json", {}]}"#),
            [usual, "/p/.claude-plugin/plugin.json".into(), "/p/a.json".into()]
        );
    }
}
