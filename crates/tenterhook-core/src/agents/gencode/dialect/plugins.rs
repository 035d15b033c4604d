//! Which of Gen's plugins count, and the files in which one configures hooks. Pure: opens no file itself.

use std::path::{Path, PathBuf};

use crate::dialect::{Disk, Plugins, Roots};
use crate::source::{Plugin, Source};
use crate::syntax::{self, Format, Node, NodeValue};

/// The plugins that count, each with its hook files: each directory of the agent's `plugins` is one, unless the settings
/// say no (G-3).
pub(super) fn find(settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
    let settings: Vec<&str> = settings.iter().map(|setting| &*setting.text).collect();
    let installed = disk.directories(&roots.home.join(".gen/plugins")).into_iter();
    let plugin = |root: PathBuf| {
        let name = root.file_name()?.to_string_lossy().into_owned();
        enabled(&name, &settings).then(|| Plugin { name, data: root.join("data"), root })
    };
    let whole = |path: &Path| {
        let (text, _) = disk.read(path).filter(|(_, flaw)| flaw.is_none())?;
        Some(text.to_string())
    };
    let with_files = |plugin: Plugin| {
        let files = files(&plugin, whole);
        (plugin, files)
    };
    let active = installed.filter_map(plugin).map(with_files);
    Plugins { active: active.collect(), flawed: None }
}

/// Whether the plugin of that name counts: the strongest of `settings`, weakest first, that speaks of it says so, by its name
/// alone or with the place where it comes from.
fn enabled(name: &str, settings: &[&str]) -> bool {
    let says = |text: &&&str| {
        let root = syntax::parse(text, Format::Json).root?;
        let all = root.get("enabledPlugins")?.entries();
        let own = |key: &str| key.split('@').next() == Some(name);
        all.iter().rfind(|entry| own(&entry.key)).and_then(|entry| entry.node.as_bool())
    };
    settings.iter().rev().find_map(|text| says(&text)).unwrap_or(true)
}

/// Where a plugin may describe itself, the first that is there.
const MANIFESTS: &[&str] = &[".gen-plugin/plugin.json", ".claude-plugin/plugin.json"];

/// The files in which a plugin configures hooks: what its manifest says, else the usual one.
fn files(plugin: &Plugin, read: impl Fn(&Path) -> Option<String>) -> Vec<PathBuf> {
    let usual = || vec![plugin.root.join("hooks/hooks.json")];
    let mut manifests = MANIFESTS.iter().map(|manifest| plugin.root.join(manifest));
    let Some((path, text)) =
        manifests.find_map(|manifest| Some((manifest.clone(), read(&manifest)?)))
    else {
        return usual();
    };
    let root = syntax::parse(&text, Format::Json).root;
    match root.as_ref().and_then(|root| root.get("hooks")).map(|hooks: &Node| &hooks.value) {
        Some(NodeValue::Object(_)) => vec![path],
        Some(NodeValue::String(named)) => {
            let named = ["${GEN_PLUGIN_ROOT}/", "${CLAUDE_PLUGIN_ROOT}/", "./"]
                .iter()
                .find_map(|prefix| named.strip_prefix(prefix))
                .unwrap_or(named);
            vec![plugin.root.join(named)]
        }
        _ => usual(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-3, G-80.
    #[test]
    fn a_plugin_counts_unless_the_strongest_word_is_no() {
        let off = r#"{"enabledPlugins": {"guard@shop": false}}"#;
        let on = r#"{"enabledPlugins": {"guard": true}}"#;
        for (settings, counts) in [
            (vec![], true),
            (vec!["{"], true),
            (vec![off], false),
            (vec![on, off], false),
            (vec![off, on], true),
        ] {
            assert_eq!(enabled("guard", &settings), counts, "{settings:?}");
        }
        assert!(enabled("other", &[off]));
    }

    /// G-3, G-80.
    #[test]
    fn a_manifest_says_where_the_hooks_are() {
        let plugin = Plugin { root: "/p".into(), ..Plugin::default() };
        let of = |manifest: &str| {
            let read = |path: &Path| {
                (path == Path::new("/p/.gen-plugin/plugin.json")).then(|| manifest.to_owned())
            };
            files(&plugin, read)
        };
        let usual = [PathBuf::from("/p/hooks/hooks.json")];
        assert_eq!(files(&plugin, |_| None), usual);
        assert_eq!(of(r#"{"name": "p"}"#), usual);
        assert_eq!(of(r#"{"hooks": "${GEN_PLUGIN_ROOT}/h.json"}"#), [PathBuf::from("/p/h.json")]);
        let own = [PathBuf::from("/p/.gen-plugin/plugin.json")];
        assert_eq!(of(r#"{"hooks": {"hooks": {}}}"#), own);
    }
}
