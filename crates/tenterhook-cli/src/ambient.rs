//! What surrounds the run: the only place that reads the environment. Opens no file.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is the one caller that may ask its environment"
)]

use std::env;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenterhook::dialect::Roots;
use tenterhook::discover;
use tenterhook::executor::Ambient;
use tenterhook::executor::model::ModelClient;
use tenterhook::leave;
use tenterhook::trust::Trust;

use crate::problem::Problem;
use crate::show::paint::WARNING;
use crate::term::Term;

/// What surrounds the run.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The directories from which files are found.
    pub(crate) roots: Roots,
    /// The environment, handed on to hooks.
    pub(crate) env: Vec<(String, String)>,
    /// Where this program keeps what it knows of the user's answers.
    pub(crate) state: PathBuf,
}

impl Here {
    /// Asks the environment.
    pub(crate) fn look() -> Result<Self, Problem> {
        let roots = Roots::from_env().map_err(|error| {
            let problem = Problem::new(error.to_string());
            match error.kind() {
                ErrorKind::NotFound => problem.help("change into a directory that exists"),
                _ => problem,
            }
        })?;
        let env = Ambient::from_env().env;
        let state = leave::state_directory(&env, &roots.home);
        Ok(Self { roots, env, state })
    }

    /// Tells people that nothing is kept, where their home does not exist (BR-43).
    pub(crate) fn warn_without_home(&self, term: Term) {
        if let Some(home) = discover::missing_home(&self.state) {
            term.say_after(WARNING, "warning:", &discover::without_home(&home));
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

    /// What hooks get of this process: its environment, a model where one is asked for, and directories of their own.
    pub(crate) fn ambient(&self, model: Option<&str>, scratch: Option<&Path>) -> Ambient {
        let model = ModelClient::new(&self.env, model);
        let mut ambient = Ambient::default().env(self.env.clone()).model(Arc::new(model));
        ambient.scratch = scratch.map(Path::to_owned);
        ambient.state(self.state.clone())
    }

    /// What the user approved.
    pub(crate) fn trust(&self) -> Trust {
        Trust::at(&self.state).within(&self.env)
    }
}

/// What was typed behind the program's name.
pub(crate) fn words() -> Vec<String> {
    env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect()
}

/// How many columns the user says there are.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}
