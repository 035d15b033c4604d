//! How is a directory removed that a program filled as it liked? However deep, wide and closed it is: without recursion, with two descriptors, and
//! no longer than its time. Knows nothing of processes.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Instant;

#[cfg(target_os = "linux")]
use rustix::fs::chmod;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Removes a directory with all that is in it, and says whether that was done by `deadline`. Links are removed and not followed. What was taken
/// away from its owner's rights is given back, as far as the owner may.
///
/// Directories are moved up to the top before they are removed, so that none is ever deep.
///
/// # Errors
///
/// Those of looking at the directory itself. What stays in it is no error.
pub fn remove_tree(path: &Path, deadline: Option<Instant>) -> io::Result<bool> {
    let top = match open_directory(CWD, path) {
        Err(Errno::NOENT) => return Ok(true),
        Err(Errno::ACCESS) => {
            restore_owner_rights(CWD, path);
            open_directory(CWD, path)?
        }
        opened => opened?,
    };
    let mut tree = Tree { top: &top, deadline, moved: 0, gone: 0 };
    loop {
        let gone = tree.gone;
        match tree.remove_top_entries() {
            Err(Errno::TIMEDOUT) => return Ok(false),
            cleared => cleared?,
        }
        // A moved directory is in the top one again.
        if tree.gone == gone {
            break;
        }
    }
    Ok(unlinkat(CWD, path, AtFlags::REMOVEDIR).is_ok())
}

fn open_directory(
    within: impl std::os::fd::AsFd,
    name: impl rustix::path::Arg,
) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(within, name, flags, Mode::empty())
}

/// Gives the owner's rights on a directory back. Another process may still write to it, so a link
/// in its place is not followed.
fn restore_owner_rights(within: impl std::os::fd::AsFd, name: impl rustix::path::Arg) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(fd) = openat(within, name, flags, Mode::empty()) {
            let _ = chmod(format!("/proc/self/fd/{}", fd.as_raw_fd()), Mode::RWXU);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = rustix::fs::chmodat(within, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW);
}

struct Tree<'t> {
    top: &'t OwnedFd,
    deadline: Option<Instant>,
    /// How many directories were moved up.
    moved: u64,
    /// How much was removed, or moved up.
    gone: u64,
}

impl Tree<'_> {
    fn remove_top_entries(&mut self) -> Result<(), Errno> {
        for name in entry_names(self.top)? {
            let name = name?;
            if self.remove_file(self.top, &name)? {
                continue;
            }
            let inner = match open_directory(self.top, &*name) {
                Err(Errno::ACCESS) => {
                    restore_owner_rights(self.top, &*name);
                    open_directory(self.top, &*name)
                }
                opened => opened,
            };
            // What cannot be opened stays, and so does what holds it.
            let Ok(inner) = inner else { continue };
            self.remove_files_and_lift_dirs(&inner)?;
            self.gone += u64::from(unlinkat(self.top, &*name, AtFlags::REMOVEDIR).is_ok());
        }
        Ok(())
    }

    /// Removes the files of a directory, and moves its subdirectories up to the top.
    fn remove_files_and_lift_dirs(&mut self, inner: &OwnedFd) -> Result<(), Errno> {
        // What cannot be looked into stays.
        let Ok(names) = entry_names(inner) else { return Ok(()) };
        for name in names {
            let name = name?;
            if self.remove_file(inner, &name)? {
                continue;
            }
            let to = format!("..moved-{}", self.moved);
            self.moved += 1;
            let up = || renameat(inner, &*name, self.top, &*to);
            let moved = up().or_else(|_| {
                // To be moved elsewhere it must be writable itself, and so must the one that holds it.
                restore_owner_rights(inner, &*name);
                let _ = fchmod(inner, Mode::RWXU);
                up()
            });
            self.gone += u64::from(moved.is_ok());
        }
        Ok(())
    }

    /// Removes the file `name`, and returns whether it did; a directory stays.
    fn remove_file(&mut self, within: &OwnedFd, name: &CStr) -> Result<bool, Errno> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Errno::TIMEDOUT);
        }
        let removed = match unlinkat(within, name, AtFlags::empty()) {
            Err(Errno::ACCESS) => {
                let _ = fchmod(within, Mode::RWXU);
                unlinkat(within, name, AtFlags::empty())
            }
            removed => removed,
        };
        self.gone += u64::from(removed.is_ok());
        Ok(removed.is_ok() || removed == Err(Errno::NOENT))
    }
}

