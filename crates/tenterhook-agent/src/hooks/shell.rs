//! The sandbox in which the commands of the model run: made by the engine, as that of a hook is. Runs nothing.

use std::path::PathBuf;
use std::sync::Arc;

use tenterhook::executor::Ambient;
use tenterhook::internal::executor::{ConfinedShell, Shell};
use tenterhook_core::hook::Profile;
use tenterhook_process as process;

use super::Hooks;
use crate::agent::Settings;
use crate::sandbox::Sandbox;

/// What one command is left.
#[derive(Clone, Debug)]
pub(crate) struct CommandSandbox {
    profile: Profile,
    ambient: Arc<Ambient>,
    home: PathBuf,
    project: PathBuf,
    beside: Vec<PathBuf>,
    never: Vec<PathBuf>,
    set: Vec<(String, String)>,
}

/// A command that was confined.
pub(crate) type Confined = ConfinedShell;

impl Hooks {
    /// Returns the sandbox that the user wants for commands, or `None`. `beside` are directories
    /// that the user gave to the agent, and `set` the variables that hooks set.
    pub(crate) fn command_sandbox(
        &self,
        settings: &Settings,
        beside: Vec<PathBuf>,
        set: Vec<(String, String)>,
    ) -> Option<CommandSandbox> {
        let profile = match settings.sandbox {
            Sandbox::Off => return None,
            Sandbox::Standard => Profile::Standard,
            Sandbox::Strict => Profile::Strict,
        };
        Some(CommandSandbox {
            profile,
            ambient: Arc::new(self.means.model_command_ambient()),
            home: settings.home.clone(),
            project: settings.project.clone(),
            beside,
            never: self.files_run_by_hooks(),
            set,
        })
    }
}

impl CommandSandbox {
    /// Confines a command.
    pub(crate) fn confine_command(&self, described: &mut process::Command) -> Confined {
        let Self { profile, ambient, home, project, beside, never, set } = self;
        let profile = *profile;
        Shell { profile, ambient, home, project, beside, never, set }.apply_sandbox(described)
    }
}

#[cfg(test)]
impl CommandSandbox {
    /// Creates a sandbox as on a machine that cannot confine anything.
    pub(crate) fn unavailable(room: &tenterhook_testkit::Sandbox) -> Self {
        let mut ambient = Ambient::default().env(room.env());
        ambient.pretended = Some(Default::default());
        Self {
            profile: Profile::Standard,
            ambient: Arc::new(ambient),
            home: room.home(),
            project: room.project(),
            beside: Vec::new(),
            never: Vec::new(),
            set: Vec::new(),
        }
    }
}
