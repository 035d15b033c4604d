//! What surrounds the run: the only place that reads the environment. Opens no file.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is the one caller that may ask its environment"
)]

use std::env;
use std::path::PathBuf;

use tenterhook::dialect::Roots;
use tenterhook::executor::Ambient;
use tenterhook::leave;
use tenterhook::trust::Trust;

use crate::problem::Problem;

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
            Problem::new(format!("the current directory cannot be read: {error}"))
                .help("change into a directory that exists")
        })?;
        let env = Ambient::from_env().env;
        let state = leave::state_directory(&env, &roots.home);
        Ok(Self { roots, env, state })
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
