//! The roots of a program that its user started, from the environment. For hosts that are programs
//! and enable the feature `env`. Opens no file.
#![expect(
    clippy::disallowed_methods,
    reason = "a host asks for its environment by name, behind a separate feature"
)]

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use super::MANAGED;
use super::roots::{find_repository, is_in_project};
use tenterhook_core::agents;
use tenterhook_core::dialect::Roots;

/// The roots of this process: its working directory and its repository, the user's home, and the
/// directory of managed files, which [`Roots::default`] does not set.
///
/// # Errors
///
/// When the current directory cannot be read, or it cannot be found out whether it is in a
/// repository: without its root, hooks of the project would be missed. And when `HOME` is a
/// relative path: the hooks of the user would be missed, or taken from whatever directory this is.
pub fn roots_from_env() -> io::Result<Roots> {
    let cwd = env::current_dir().map_err(|error| {
        io::Error::new(error.kind(), format!("the current directory cannot be read: {error}"))
    })?;
    let repository = find_repository(&cwd)?;
    let home = require_absolute_home(env::home_dir())?;
    let roots = Roots {
        repository,
        account_home: account_home(&home),
        home,
        managed: MANAGED.map(Into::into),
        managed_owner: None,
        config_home: agents::CLAUDE.installation.home_variable.and_then(absolute_path_from_env),
        homes: Roots::agent_homes_from_variables(absolute_path_from_env),
        user_config: absolute_path_from_env("XDG_CONFIG_HOME"),
        user_state: absolute_path_from_env("XDG_STATE_HOME"),
        cwd,
    };
    Ok(replace_home_inside_project(roots))
}

/// Moves roots to a different working directory, which must be an absolute path.
///
/// # Errors
///
/// When it cannot be found out whether the directory is in a repository.
pub fn roots_with_cwd(roots: &Roots, directory: PathBuf) -> io::Result<Roots> {
    let repository = find_repository(&directory)?;
    let roots = Roots { repository, cwd: directory, ..roots.clone() };
    Ok(replace_home_inside_project(roots))
}

/// Returns the home that the system has for the account. If `HOME` names the same directory,
/// returns it under that name. A debug build only reads a variable, so that tests do not read the
/// home of the person who runs them.
#[must_use]
pub fn account_home(home: &Path) -> Option<PathBuf> {
    let account = match cfg!(debug_assertions) {
        true => absolute_path_from_env("TENTERHOOK_TEST_ACCOUNT_HOME")?,
        false => tenterhook_process::internal::account_home()?,
    };
    let is_same = account == home
        || account
            .canonicalize()
            .is_ok_and(|real| home.canonicalize().is_ok_and(|own| own == real));
    Some(if is_same { home.to_owned() } else { account })
}

/// Replaces a home directory that lies inside the project by the account's home (C-95): otherwise a
/// repository's `.envrc` could choose which files are the user's own.
#[must_use]
pub fn replace_home_inside_project(roots: Roots) -> Roots {
    let account = roots.account_home.as_ref().filter(|account| **account != roots.home);
    match account
        .filter(|account| is_in_project(&roots, &roots.home) && !is_in_project(&roots, account))
    {
        Some(account) => Roots { home: account.clone(), ..roots },
        None => roots,
    }
}

/// Returns the user's home, or `/` if the user has none. Fails if it is a relative path.
fn require_absolute_home(said: Option<PathBuf>) -> io::Result<PathBuf> {
    let home = said.unwrap_or_else(|| "/".into());
    if home.is_absolute() {
        return Ok(home);
    }
    let why = format!(
        "`HOME` is `{}`, a relative path, so the hooks of the user cannot be found: set it to an absolute path",
        home.display()
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Returns the value of an environment variable if it is an absolute path.
fn absolute_path_from_env(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|value| value.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_home_is_an_error_and_none_is_the_top() {
        assert_eq!(require_absolute_home(None).expect("a home"), Path::new("/"));
        assert_eq!(
            require_absolute_home(Some("/home/me".into())).expect("a home"),
            Path::new("/home/me")
        );
        let error = require_absolute_home(Some("me".into())).expect_err("hooks would be missed");
        assert!(error.to_string().contains("`HOME` is `me`, a relative path"), "{error}");
    }

    #[test]
    fn managed_files_are_not_forgotten_and_no_root_is_relative() {
        let roots = roots_from_env().expect("a directory");
        assert_eq!(roots.managed.as_deref(), MANAGED.map(Path::new));
        assert!(roots.cwd.is_absolute() && roots.home.is_absolute(), "{roots:?}");
    }
}
