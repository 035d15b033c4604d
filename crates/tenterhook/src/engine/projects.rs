//! Finds the project that a hook belongs to, if an engine has files of several. A hook runs for its
//! own project, whichever project the event names (BR-18). Reads no file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, Layer};
use tenterhook_core::source::Source;

/// The project of each file that belongs to one. If the host has one project, only files found in
/// nested projects are listed.
#[derive(Debug, Default)]
pub(super) struct Projects(HashMap<Arc<str>, PathBuf>);

impl Projects {
    pub(super) fn from_sources(sources: &[Source], are_several: bool) -> Self {
        let is_owned = |source: &&Source| {
            (are_several || source.found_from.is_some())
                && !matches!(source.layer, Layer::Managed | Layer::User | Layer::BuiltIn)
        };
        let owned = sources.iter().filter(is_owned);
        Self(owned.map(|source| (Arc::clone(&source.name), source.project.clone())).collect())
    }

    /// Returns the event in the project of the hook; `None` if the event already names that
    /// project.
    pub(super) fn event_in_hook_project(&self, hook: &Hook, event: &Event) -> Option<Event> {
        let project: &Path = self.0.get(&hook.place.as_ref()?.file)?;
        (project != event.within.project).then(|| {
            let mut own = event.clone();
            own.within.project = project.to_owned();
            own
        })
    }
}
