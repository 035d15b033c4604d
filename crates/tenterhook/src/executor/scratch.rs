//! Manages the scratch directories of runs. They are below the state directory, which no confined
//! hook may change: in a directory that a grant may reach, such as `/tmp`, each hook could
//! change the files of all others. Knows no file in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::time::Duration;

use crate::discover::{self, Stat};

/// How long files of a run that were not removed are kept: an outcome may name them.
#[cfg(target_os = "linux")]
const KEPT: Duration = Duration::from_hours(24);

/// How long a run cleans up after earlier ones.
#[cfg(target_os = "linux")]
const PRUNING: Duration = Duration::from_millis(50);

/// Returns the directory for scratch directories below `state`, the state directory, such as
/// `~/.local/state/tenterhook`, and creates it if necessary. Removes files of runs that ended a day
/// ago.
///
/// # Errors
///
/// If it cannot be created, or users other than its owner may access it.
pub fn create_scratch_root(state: &Path) -> io::Result<PathBuf> {
    discover::create_private_dir(state)?;
    // Without links, so that a link that later takes its place is not followed.
    let place = state.canonicalize()?.join("scratch");
    match discover::create_private_dir(&place) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = place.symlink_metadata()?;
    if !found.is_dir() || !is_private_directory(&found)? {
        return Err(io::Error::other(format!("`{}` is not yours alone", place.display())));
    }
    #[cfg(target_os = "linux")]
    prune::prune_scratch_dirs(&place);
    Ok(place)
}

/// Returns the prefix of a run's directory name: the ID of this process, which shows whether the
/// run has ended.
#[must_use]
pub fn scratch_prefix() -> String {
    format!("{}-", std::process::id())
}

/// Whether only the owner may access a directory. `false` on systems whose permissions are not read
/// (HO-19).
fn is_private_directory(found: &fs::Metadata) -> io::Result<bool> {
    let found = Stat::from_metadata(found)?;
    Ok(found.is_owned_by_user() && !found.is_writable_by_others())
}

/// Removes files of runs that are over.
#[cfg(target_os = "linux")]
mod prune {
    use std::fs;
    use std::os::fd::AsRawFd as _;
    use std::path::{Path, PathBuf};
    use std::time::{Instant, SystemTime};

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    use super::{KEPT, PRUNING};

    /// Removes old directories of processes that no longer run. Ignores those that cannot be
    /// removed.
    pub(super) fn prune_scratch_dirs(place: &Path) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(directory) = openat(CWD, place, flags, Mode::empty()) else { return };
        // By the opened descriptor, not by name: a different directory may take its place
        // meanwhile.
        let place = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        let until = Instant::now() + PRUNING;
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
            let is_old = age.is_some_and(|age| age > KEPT);
            if is_old && entry.file_name().to_str().is_some_and(is_directory_of_ended_run) {
                let _ = tenterhook_process::internal::remove_tree(&entry.path(), Some(until));
            }
            if Instant::now() >= until {
                return;
            }
        }
    }

    /// Returns whether a directory name belongs to a process that no longer runs. Names of unknown
    /// origin do not; a process that may not be queried is assumed to be alive.
    fn is_directory_of_ended_run(name: &str) -> bool {
        let pid = name.split_once('-').and_then(|(pid, _)| pid.parse().ok());
        let pid = pid.and_then(Pid::from_raw);
        pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    ///
    #[test]
    fn prune_removes_old_dirs_of_dead_runs() {
        let state = tempfile::tempdir().expect("a directory");
        let place = create_scratch_root(state.path()).expect("a place");
        let own = scratch_prefix();
        // No process has a number as high as this.
        for (name, old) in [
            (format!("{own}old"), true),
            ("2147483646-old".to_owned(), true),
            ("2147483646-new".to_owned(), false),
            ("Documents".to_owned(), true),
        ] {
            let path = place.join(name);
            fs::create_dir_all(path.join("in/it")).expect("a directory");
            if old {
                let then = std::time::SystemTime::now() - KEPT * 2;
                fs::File::open(&path).and_then(|file| file.set_modified(then)).expect("a time");
            }
        }
        create_scratch_root(state.path()).expect("a place");
        let left = fs::read_dir(&place).expect("a directory").flatten();
        let mut left: Vec<String> =
            left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        left.sort();
        let mut expected =
            vec!["2147483646-new".to_owned(), format!("{own}old"), "Documents".to_owned()];
        expected.sort();
        assert_eq!(left, expected);
    }

    ///
    #[test]
    fn scratch_root_open_to_others_fails() {
        let state = tempfile::tempdir().expect("a directory");
        let place = state.path().join("scratch");
        fs::create_dir(&place).expect("a directory");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).expect("its mode");
        assert!(create_scratch_root(state.path()).is_err());
        fs::remove_dir(&place).expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink(elsewhere.path(), &place).expect("a link");
        assert!(create_scratch_root(state.path()).is_err());
    }
}
