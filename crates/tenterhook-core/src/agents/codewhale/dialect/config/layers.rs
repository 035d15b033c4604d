//! Applies the settings of one file to the hooks of the others: the user's file governs all hooks,
//! and the user's file under the old name is read only if there is no other (CW-26, CW-27). Opens
//! no file.

use std::path::Path;

use super::super::paths::{self, FileKind};
use super::{Reader, Settings, find_hooks_table};
use crate::dialect::GROUPS;
use crate::hook::{Hook, Layer, Run};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Format};

/// Applies the settings for all hooks to the hooks of files that have no such settings, and disarms
/// the hooks of the user's file under the old name if the one under the new name exists.
pub(crate) fn apply_layer_settings_to_hooks(layers: &mut [(&Source, &mut ReadConfig)]) {
    let statements =
        |source: &Source| Some((source.name.to_string(), settings_for_all_hooks(source)?));
    let governs: Vec<(String, Settings)> =
        layers.iter().filter_map(|(source, _)| statements(source)).collect();
    let present =
        layers.iter().find(|(source, _)| is_user_config(source) && !is_legacy_config(source));
    let present = present.map(|(source, _)| source.name.to_string());
    for (source, config) in layers {
        let replaced =
            present.as_ref().filter(|_| is_user_config(source) && is_legacy_config(source));
        let governs_itself = governs.iter().any(|(name, _)| **name == *source.name);
        for hook in &mut config.hooks {
            if let Some(present) = replaced {
                let because =
                    format!("CodeWhale reads `{present}` instead of the file of its old name");
                hook.disarm(because, "CW-27");
            }
            if !governs_itself {
                governs
                    .iter()
                    .for_each(|(name, settings)| apply_settings_to_hook(hook, name, settings));
            }
        }
    }
}

fn apply_settings_to_hook(hook: &mut Hook, by: &str, settings: &Settings) {
    if settings.off {
        hook.disarm(format!("`enabled` is false in {by}"), "CW-26");
    }
    hook.timeout = settings.timeout.or(hook.timeout);
    if let (Run::Command(command), Some(directory)) = (&mut hook.run, &settings.directory) {
        command.cwd = Some(directory.clone());
    }
}

fn is_user_config(source: &Source) -> bool {
    source.layer == Layer::User && FileKind::from_path(Path::new(&*source.name)) == FileKind::Config
}

fn is_legacy_config(source: &Source) -> bool {
    paths::is_legacy_config_path(Path::new(&*source.name))
}

/// The settings of a source that apply to all hooks. Files of projects and plugins have none.
fn settings_for_all_hooks(source: &Source) -> Option<Settings> {
    if matches!(source.layer, Layer::Project | Layer::Plugin) {
        return None;
    }
    let parsed = syntax::parse_or_salvage(&source.text, Format::Toml, GROUPS);
    let found =
        find_hooks_table(source, parsed.root.as_ref()?).filter(|found| !found.is_project)?;
    let settings = Reader::new(source).parse_settings_table(found.table);
    // A file with an unreadable part disables nothing (C-71).
    Some(Settings { off: settings.off && parsed.lost.is_empty(), ..settings })
}
