//! What surrounds the run: the only place that reads the environment. Opens no file.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is the one caller that may ask its environment"
)]

use std::env;
use std::path::{Path, PathBuf};

use tenterhook::dialect::Roots;

use crate::problem::Problem;

/// What surrounds the run.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The directories from which files are found.
    pub(crate) roots: Roots,
    /// The environment, handed on to hooks.
    pub(crate) env: Vec<(String, String)>,
}

/// Where the organisation's files lie.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else {
    "/etc/claude-code"
};

impl Here {
    /// Asks the environment.
    pub(crate) fn look() -> Result<Self, Problem> {
        let cwd = env::current_dir().map_err(|error| {
            Problem::new(format!("the current directory cannot be read: {error}"))
                .help("change into a directory that exists")
        })?;
        let repository = cwd.ancestors().find(|it| it.join(".git").exists()).map(Path::to_owned);
        let roots = Roots {
            repository,
            // Never empty: a relative home would make the current directory the user's own.
            home: env::home_dir().filter(|it| it.is_absolute()).unwrap_or_else(|| "/".into()),
            managed: Some(MANAGED.into()),
            config_home: absolute("CLAUDE_CONFIG_DIR"),
            user_config: absolute("XDG_CONFIG_HOME"),
            cwd,
        };
        let env = env::vars_os()
            .map(|(name, value)| {
                (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
            })
            .collect();
        Ok(Self { roots, env })
    }
}

/// How many columns the user says there are.
pub(crate) fn columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute())
}
