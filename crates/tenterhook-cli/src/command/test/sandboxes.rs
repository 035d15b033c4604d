//! In which sandbox does each hook of a file run when it is fired? A case that has more than the hook has in use proves nothing (TE-15).

use std::collections::HashMap;
use std::path::Path;

use tenterhook::discover;
use tenterhook_core::config::{self, Added, Ruleset};
use tenterhook_core::diagnostic::{Code, Location};
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::{Hook, HookId, Sandbox};
use tenterhook_core::outcome::Fault;

use crate::ambient::Here;

/// The sandboxes of the hooks of a suite.
#[derive(Debug, Default)]
pub(super) struct Sandboxes {
    of: HashMap<HookId, Sandbox>,
    is_here: bool,
}

impl Sandboxes {
    /// Determines the sandboxes of the hooks whose files are loaded from this project.
    pub(super) fn new(ruleset: &Ruleset, project: &Path, here: &Here) -> Self {
        let repository =
            here.roots.repository.clone().filter(|repository| project.starts_with(repository));
        let is_here = project == here.roots.cwd || repository.as_deref() == Some(project);
        let roots = Roots { cwd: project.to_owned(), repository, ..here.roots.clone() };
        let added = Added { confines_repositories: true, ..Added::default() };
        let fired = config::load(&discover::find(&roots).sources, &added, None).ruleset;
        let at = |place: &Location| (place.file.clone(), place.line, place.column);
        let known: HashMap<_, _> = fired
            .hooks()
            .iter()
            .filter_map(|hook| Some((at(hook.place.as_ref()?), hook.sandbox.clone())))
            .collect();
        let one =
            |hook: &Hook| Some((hook.id.clone(), known.get(&at(hook.place.as_ref()?))?.clone()));
        Self { of: ruleset.hooks().iter().filter_map(|hook| one(hook)).collect(), is_here }
    }

    /// Sets the sandboxes of these hooks; a hook whose file would not be loaded keeps the setting
    /// of its entry.
    pub(super) fn apply_to_hooks(&self, hooks: &mut [Hook]) {
        for hook in hooks {
            if let Some(sandbox) = self.of.get(&hook.id) {
                hook.sandbox = sandbox.clone();
            }
        }
    }

    /// Returns whether the user is in the directory of this project, so that its hooks run without
    /// naming their file.
    pub(super) const fn is_current_project(&self) -> bool {
        self.is_here
    }
}

/// Returns whether a fault only says that this machine cannot provide a sandbox that no setting
/// requires: cases ignore it.
pub(super) fn is_machine_limitation(fault: &Fault) -> bool {
    fault.code == Code::Unconfined
}
