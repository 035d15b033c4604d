//! Finds the enabled plugins of Kimi Code CLI and their manifests, which hold their hooks (KM-5).
//! Reads files only through `Disk`.

use std::path::{Path, PathBuf};

use crate::dialect::{DialectId, Disk, Plugins, Roots};
use crate::source::{Completeness, Flaw, Plugin, Source};
use crate::syntax::{Format, Node, parse_by_format};

/// A plugin's manifests; the first that exists is read.
const MANIFESTS: &[&str] = &["kimi.plugin.json", ".kimi-plugin/plugin.json"];

/// Returns whether a path is that of a plugin's manifest.
pub(super) fn is_manifest(path: &Path) -> bool {
    MANIFESTS.iter().any(|manifest| path.ends_with(manifest))
}

/// The plugins that the agent's list of installed plugins enables, each with its manifest.
pub(super) fn find_plugins(_: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
    let home = roots.agent_home(DialectId::KIMI);
    let registry = home.join("plugins/installed.json");
    let Some((text, flaw)) = disk.read_file(&registry) else { return Plugins::default() };
    let root = parse_by_format(&text, Format::Json).root;
    let installed = root.as_ref().and_then(|root| root.get("plugins")?.as_array());
    let active = installed.into_iter().flatten().filter_map(|entry| {
        let (root, manifest, name) = find_manifest_of_enabled_plugin(entry, disk)?;
        // The agent hands its home on to plugins; they have no other directory for data.
        Some((Plugin { name, root, data: home.clone() }, vec![manifest]))
    });
    let active = active.collect();
    let flaw = flaw.map(|flaw| Flaw { kept: Completeness::Nothing, ..flaw });
    Plugins { active, flawed: flaw.map(|flaw| (registry, flaw)) }
}

/// Returns the directory of an enabled plugin, its manifest and its name.
fn find_manifest_of_enabled_plugin(
    entry: &Node,
    disk: &dyn Disk,
) -> Option<(PathBuf, PathBuf, String)> {
    entry.get("enabled")?.as_bool().filter(|enabled| *enabled)?;
    let root = PathBuf::from(entry.get("root")?.as_str()?);
    let (manifest, text) = MANIFESTS.iter().find_map(|manifest| {
        let path = root.join(manifest);
        let (text, _) = disk.read_file(&path)?;
        Some((path, text))
    })?;
    let name = parse_by_format(&text, Format::Json).root?.get("name")?.as_str()?.trim().to_owned();
    is_plugin_name(&name).then_some((root, manifest, name))
}

/// Returns whether Kimi Code CLI loads a plugin of this name.
fn is_plugin_name(name: &str) -> bool {
    let is_small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.starts_with(is_small)
        && name.len() <= 64
        && name.chars().all(|c| is_small(c) || matches!(c, '_' | '-'))
}
