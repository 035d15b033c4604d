//! What the agent's files do to each other: the user's own file governs all hooks, and the file under the old name is read
//! only where there is no other (CW-26, CW-27).

use std::path::Path;

use super::super::places::{self, FileKind};
use super::{Reader, Settings, find};
use crate::dialect::GROUPS;
use crate::hook::{Hook, Layer, Run};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Format};

pub(crate) fn settle(layers: &mut [(&Source, &mut ReadConfig)]) {
    let statements = |source: &Source| Some((source.name.to_string(), settings(source)?));
    let governs: Vec<(String, Settings)> =
        layers.iter().filter_map(|(source, _)| statements(source)).collect();
    let present = layers.iter().find(|(source, _)| is_users(source) && !is_legacy(source));
    let present = present.map(|(source, _)| source.name.to_string());
    for (source, config) in layers {
        let replaced = present.as_ref().filter(|_| is_users(source) && is_legacy(source));
        let governs_itself = governs.iter().any(|(name, _)| **name == *source.name);
        for hook in &mut config.hooks {
            if let Some(present) = replaced {
                let because =
                    format!("CodeWhale reads `{present}` instead of the file of its old name");
                hook.disarm(because, "CW-27");
            }
            if !governs_itself {
                governs.iter().for_each(|(name, settings)| govern(hook, name, settings));
            }
        }
    }
}

fn govern(hook: &mut Hook, by: &str, settings: &Settings) {
    if settings.off {
        hook.disarm(format!("`enabled` is false in {by}"), "CW-26");
    }
    hook.timeout = settings.timeout.or(hook.timeout);
    if let (Run::Command(command), Some(directory)) = (&mut hook.run, &settings.directory) {
        command.cwd = Some(directory.clone());
    }
}

fn is_users(source: &Source) -> bool {
    source.layer == Layer::User && FileKind::of(Path::new(&*source.name)) == FileKind::Config
}

fn is_legacy(source: &Source) -> bool {
    places::is_legacy(Path::new(&*source.name))
}

/// What a source says about all hooks, where it may say anything: a project's file may not, nor a plugin's.
fn settings(source: &Source) -> Option<Settings> {
    if matches!(source.layer, Layer::Project | Layer::Plugin) {
        return None;
    }
    let parsed = syntax::salvage(&source.text, Format::Toml, GROUPS);
    let found = find(source, parsed.root.as_ref()?).filter(|found| !found.is_project)?;
    let said = Reader::new(source).own_settings(found.table);
    // A text of which a part is lost switches nothing off (C-71).
    Some(Settings { off: said.off && parsed.lost.is_empty(), ..said })
}
