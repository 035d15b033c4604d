//! Finds the enabled plugins of Gen and their hook files. Reads files only through `Disk`.

use std::path::{Path, PathBuf};

use crate::dialect::{Disk, Plugins, Roots};
use crate::source::{Plugin, Source};
use crate::syntax::{self, Format, Node, NodeValue};

/// The enabled plugins with their hook files. Each directory in the agent's `plugins` is a plugin,
/// unless the settings disable it (G-3).
pub(super) fn find_plugins(settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
    let settings: Vec<&str> = settings.iter().map(|setting| &*setting.text).collect();
    let installed = disk.list_directories(&roots.home.join(".gen/plugins")).into_iter();
    let plugin = |root: PathBuf| {
        let name = root.file_name()?.to_string_lossy().into_owned();
        is_plugin_enabled(&name, &settings).then(|| Plugin { name, data: root.join("data"), root })
    };
    let whole = |path: &Path| {
        let (text, _) = disk.read_file(path).filter(|(_, flaw)| flaw.is_none())?;
        Some(text.to_string())
    };
    let with_files = |plugin: Plugin| {
        let files = plugin_hook_files(&plugin, whole);
        (plugin, files)
    };
    let active = installed.filter_map(plugin).map(with_files);
    Plugins { active: active.collect(), flawed: None }
}

/// Whether the plugin `name` is enabled. The last of `settings` that mentions it decides; the key
/// is its name, or its name and marketplace (`name@marketplace`).
fn is_plugin_enabled(name: &str, settings: &[&str]) -> bool {
    let setting = |text: &&&str| {
        let root = syntax::parse_by_format(text, Format::Json).root?;
        let all = root.get("enabledPlugins")?.entries();
        let own = |key: &str| key.split('@').next() == Some(name);
        all.iter().rfind(|entry| own(&entry.key)).and_then(|entry| entry.node.as_bool())
    };
    settings.iter().rev().find_map(|text| setting(&text)).unwrap_or(true)
}

/// The paths of a plugin's manifest; the first that exists is read.
const MANIFESTS: &[&str] = &[".gen-plugin/plugin.json", ".claude-plugin/plugin.json"];

/// The hook files of a plugin: those that its manifest names, else the default one.
fn plugin_hook_files(plugin: &Plugin, read: impl Fn(&Path) -> Option<String>) -> Vec<PathBuf> {
    let default = || vec![plugin.root.join("hooks/hooks.json")];
    let mut manifests = MANIFESTS.iter().map(|manifest| plugin.root.join(manifest));
    let Some((path, text)) =
        manifests.find_map(|manifest| Some((manifest.clone(), read(&manifest)?)))
    else {
        return default();
    };
    let root = syntax::parse_by_format(&text, Format::Json).root;
    match root.as_ref().and_then(|root| root.get("hooks")).map(|hooks: &Node| &hooks.value) {
        Some(NodeValue::Object(_)) => vec![path],
        Some(NodeValue::String(named)) => {
            let named = ["${GEN_PLUGIN_ROOT}/", "${CLAUDE_PLUGIN_ROOT}/", "./"]
                .iter()
                .find_map(|prefix| named.strip_prefix(prefix))
                .unwrap_or(named);
            vec![plugin.root.join(named)]
        }
        _ => default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-3, G-80.
    #[test]
    fn plugin_is_enabled_unless_the_strongest_setting_disables_it() {
        let off = r#"{"enabledPlugins": {"guard@shop": false}}"#;
        let on = r#"{"enabledPlugins": {"guard": true}}"#;
        for (settings, expected) in [
            (vec![], true),
            (vec!["{"], true),
            (vec![off], false),
            (vec![on, off], false),
            (vec![off, on], true),
        ] {
            assert_eq!(is_plugin_enabled("guard", &settings), expected, "{settings:?}");
        }
        assert!(is_plugin_enabled("other", &[off]));
    }

    /// G-3, G-80.
    #[test]
    fn manifest_names_the_hook_files_of_a_plugin() {
        let plugin = Plugin { root: "/p".into(), ..Plugin::default() };
        let files_with = |manifest: &str| {
            let read = |path: &Path| {
                (path == Path::new("/p/.gen-plugin/plugin.json")).then(|| manifest.to_owned())
            };
            plugin_hook_files(&plugin, read)
        };
        let default = [PathBuf::from("/p/hooks/hooks.json")];
        assert_eq!(plugin_hook_files(&plugin, |_| None), default);
        assert_eq!(files_with(r#"{"name": "p"}"#), default);
        let named = files_with(r#"{"hooks": "${GEN_PLUGIN_ROOT}/h.json"}"#);
        assert_eq!(named, [PathBuf::from("/p/h.json")]);
        let own = [PathBuf::from("/p/.gen-plugin/plugin.json")];
        assert_eq!(files_with(r#"{"hooks": {"hooks": {}}}"#), own);
    }
}
