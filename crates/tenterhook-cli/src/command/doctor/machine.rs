//! Does this machine give what hooks need: a place for state that is the person's alone, and a kernel that can do it?

use std::fs;
use std::path::{Path, PathBuf};

use tenterhook::internal::discover::{Stat, Unsupported};
use tenterhook_process::{Means, Tier};

use super::finding::{Finding, Kind, Mend, path_for_shell};
use crate::ambient::Here;

/// What the kernel offers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    pub(super) pidfd: bool,
    pub(super) means: Means,
}

pub(super) fn detect_kernel() -> Kernel {
    Kernel { pidfd: has_pidfd(), means: tenterhook_process::available_sandbox_means() }
}

#[cfg(target_os = "linux")]
fn has_pidfd() -> bool {
    use rustix::process::{PidfdFlags, getpid, pidfd_open};
    pidfd_open(getpid(), PidfdFlags::empty()).is_ok()
}

/// Returns true: other systems do not need pidfds to supervise processes.
#[cfg(not(target_os = "linux"))]
const fn has_pidfd() -> bool {
    true
}

impl Kernel {
    pub(super) fn findings(self) -> Vec<Finding> {
        let mut found = Vec::new();
        if !self.pidfd {
            let what = "the kernel gives no descriptor of a process (`pidfd_open`): no hook can be started";
            let mend = Mend::from_advice(
                "run Linux 5.4 or newer, and let a container's filter pass `pidfd_open`",
            );
            found.push(Finding::new(Kind::NoPidfd, what, mend));
        }
        if cfg!(target_os = "linux") && !self.means.can_limit_files() {
            let instead = match self.means.highest_tier() {
                Tier::T0 => "",
                _ => ": sandboxes are made of namespaces, which take longer to start",
            };
            let what = format!(
                "Landlock is version {}, and less than {} confines nothing{instead}",
                self.means.landlock,
                Means::LEAST_LANDLOCK
            );
            let mend = Mend::from_advice("run Linux 6.2 or newer with `landlock` in `CONFIG_LSM`");
            found.push(Finding::new(Kind::NoLandlock, what, mend));
        }
        found
    }
}

/// How many findings of one kind are shown: a user who may write a folder may write everything in it.
const SHOWN: usize = 5;
/// How deep the state directory is looked at: copies of what was approved lie deepest.
const DEEPEST: usize = 4;

/// Returns the findings about the state directory.
pub(super) fn state_dir_findings(here: &Here) -> Vec<Finding> {
    let mut found = Vec::new();
    // A missing directory is created at the first use, so the folder above it decides.
    let there = here.state.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&here.state);
    if let Err(why) = check_directory_writable(there) {
        let what =
            format!("nothing can be written there: {why}; denials of a stop and records are lost");
        let mend = match there.is_dir() {
            true => Mend::from_command(format!("chmod u+rwx {}", path_for_shell(there, here))),
            false => Mend::from_advice("put a directory in its place"),
        };
        found.push(
            Finding::new(Kind::StateNotWritable, what, mend).with_location(there, None, here),
        );
    }
    let mut open = Vec::new();
    find_paths_open_to_others(&here.state, 0, &mut open);
    // Where permissions are not read no state is made, so that the directory above it has to tell.
    let above = there.metadata().ok().and_then(|about| Stat::from_metadata(&about).err());
    open.extend(
        above.filter(|_| there != here.state).map(|why| (here.state.clone(), Open::Unknown(why))),
    );
    for (path, why) in open.into_iter().take(SHOWN) {
        let (what, mend) = match why {
            Open::Mode(mode) => (
                format!("others may write it (mode {mode:o}): its content is not trusted"),
                Mend::from_command(format!("chmod go-w {}", path_for_shell(&path, here))),
            ),
            Open::Owner(user) => (
                format!("it belongs to another user ({user}): its content is not trusted"),
                Mend::from_command(format!(
                    "sudo chown -R \"$(id -u)\" {}",
                    path_for_shell(&path, here)
                )),
            ),
            Open::Unknown(why) => (format!("it {why}"), Mend::from_advice("use Linux or macOS")),
        };
        found.push(Finding::new(Kind::StateOpen, what, mend).with_location(&path, None, here));
    }
    found
}

/// Why no file can be made in a directory.
#[derive(Debug)]
enum Unwritable {
    NotADirectory,
    Failed(std::io::Error),
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotADirectory => f.write_str("it is not a directory"),
            Self::Failed(error) => {
                // The name of the file that was to be made says nothing.
                f.write_str(error.to_string().split(" at path").next().unwrap_or_default())
            }
        }
    }
}

/// Checks that a file can be created in a directory.
fn check_directory_writable(there: &Path) -> Result<(), Unwritable> {
    if !there.is_dir() {
        return Err(Unwritable::NotADirectory);
    }
    let made = tempfile::Builder::new().prefix(".doctor-").tempfile_in(there);
    made.map(drop).map_err(Unwritable::Failed)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Mode(u32),
    Owner(u32),
    Unknown(Unsupported),
}

impl Open {
    /// Returns how other users may write a file, if they may.
    fn if_writable_by_others(found: Result<Stat, Unsupported>) -> Option<Self> {
        match found {
            Err(why) => Some(Self::Unknown(why)),
            Ok(found) if !found.is_owned_by_user() => Some(Self::Owner(found.owner)),
            Ok(found) => found.is_writable_by_others().then_some(Self::Mode(found.mode & 0o7777)),
        }
    }
}

fn find_paths_open_to_others(path: &Path, depth: usize, found: &mut Vec<(PathBuf, Open)>) {
    let Ok(about) = path.symlink_metadata() else { return };
    if about.is_symlink() {
        return;
    }
    let open = Open::if_writable_by_others(Stat::from_metadata(&about));
    found.extend(open.map(|open| (path.to_owned(), open)));
    // What lies in it is not looked at where the directory itself is not known to be the user's.
    if matches!(open, Some(Open::Owner(_) | Open::Unknown(_))) {
        return;
    }
    if !about.is_dir() || depth >= DEEPEST {
        return;
    }
    let mut inside: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    inside.sort();
    for path in inside {
        find_paths_open_to_others(&path, depth + 1, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19.
    #[test]
    fn state_whose_permissions_are_not_read_is_a_finding() {
        assert_eq!(Open::if_writable_by_others(Err(Unsupported)), Some(Open::Unknown(Unsupported)));
    }
}
