//! Which file does a program name mean, for a child with this environment and directory?
//!
//! Done before the process exists, because the child must not allocate. Never consults the host's
//! own `PATH` or directory.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// What an environment without `PATH` means, as in POSIX `confstr(_CS_PATH)`.
const DEFAULT_PATH: &[u8] = b"/usr/bin:/bin";

/// Finds the file to execute.
///
/// A name with a slash is a path, relative to `cwd`. Others are searched in the `PATH` of `env`,
/// where an empty element is `cwd`, as for every POSIX shell.
pub(crate) fn find_program(
    program: &OsStr,
    env: &[(OsString, OsString)],
    cwd: &Path,
) -> Result<PathBuf, (PathBuf, Errno)> {
    if program.is_empty() {
        return Err((PathBuf::new(), Errno::NOENT));
    }
    if program.as_bytes().contains(&b'/') {
        // Existence and mode are left to `execve`, which gives the better error.
        return Ok(cwd.join(program));
    }
    // As for `getenv`, the first of several wins.
    let path = env.iter().find(|(name, _)| name == "PATH");
    let path = path.map_or(DEFAULT_PATH, |(_, value)| value.as_bytes());
    let mut refused = None;
    for folder in path.split(|byte| *byte == b':') {
        let folder = PathBuf::from(OsString::from_vec(folder.to_vec()));
        let file = cwd.join(folder).join(program);
        let Ok(meta) = std::fs::metadata(&file) else { continue };
        if !meta.is_file() {
            continue;
        }
        if meta.permissions().mode() & 0o111 != 0 {
            return Ok(file);
        }
        refused.get_or_insert(file);
    }
    match refused {
        Some(file) => Err((file, Errno::ACCESS)),
        None => Err((PathBuf::from(program), Errno::NOENT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(value: &str) -> Vec<(OsString, OsString)> {
        vec![("PATH".into(), value.into())]
    }

    #[test]
    fn a_bare_name_is_searched_in_the_given_path_only() {
        let found = find_program("sh".as_ref(), &path("/nowhere:/bin"), "/".as_ref()).unwrap();
        assert_eq!(found, Path::new("/bin/sh"));
        let lost = find_program("sh".as_ref(), &path("/nowhere"), "/".as_ref()).unwrap_err();
        assert_eq!(lost, (PathBuf::from("sh"), Errno::NOENT));
    }

    #[test]
    fn without_path_the_system_folders_are_searched() {
        assert!(find_program("sh".as_ref(), &[], "/".as_ref()).is_ok());
    }

    #[test]
    fn a_relative_path_and_an_empty_element_mean_the_childs_directory() {
        let found = find_program("bin/sh".as_ref(), &[], "/somewhere".as_ref()).unwrap();
        assert_eq!(found, Path::new("/somewhere/bin/sh"));
        let found = find_program("sh".as_ref(), &path(":/nowhere"), "/bin".as_ref()).unwrap();
        assert_eq!(found, Path::new("/bin/sh"));
    }

    #[test]
    fn a_file_that_is_not_executable_is_named() {
        let lost = find_program("passwd".as_ref(), &path("/etc"), "/".as_ref()).unwrap_err();
        assert_eq!(lost, (PathBuf::from("/etc/passwd"), Errno::ACCESS));
    }

    #[test]
    fn an_empty_name_is_nothing() {
        assert!(find_program("".as_ref(), &[], "/".as_ref()).is_err());
    }
}
