//! The guard module of the user's settings, which runs ahead of all other modules in Claude Code
//! and prevents them from silencing hooks. Measured with 2.1.332. Pure: texts, and whether a folder
//! holds exactly these.

use std::path::{Path, PathBuf};

use super::silence::Settings;
use crate::dialect::{Disk, Scan};
use crate::hook::Layer;
use crate::syntax::Node;

/// The module. `plugin.register` drops the modules of every plugin that a user or a project added
/// and keeps its other parts; `classic.*` passes each hook event around all other modules. A
/// handler that fails refuses the plugin.
const MODULE: &str = r#"// Written by `tenterhook install claude --guard`. It keeps modules of plugins from silencing the hooks of settings.
export const register = (on: any) => {
  on("plugin.register", async ($: any, e: any, next: any) => {
    if (e.tier === "user" && e.provides.modules.length > 0) {
      return next({ ...e, provides: { ...e.provides, modules: [] } });
    }
    return next(e);
  }).catch(() => ({ refuse: "the guard of Tenterhook failed" }));
  on("classic.*", async ($: any, e: any, next: any) => next.to(e, "append"));
};
"#;

/// The manifest, which names modules relative to its own folder.
const HOOKS: &str = "{\n  \"modules\": [\"./guard.ts\"]\n}\n";

const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The variable that names folders of plugins.
pub(super) const PLUGIN_DIRS: &str = "CLAUDE_CODE_PLUGIN_DIRS";

/// The files of the guard with that name, relative to its folder.
pub(crate) fn files_of_guard(name: &str) -> [(&'static str, String); 3] {
    let description = "Keeps modules of other plugins from silencing hooks (Tenterhook)";
    let manifest = format!(
        "{{\n  \"name\": \"{name}\",\n  \"version\": \"1.0.0\",\n  \"description\": \"{description}\"\n}}\n"
    );
    [
        (MANIFEST, manifest),
        ("hooks/hooks.json", HOOKS.to_owned()),
        ("hooks/guard.ts", MODULE.to_owned()),
    ]
}

/// The id by which settings load the guard with that name ahead of all other modules.
pub(crate) fn plugin_id_of_guard(name: &str) -> String {
    format!("{name}@inline")
}

/// Whether a folder holds exactly the files of the guard. The guard has the name of the folder.
pub(super) fn is_guard_folder(root: &Path, disk: &dyn Disk) -> bool {
    let Some(name) = root.file_name().and_then(|name| name.to_str()) else { return false };
    files_of_guard(name).iter().all(|(path, text)| {
        disk.read_file(&root.join(path)).is_some_and(|(found, _)| *found == **text)
    })
}

/// Whether a guard runs before all modules: the user's settings load it first, and there are no
/// managed settings, which would make the agent ignore the user's order. `env` of settings
/// overrides the environment, so it must name no other folders.
pub(super) fn guard_runs_before_modules(scan: Scan<'_>, settings: &[Settings<'_>]) -> bool {
    if settings.iter().any(|file| file.source.layer == Layer::Managed) {
        return false;
    }
    let own =
        settings.iter().filter(|file| file.source.layer == Layer::User && file.refused.is_none());
    own.into_iter().any(|file| {
        let listed = file.find_entry("prependPlugins").and_then(|entry| entry.node.as_array());
        let ids: Vec<&str> = listed.into_iter().flatten().filter_map(Node::as_str).collect();
        let folders =
            file.find_entry("env").and_then(|entry| entry.node.get(PLUGIN_DIRS)?.as_str());
        split_path_list(folders.unwrap_or_default()).any(|path| {
            let folder = PathBuf::from(path);
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ids.contains(&plugin_id_of_guard(&name).as_str()) && is_guard_folder(&folder, scan.disk)
        })
    })
}

/// The paths of a list.
pub(super) fn split_path_list(list: &str) -> impl Iterator<Item = &str> {
    let separator = if cfg!(windows) { ';' } else { ':' };
    list.split(separator).map(str::trim).filter(|part| !part.is_empty())
}
