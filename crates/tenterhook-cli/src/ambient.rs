//! What surrounds the run: the only place that reads the environment. Opens no file.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is the one caller that may ask its environment"
)]

use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook::executor::Ambient;
use tenterhook::executor::model::ModelClient;
use tenterhook::internal::discover;
use tenterhook::internal::exemptions;
use tenterhook::trust::Trust;
use tenterhook_core::dialect::Roots;

use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::term::Term;

/// What surrounds the run.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The directories from which files are found.
    pub(crate) roots: Roots,
    /// Other projects whose hooks apply, too: their directories (BR-18).
    pub(crate) beside: Vec<Roots>,
    /// Projects that the session left, of which gates alone apply (BR-19).
    pub(crate) left: Vec<Roots>,
    /// The environment, handed on to hooks.
    pub(crate) env: Vec<(String, String)>,
    /// Where this program keeps what it knows of the user's answers.
    pub(crate) state: PathBuf,
}

impl Here {
    /// Reads the roots, the environment and the state directory of this process.
    pub(crate) fn from_env() -> Result<Self, Problem> {
        let roots = discover::roots_from_env().map_err(|error| {
            let problem = Problem::new(error.to_string());
            match error.kind() {
                ErrorKind::NotFound => problem.with_help("change into a directory that exists"),
                _ => problem,
            }
        })?;
        let env = Ambient::from_env().env;
        let state = PathBuf::new();
        Ok(Self { roots, beside: Vec::new(), left: Vec::new(), env, state }.with_safe_state_dir())
    }

    /// Returns the path of the marker file that keeps hooks of other agents' files from running
    /// behind `agent` (BR-124).
    pub(crate) fn only_own_hooks_marker_path(&self, agent: &str) -> PathBuf {
        self.state.join("installed").join(format!("{agent}.only-own"))
    }

    /// Returns a copy of these surroundings for the project that the first set variable of
    /// `variables` names. The current project stays as an additional one.
    pub(crate) fn with_project_from_env(&self, variables: &[&str]) -> Result<Self, Problem> {
        let value =
            |name: &&str| self.env.iter().find(|(key, _)| key == *name).map(|(_, value)| value);
        let Some(named) = variables.iter().find_map(value) else { return Ok(self.clone()) };
        let Some(roots) = self.roots_unless_known(Path::new(named))? else {
            return Ok(self.clone());
        };
        Ok(Self { roots, beside: vec![self.roots.clone()], ..self.clone() }.with_safe_state_dir())
    }

    /// Returns a copy of these surroundings that also reads the hooks of the project around
    /// `directory`.
    pub(crate) fn with_additional_project_around(&self, directory: &Path) -> Result<Self, Problem> {
        let mut here = self.clone();
        match self.roots_unless_known(directory)? {
            Some(roots) => here.beside.push(roots),
            None => return Ok(here),
        }
        Ok(here.with_safe_state_dir())
    }

    /// Adds the gates of projects that the session was in before and has left (BR-19). The gates of
    /// a project that no longer exists may still apply (T-70).
    pub(crate) fn with_gates_of_projects_left(
        mut self,
        projects: &[PathBuf],
    ) -> Result<Self, Problem> {
        let left = self.left.len();
        for project in projects {
            let known = [&self.roots].into_iter().chain(&self.beside).chain(&self.left);
            if known.into_iter().all(|roots| roots.cwd != *project) {
                let roots = discover::roots_with_cwd(&self.roots, project.clone());
                self.left.push(roots.map_err(|error| Problem::new(error.to_string()))?);
            }
        }
        Ok(if self.left.len() == left { self } else { self.with_safe_state_dir() })
    }

    /// Replaces a state directory that a variable put into a project by the usual one: otherwise a
    /// repository could bring its own approvals (T-72).
    fn with_safe_state_dir(self) -> Self {
        let projects = [&self.roots].into_iter().chain(&self.beside).chain(&self.left);
        let state = exemptions::state_directory_outside(&self.env, projects);
        Self { state, ..self }
    }

    /// Returns a warning if `HOME` points into the project and is therefore not used (C-95).
    pub(crate) fn home_inside_project_warning(&self) -> Option<String> {
        let (_, home) = self.env.iter().find(|(name, _)| name == "HOME")?;
        let used = &self.roots.home;
        let is_used = Path::new(home) == used || self.roots.account_home.as_ref() != Some(used);
        (!is_used).then(|| {
            format!(
                "`HOME` leads into the project (`{home}`): `{}`, the home of your account, is used instead",
                used.display()
            )
        })
    }

    /// Returns the roots of a directory that exists and whose roots are not among these already.
    fn roots_unless_known(&self, directory: &Path) -> Result<Option<Roots>, Problem> {
        if !directory.is_absolute() {
            return Ok(None);
        }
        // Approvals are of files by their real paths, as the working directory of a process is.
        let directory = match directory.canonicalize() {
            Ok(directory) if directory.is_dir() => directory,
            Ok(_) => return Ok(None),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => {
                let name = directory.display();
                return Err(Problem::new(format!("the project `{name}` cannot be read: {error}")));
            }
        };
        let mut known = [&self.roots].into_iter().chain(&self.beside);
        if known.any(|roots| roots.cwd == directory) {
            return Ok(None);
        }
        discover::roots_with_cwd(&self.roots, directory)
            .map(Some)
            .map_err(|error| Problem::new(error.to_string()))
    }

    /// Warns that no state is stored if the home directory does not exist (BR-43).
    pub(crate) fn warn_if_home_missing(&self, term: Term) {
        if let Some(home) = discover::missing_home_above(&self.state) {
            term.print_labelled_note(WARNING, "warning:", &discover::missing_home_message(&home));
        }
    }

    /// Returns an error if the home directory does not exist, so that nothing is written into it
    /// (BR-43).
    pub(crate) fn require_home(&self) -> Result<(), Problem> {
        let home = &self.roots.home;
        match home.try_exists() {
            Ok(false) => Err(Problem::new(format!("the home `{}` does not exist", home.display()))
                .with_help("create it, or set `HOME` to a directory that exists")),
            _ => Ok(()),
        }
    }

    /// Returns the surroundings of hooks: the environment of this process, a model client and a
    /// scratch directory.
    pub(crate) fn hook_ambient(&self, model: Option<&str>, scratch: Option<&Path>) -> Ambient {
        let model = ModelClient::new(&self.env, model);
        let mut ambient = Ambient::default().env(self.env.clone()).model(Arc::new(model));
        ambient.scratch = scratch.map(Path::to_owned);
        ambient.state(self.state.clone())
    }

    /// Opens the store of the user's approvals.
    pub(crate) fn trust_store(&self) -> Trust {
        let trust = Trust::at(&self.state).within(&self.env);
        match exemptions::account_state_directory(&self.roots) {
            Some(usual) if usual != self.state => trust.and_at(usual),
            _ => trust,
        }
    }
}

/// Returns the arguments of this process, without the program name.
pub(crate) fn program_arguments() -> Vec<String> {
    env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// Returns the terminal width that the user's environment gives.
pub(crate) fn columns_from_env() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

/// The variable in which a completion script names its shell.
pub(crate) const COMPLETION_SHELL: &str = "TENTERHOOK_COMPLETE";

/// Returns the shell whose completion script calls.
pub(crate) fn completion_shell() -> Option<String> {
    env::var(COMPLETION_SHELL).ok()
}
