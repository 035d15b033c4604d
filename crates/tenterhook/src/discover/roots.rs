//! The directories in which files are found: those that a host names, and the repository around
//! them. Reads no file and no environment.

use std::io;
use std::path::{Path, PathBuf};

use super::MANAGED;
use tenterhook_core::dialect::Roots;

/// The roots of an agent that the user of `home` starts in `cwd`: including the repository around
/// `cwd` and the organisation's managed files.
///
/// # Errors
///
/// Fails if a path is relative, because the result would depend on the process's directory, or if
/// looking for the repository fails, because hooks of the project would be missed.
pub fn roots(cwd: impl Into<PathBuf>, home: impl Into<PathBuf>) -> io::Result<Roots> {
    let (cwd, home) = (cwd.into(), home.into());
    for (path, what) in [(&cwd, "the working directory"), (&home, "the home")] {
        if path.is_relative() {
            let why =
                format!("{what} is `{}`, a relative path: name an absolute one", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
    }
    let repository = find_repository(&cwd)?;
    Ok(Roots { cwd, repository, home, managed: MANAGED.map(Into::into), ..Roots::default() })
}

/// Whether a path leads into the project: below the working directory or into its repository. A
/// path that does not exist is judged by its nearest existing ancestor.
#[cfg(any(feature = "env", feature = "rule", feature = "trust"))]
#[must_use]
pub(crate) fn is_in_project(roots: &Roots, path: &Path) -> bool {
    let real = |path: &Path| -> PathBuf {
        let mut above = path.ancestors();
        let found = above.find_map(|above| Some((above.canonicalize().ok()?, above)));
        found.map_or_else(
            || path.to_owned(),
            |(real, above)| path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest)),
        )
    };
    let path = real(path);
    let projects = [Some(&roots.cwd), roots.repository.as_ref()];
    projects.into_iter().flatten().any(|project| path.starts_with(real(project)))
}

/// Finds the repository that contains a directory.
pub(super) fn find_repository(cwd: &Path) -> io::Result<Option<PathBuf>> {
    for above in cwd.ancestors() {
        let git = above.join(".git");
        match git.try_exists() {
            Ok(true) => return Ok(Some(above.to_owned())),
            Err(error) if !means_not_found(&error) => {
                let why = format!("`{}` cannot be looked at: {error}", git.display());
                return Err(io::Error::new(error.kind(), why));
            }
            Ok(false) | Err(_) => {}
        }
    }
    Ok(None)
}

/// Whether an error means that the path does not exist for this user, and not that the system
/// failed to look.
fn means_not_found(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
    #[cfg(unix)]
    let is_loop = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP);
    #[cfg(not(unix))]
    let is_loop = false;
    is_loop || matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | InvalidFilename)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `.git` that is a broken link is not a repository, and hides none above it.
    #[cfg(unix)]
    #[test]
    fn git_link_that_points_to_itself_is_not_a_repository() {
        let scratch = tempfile::tempdir().expect("a directory");
        let below = scratch.path().join("below");
        std::fs::create_dir_all(&below).expect("a directory");
        std::fs::create_dir(scratch.path().join(".git")).expect("a repository");
        std::os::unix::fs::symlink(below.join(".git"), below.join(".git")).expect("a link");
        assert_eq!(find_repository(&below).expect("an answer").as_deref(), Some(scratch.path()));
        let failed = io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error());
        assert!(!means_not_found(&failed), "a disk that fails hides no hooks");
    }

    #[test]
    fn new_finds_repository_and_managed_files_and_refuses_relative_paths() {
        let scratch = tempfile::tempdir().expect("a directory");
        let below = scratch.path().join("below");
        std::fs::create_dir_all(&below).expect("a directory");
        std::fs::create_dir(scratch.path().join(".git")).expect("a repository");
        let found = roots(&below, "/home/u").expect("absolute paths");
        assert_eq!(found.repository.as_deref(), Some(scratch.path()));
        assert_eq!(found.managed.as_deref(), MANAGED.map(Path::new));
        for (cwd, home) in [("", "/home/u"), (".", "/home/u"), ("/p", ""), ("/p", "home")] {
            let error = roots(cwd, home).expect_err("a relative path");
            assert!(error.to_string().contains("a relative path: name an absolute one"), "{error}");
        }
    }
}
