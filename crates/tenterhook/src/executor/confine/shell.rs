//! Confines a program that a host starts itself, in the profile that the user chose: the
//! commands of an agent's model. The host names the profile and the directory, and grants nothing
//! itself. Judges nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tenterhook_process as process;

use super::denied::{Found, Refused, sandbox_creation_error};
use super::grant_context::GrantContext;
use super::{Access, Confined, restrict_to_access};
use crate::executor::Ambient;
use crate::executor::command::LISTED;
use tenterhook_core::hook::{Grants, Profile};

/// Where the commands of an agent run, and in which profile.
#[derive(Clone, Copy, Debug)]
pub struct Shell<'s> {
    /// `standard` changes the project; `strict` changes nothing.
    pub profile: Profile,
    /// The environment that the host gives to hooks, and where scratch directories may be created.
    pub ambient: &'s Ambient,
    /// The user's home.
    pub home: &'s Path,
    /// The directory in which the agent works.
    pub project: &'s Path,
    /// Directories beside the project that the user added to it.
    pub beside: &'s [PathBuf],
    /// Protected files beyond those that no sandbox grants: the files of the agent's guard.
    pub never: &'s [PathBuf],
    /// Variables that are set for its commands.
    pub set: &'s [(String, String)],
}

/// The confinement of a command. Its scratch directory is removed with it.
#[derive(Debug)]
pub struct ConfinedShell(Confined);

impl Shell<'_> {
    /// Confines `described`, and replaces its environment.
    pub fn apply_sandbox(&self, described: &mut process::Command) -> ConfinedShell {
        // The grants of a hook in `standard`: a shell that could not read the project would be
        // useless.
        let grants = Grants::from_profile(Profile::Standard);
        let context = GrantContext {
            project: self.project,
            cwd: &described.cwd.clone(),
            home: self.home,
            env: &self.ambient.env,
            scratch: self.ambient.scratch.as_deref(),
            granted: &[],
            pretended: self.ambient.pretended,
        };
        let mut own = vec![self.project.to_path_buf()];
        own.extend_from_slice(self.beside);
        let writes: &[PathBuf] = if self.profile == Profile::Standard { &own } else { &[] };
        let listed = context.env.iter().filter(|(name, _)| LISTED.contains(&name.as_str()));
        let env: HashMap<_, _> =
            listed.chain(self.set).map(|(name, value)| (name, value)).collect();
        described.env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let access =
            Access { grants: &grants, reads: &own, writes, copy: None, own: None, file: None };
        let mut confined = restrict_to_access(access, &context, described);
        let protected = self
            .beside
            .iter()
            .flat_map(|path| super::protected::find_protected_paths(&[path], context.home, &[]));
        confined.add_protected_paths(protected.chain(self.never.iter().cloned()));
        described.confine = Some(confined.confinement.clone());
        ConfinedShell(confined)
    }
}

impl ConfinedShell {
    /// Returns the refusal that a command reports in `printed`, with the path, for the model.
    #[must_use]
    pub fn refusal_in_output(&self, printed: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(printed);
        Some(match self.0.first_refusal(&text)? {
            // If nothing is writable, protected files beside the path make no difference.
            Found::Path(path, Refused::Make | Refused::Passing) if !self.0.can_write(&path) => {
                path_refused_message(&path, Refused::Write)
            }
            Found::Path(path, how) => path_refused_message(&path, how),
            Found::Attributes(_) => "the sandbox lets no command change a file's mode, owner, times or attributes".to_owned(),
            Found::Peers(_) => "the sandbox lets no command reach a host".to_owned(),
            Found::Git => "the sandbox lets nothing be made beside git's hooks, so that git cannot write there".to_owned(),
        })
    }

    /// Explains why the command was not started, if the sandbox is the reason.
    #[must_use]
    pub fn why_sandbox_prevented_start(&self, error: &process::NotStarted) -> Option<String> {
        if !error.is_sandbox_fault() {
            return None;
        }
        let many = error.ungrantable_access() == Some(process::Ungranted::ManyFiles);
        // The host adds no grants, so no user could be asked to grant less.
        Some(match many {
            true => "more than 16,384 files lie beside those that say which hooks run, so that no command can be confined here; \
                     start the agent in a directory below, or in the profile `strict`, which lets nothing be changed"
                .to_owned(),
            false => sandbox_creation_error(error).unwrap_or_else(|here| {
                format!("this machine cannot confine commands (it reaches {here}), and none runs with less than the person asked for")
            }),
        })
    }
}

fn path_refused_message(path: &Path, how: Refused) -> String {
    let shown = path.display();
    match how {
        Refused::Never => format!(
            "the sandbox lets no command change `{shown}`: it says which hooks run, what one runs, or what git runs"
        ),
        Refused::Make | Refused::Passing => format!(
            "the sandbox lets nothing be made, removed or renamed in a directory with files that say which hooks run, such as `{shown}`"
        ),
        Refused::Write => format!("the sandbox did not let the command change `{shown}`"),
        Refused::Read => format!("the sandbox did not let the command read `{shown}`"),
    }
}