/// Returns the names of the entries of a directory.
fn entry_names(within: &OwnedFd) -> Result<impl Iterator<Item = Result<CString, Errno>>, Errno> {
    let entries = match Dir::read_from(within) {
        // It may be read and not entered.
        Err(Errno::ACCESS) => {
            let _ = fchmod(within, Mode::RWXU);
            Dir::read_from(within)?
        }
        entries => entries?,
    };
    Ok(entries.filter_map(|entry| match entry {
        Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => None,
        Ok(entry) => Some(Ok(entry.file_name().to_owned())),
        Err(errno) => Some(Err(errno)),
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::Duration;

    use super::*;

    fn fixture(name: &str) -> std::path::PathBuf {
        // The number of a process comes again, and so would what an aborted run left.
        let age = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_nanos();
        let name = format!("tenterhook-{name}-{}-{age}", std::process::id());
        let fixture = std::env::temp_dir().join(name);
        fs::create_dir(&fixture).expect("a fixture");
        fixture
    }

    /// A tree whose paths are too long to name, on a stack that no recursion would fit on.
    ///
    #[test]
    fn a_deep_tree_is_removed() {
        let fixture = fixture("deep");
        let mut at = open_directory(CWD, &fixture).expect("a fixture");
        for _ in 0..4_000 {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).expect("a directory");
            at = open_directory(&at, "d").expect("a directory");
        }
        let path = fixture.clone();
        let thread = std::thread::Builder::new().stack_size(32 << 10);
        let removed = thread.spawn(move || remove_tree(&path, None)).expect("a thread").join();
        assert!(removed.expect("no overflow").expect("a fixture"));
        assert!(!fixture.exists());
    }

    ///
    #[test]
    fn what_was_closed_is_removed_and_a_link_is_not_followed() {
        let (fixture, outside) = (fixture("closed"), fixture("outside"));
        fs::write(outside.join("file"), "text").expect("a fixture");
        fs::create_dir_all(fixture.join("a/b/c")).expect("a fixture");
        fs::create_dir_all(fixture.join("wide")).expect("a fixture");
        for i in 0..2_000 {
            fs::write(fixture.join(format!("wide/{i}")), "").expect("a fixture");
        }
        symlink(&outside, fixture.join("a/link")).expect("a fixture");
        symlink(&outside, fixture.join("link")).expect("a fixture");
        fs::create_dir_all(fixture.join("unentered/b")).expect("a fixture");
        for (closed, mode) in [
            ("a/b/c", 0),
            ("a/b", 0),
            ("a", 0),
            ("wide", 0),
            ("unentered/b", 0o600),
            ("unentered", 0o666),
            ("", 0),
        ] {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(fixture.join(closed), mode).expect("a fixture");
        }
        assert!(remove_tree(&fixture, None).expect("a fixture"));
        assert!(!fixture.exists() && outside.join("file").exists());
        assert!(remove_tree(&outside, None).expect("a fixture"));
        assert!(remove_tree(&outside, None).expect("what is not there is gone"));
    }

    ///
    #[test]
    fn no_more_time_is_taken_than_there_is() {
        let fixture = fixture("late");
        fs::write(fixture.join("file"), "").expect("a fixture");
        let passed = Instant::now().checked_sub(Duration::from_secs(1)).expect("a past");
        assert!(!remove_tree(&fixture, Some(passed)).expect("a fixture"));
        assert!(fixture.join("file").exists());
        assert!(remove_tree(&fixture, None).expect("a fixture"));
    }
}
