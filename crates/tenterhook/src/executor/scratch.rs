//! Where do the files lie that runs hand to their hooks? Below the directory of state, which no confined hook may change: in one that a
//! grant may reach, as `/tmp`, each of them could change those of all others. Knows no file in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::time::Duration;

use crate::discover::{self, Stat};

/// How long files of a run stay that nobody removed: an outcome may name them.
#[cfg(target_os = "linux")]
const KEPT: Duration = Duration::from_hours(24);

/// How long a run looks after what earlier ones left.
#[cfg(target_os = "linux")]
const PRUNING: Duration = Duration::from_millis(50);

/// The directory for the directories of runs below `state`, the directory of state, such as `~/.local/state/tenterhook`; made where it is not
/// there. What runs left in it that ended a day ago is removed.
///
/// # Errors
///
/// When it cannot be made, or is not its owner's alone.
pub fn scratches(state: &Path) -> io::Result<PathBuf> {
    discover::make_private(state)?;
    // Without links, also later: whoever puts one into its place leads nobody elsewhere.
    let place = state.canonicalize()?.join("scratch");
    match discover::make_private(&place) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = place.symlink_metadata()?;
    if !found.is_dir() || !is_private(&found)? {
        return Err(io::Error::other(format!("`{}` is not yours alone", place.display())));
    }
    #[cfg(target_os = "linux")]
    prune::prune(&place);
    Ok(place)
}

/// What the name of a run's directory begins with, by which it is known whether the run is over.
#[must_use]
pub fn scratch_prefix() -> String {
    format!("{}-", std::process::id())
}

/// Whether a directory is its owner's alone. Where permissions are not read it is not known to be (HO-19).
fn is_private(found: &fs::Metadata) -> io::Result<bool> {
    let found = Stat::read(found)?;
    Ok(found.is_users() && !found.is_open())
}

/// What runs left that are over.
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

    /// Removes what is old and of nobody who lives. What cannot be removed is in nobody's way.
    pub(super) fn prune(place: &Path) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(directory) = openat(CWD, place, flags, Mode::empty()) else { return };
        // By what was opened, and not by its name: something else may be put there meanwhile.
        let place = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        let until = Instant::now() + PRUNING;
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
            let is_old = age.is_some_and(|age| age > KEPT);
            if is_old && entry.file_name().to_str().is_some_and(is_of_a_run_that_is_over) {
                let _ = tenterhook_process::remove_tree(&entry.path(), Some(until));
            }
            if Instant::now() >= until {
                return;
            }
        }
    }

    /// What no run made is not ours to remove, and who may not be asked lives.
    fn is_of_a_run_that_is_over(name: &str) -> bool {
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
    fn what_a_run_left_goes_when_it_is_old_and_the_run_is_over() {
        let state = tempfile::tempdir().expect("a directory");
        let place = scratches(state.path()).expect("a place");
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
        scratches(state.path()).expect("a place");
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
    fn a_place_that_others_may_write_is_none() {
        let state = tempfile::tempdir().expect("a directory");
        let place = state.path().join("scratch");
        fs::create_dir(&place).expect("a directory");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).expect("its mode");
        assert!(scratches(state.path()).is_err());
        fs::remove_dir(&place).expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        std::os::unix::fs::symlink(elsewhere.path(), &place).expect("a link");
        assert!(scratches(state.path()).is_err());
    }
}
