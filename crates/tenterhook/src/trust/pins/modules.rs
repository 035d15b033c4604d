//! Which files does a plugin load whose modules run inside an agent? The whole folder of the plugin; runs nothing.

use std::path::{Component, Path, PathBuf};

use super::{Finding, Pins, Reading};
use tenterhook_core::source::{ReadConfig, Source};

/// Pins the folder of the plugin whose modules `config` makes its agent load: everything in it,
/// because a module may load any of it.
pub(in crate::trust) fn pins_of_plugin_modules(
    source: &Source,
    config: &ReadConfig,
    finding: Finding<'_>,
) -> Option<Pins> {
    let plugin = source.plugin.as_ref().filter(|_| !config.modules.is_empty())?;
    let mut reading = Reading::new(finding, true);
    let read = reading.pin_folder(&plugin.root, &mut Vec::new());
    // They are named from the folder of the hooks file.
    let outside = |name: &&String| !lies_below(&source.directory.join(name), &plugin.root);
    let outside = config.modules.iter().filter(outside);
    let mut unpinned = reading.unpinned;
    unpinned.extend(outside.map(|name| format!("the module `{name}` lies outside of its folder")));
    Some(Pins {
        files: reading.files.into_sorted(),
        unpinned,
        too_much: read.err().map(|error| error.to_string()),
        ..Pins::default()
    })
}

/// Returns whether a path lies below a folder, judged by its text only.
fn lies_below(path: &Path, folder: &Path) -> bool {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts.iter().collect::<PathBuf>().starts_with(folder)
}
