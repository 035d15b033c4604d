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
    /// Asks the environment.
    pub(crate) fn look() -> Result<Self, Problem> {
        let roots = discover::roots_from_env().map_err(|error| {
            let problem = Problem::new(error.to_string());
            match error.kind() {
                ErrorKind::NotFound => problem.help("change into a directory that exists"),
                _ => problem,
            }
        })?;
        let env = Ambient::from_env().env;
        let state = exemptions::state_directory(&env, &roots.home);
        Ok(Self { roots, beside: Vec::new(), left: Vec::new(), env, state }.settled())
    }

    /// The note that hooks of other agents' files do not run behind this agent (BR-124).
    pub(crate) fn only_own(&self, agent: &str) -> PathBuf {
        self.state.join("installed").join(format!("{agent}.only-own"))
    }

    /// The same, in the project that one of these variables names, the first that is set; where the program stands is beside it.
    pub(crate) fn in_project_of(&self, variables: &[&str]) -> Result<Self, Problem> {
        let value =
            |name: &&str| self.env.iter().find(|(key, _)| key == *name).map(|(_, value)| value);
        let Some(named) = variables.iter().find_map(value) else { return Ok(self.clone()) };
        let Some(roots) = self.other_roots(Path::new(named))? else { return Ok(self.clone()) };
        Ok(Self { roots, beside: vec![self.roots.clone()], ..self.clone() }.settled())
    }

    /// The same, with the hooks of the project round this directory beside the others.
    pub(crate) fn beside(&self, directory: &Path) -> Result<Self, Problem> {
        let mut here = self.clone();
        here.beside.extend(self.other_roots(directory)?);
        Ok(here.settled())
    }

    /// The same, with the gates of projects in which the session was before and is not now (BR-19). One that is not there any more may
    /// have gates that hold (T-70).
    pub(crate) fn having_left(mut self, projects: &[PathBuf]) -> Result<Self, Problem> {
        for project in projects {
            let known = [&self.roots].into_iter().chain(&self.beside).chain(&self.left);
            if known.into_iter().all(|roots| roots.cwd != *project) {
                let roots = discover::roots_in(&self.roots, project.clone());
                self.left.push(roots.map_err(|error| Problem::new(error.to_string()))?);
            }
        }
        Ok(self.settled())
    }

    /// The same with the usual directory of state in place of one that a variable put into a project: what a repository brings would say
    /// what was approved (T-72).
    fn settled(self) -> Self {
        let projects = [&self.roots].into_iter().chain(&self.beside).chain(&self.left);
        let state = exemptions::state_directory_outside(&self.env, projects);
        Self { state, ..self }
    }

    /// What a person should know of a home that is not used, because a variable put it into the project (C-95).
    pub(crate) fn moved_home(&self) -> Option<String> {
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

    /// The roots of a directory that is there and is not one of these already.
    fn other_roots(&self, directory: &Path) -> Result<Option<Roots>, Problem> {
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
        discover::roots_in(&self.roots, directory)
            .map(Some)
            .map_err(|error| Problem::new(error.to_string()))
    }

    /// Tells people that nothing is kept, where their home does not exist (BR-43).
    pub(crate) fn warn_without_home(&self, term: Term) {
        if let Some(home) = discover::missing_home(&self.state) {
            term.note_after(WARNING, "warning:", &discover::without_home(&home));
        }
    }

    /// Refuses to write into a home that does not exist (BR-43).
    pub(crate) fn require_home(&self) -> Result<(), Problem> {
        let home = &self.roots.home;
        match home.try_exists() {
            Ok(false) => Err(Problem::new(format!("the home `{}` does not exist", home.display()))
                .help("create it, or set `HOME` to a directory that exists")),
            _ => Ok(()),
        }
    }

    /// The surroundings of hooks: the environment of this process, a model if a hook needs one, and a directory for each hook.
    pub(crate) fn ambient(&self, model: Option<&str>, scratch: Option<&Path>) -> Ambient {
        let model = ModelClient::new(&self.env, model);
        let mut ambient = Ambient::default().env(self.env.clone()).model(Arc::new(model));
        ambient.scratch = scratch.map(Path::to_owned);
        ambient.state(self.state.clone())
    }

    /// What the user approved.
    pub(crate) fn trust(&self) -> Trust {
        let trust = Trust::at(&self.state).within(&self.env);
        match exemptions::account_state_directory(&self.roots) {
            Some(usual) if usual != self.state => trust.and_at(usual),
            _ => trust,
        }
    }
}

/// What was typed behind the program's name.
pub(crate) fn arguments() -> Vec<String> {
    env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// How many columns the user says there are.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}
