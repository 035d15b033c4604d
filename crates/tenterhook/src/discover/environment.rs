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
use super::roots::{is_in_project, repository};
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
    let repository = repository(&cwd)?;
    let home = home(env::home_dir())?;
    let roots = Roots {
        repository,
        account_home: account_home_beside(&home),
        home,
        managed: MANAGED.map(Into::into),
        managed_owner: None,
        config_home: agents::CLAUDE.installation.home_variable.and_then(absolute),
        homes: Roots::homes_by(absolute),
        user_config: absolute("XDG_CONFIG_HOME"),
        user_state: absolute("XDG_STATE_HOME"),
        cwd,
    };
    Ok(without_home_in_project(roots))
}

/// Moves roots to a different working directory, which must be an absolute path.
///
/// # Errors
///
/// When it cannot be found out whether the directory is in a repository.
pub fn roots_in(roots: &Roots, directory: PathBuf) -> io::Result<Roots> {
    let repository = repository(&directory)?;
    let roots = Roots { repository, cwd: directory, ..roots.clone() };
    Ok(without_home_in_project(roots))
}

/// The home that the system has for the account, under the name that `HOME` gives it where that is
/// the same directory. A debug build asks for it in a variable alone, so that tests do not read the
/// home of the person who runs them.
#[must_use]
pub fn account_home_beside(home: &Path) -> Option<PathBuf> {
    let account = match cfg!(debug_assertions) {
        true => absolute("TENTERHOOK_TEST_ACCOUNT_HOME")?,
        false => tenterhook_process::internal::account_home()?,
    };
    let is_same = account == home
        || account
            .canonicalize()
            .is_ok_and(|real| home.canonicalize().is_ok_and(|own| own == real));
    Some(if is_same { home.to_owned() } else { account })
}

/// The same with the account's home in place of one that a variable put into the project (C-95): a
/// repository's `.envrc` would say what is the person's own.
#[must_use]
pub fn without_home_in_project(roots: Roots) -> Roots {
    let account = roots.account_home.as_ref().filter(|account| **account != roots.home);
    match account
        .filter(|account| is_in_project(&roots, &roots.home) && !is_in_project(&roots, account))
    {
        Some(account) => Roots { home: account.clone(), ..roots },
        None => roots,
    }
}

/// The home of a user, who may have none.
fn home(said: Option<PathBuf>) -> io::Result<PathBuf> {
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

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|value| value.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_home_is_an_error_and_none_is_the_top() {
        assert_eq!(home(None).expect("a home"), Path::new("/"));
        assert_eq!(home(Some("/home/me".into())).expect("a home"), Path::new("/home/me"));
        let error = home(Some("me".into())).expect_err("hooks would be missed");
        assert!(error.to_string().contains("`HOME` is `me`, a relative path"), "{error}");
    }

    #[test]
    fn managed_files_are_not_forgotten_and_no_root_is_relative() {
        let roots = roots_from_env().expect("a directory");
        assert_eq!(roots.managed.as_deref(), MANAGED.map(Path::new));
        assert!(roots.cwd.is_absolute() && roots.home.is_absolute(), "{roots:?}");
    }
}
