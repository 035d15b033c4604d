//! Which users may write a file? Judged by owner and mode of the file, of each link to it and of each directory above it. Opens no file.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::system::{Stat, Unsupported};
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::Layer;
use tenterhook_core::source::{Completeness, Flaw};

#[cfg(all(test, unix))]
mod tests;

/// How many links are followed on the way to a file, as the system itself does.
const MAX_LINKS: usize = 40;

/// The user whose files an organisation's are.
const ROOT: u32 = 0;

/// Which other users may write a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// Another user owns it.
    Owner(u32),
    /// Every user may write it.
    Everybody,
    /// A group may write it.
    Group(u32),
    /// An access control list lets others write it.
    List,
    /// Nothing is known of who may write it (HO-19).
    Unknown,
}

impl Stat {
    /// Returns the first user or group besides `owners` that may write the file. A group with the
    /// same number as an owner may write, too: many systems give each user such a group.
    pub(crate) fn first_other_writer(&self, owners: &[u32]) -> Option<Writer> {
        const GROUP: u32 = 0o020;
        const ALL: u32 = 0o002;
        const STICKY: u32 = 0o1000;
        if !owners.contains(&self.owner) {
            return Some(Writer::Owner(self.owner));
        }
        // The mode of a link says nothing, and in a directory such as `/tmp` each user removes and renames only their own.
        if self.link.is_some() || self.is_directory && self.mode & STICKY != 0 {
            return None;
        }
        if self.mode & ALL != 0 {
            return Some(Writer::Everybody);
        }
        if self.mode & GROUP == 0 {
            return None;
        }
        match owners.contains(&self.group) {
            false => Some(Writer::Group(self.group)),
            true => self.has_list.then_some(Writer::List),
        }
    }

    /// Returns whether only the owner, and at most root's group, may run the file or pass through
    /// the directory.
    fn is_closed_to_others(&self) -> bool {
        const RUN_BY_GROUP: u32 = 0o010;
        const RUN_BY_ALL: u32 = 0o001;
        let group_may = self.mode & RUN_BY_GROUP != 0 && self.group != ROOT;
        self.link.is_none() && !self.has_list && self.mode & RUN_BY_ALL == 0 && !group_may
    }
}

/// Returns the flaw of a managed file that somebody besides root, or the owner that the host names,
/// may write (C-89). `None` if only they may write it, or if it cannot be examined: then it lies
/// behind a directory that only they may write.
pub(super) fn managed_file_flaw(path: &Path, layer: Layer, roots: &Roots) -> Option<Flaw> {
    if layer != Layer::Managed {
        return None;
    }
    let (why, help) = untrusted_writer_message(path, roots)?;
    Some(Flaw { why, help, kept: Completeness::Nothing, untrusted: None })
}

/// Describes who else may write the file or a directory on the way to it, and the command that
/// corrects it.
fn untrusted_writer_message(path: &Path, roots: &Roots) -> Option<(String, String)> {
    let (place, writer) = find_untrusted_writer(path, roots)?;
    Some(writer.describe_fault_and_remedy(&place))
}

/// Describes who else may write a program that each user's agent starts, and the command that
/// corrects it (BR-162). `None` on a system whose permissions are not read: there the organisation
/// protects it in another way.
#[must_use]
pub fn writer_of_shared_program(program: &Path, roots: &Roots) -> Option<(String, String)> {
    let (place, writer) = find_untrusted_writer(program, roots)?;
    (writer != Writer::Unknown).then(|| writer.describe_fault_and_remedy(&place))
}

/// Returns the file or directory on the way to a program that keeps other users from starting it
/// (BR-162). A group besides root's that may pass is the organisation's choice.
#[must_use]
pub fn find_barrier_for_other_users(program: &Path) -> Option<PathBuf> {
    let barrier = |stat: &Stat| stat.is_closed_to_others().then_some(());
    find_on_way(&absolute_path(program), &read_stat, &barrier).ok()?.map(|(place, ())| place)
}

fn find_untrusted_writer(path: &Path, roots: &Roots) -> Option<(PathBuf, Writer)> {
    let owners: Vec<u32> = [ROOT].into_iter().chain(roots.managed_owner).collect();
    find_other_writer(&absolute_path(path), &owners, &read_stat)
}

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Writer {
    /// Returns the fault of a path, as a clause, and the command that corrects it.
    fn describe_fault_and_remedy(self, place: &Path) -> (String, String) {
        let shown = place.display();
        match self {
            Self::Owner(user) => {
                (format!("`{shown}` belongs to user {user}"), format!("run `chown root {shown}`"))
            }
            Self::Everybody => {
                (format!("everybody may write `{shown}`"), format!("run `chmod o-w {shown}`"))
            }
            Self::Group(group) => {
                (format!("group {group} may write `{shown}`"), format!("run `chmod g-w {shown}`"))
            }
            Self::List => (
                format!("an access control list lets others write `{shown}`"),
                format!("run `setfacl -b {shown}`"),
            ),
            Self::Unknown => (
                format!("`{shown}` {Unsupported}"),
                "remove the file: managed files work on Linux and macOS".to_owned(),
            ),
        }
    }
}

/// Returns the first file or directory on the way to a path that somebody besides `owners` may
/// write.
fn find_other_writer(
    path: &Path,
    owners: &[u32],
    look: &dyn Fn(&Path) -> io::Result<Stat>,
) -> Option<(PathBuf, Writer)> {
    match find_on_way(path, look, &|stat| stat.first_other_writer(owners)) {
        Ok(found) => found,
        Err(unsupported) => Some((unsupported, Writer::Unknown)),
    }
}

/// Follows a path and its links from the root of the file system. Returns the first file or
/// directory that `judge` finds; as an error, the one whose owner and mode this system does not
/// tell.
fn find_on_way<T>(
    path: &Path,
    look: &dyn Fn(&Path) -> io::Result<Stat>,
    judge: &dyn Fn(&Stat) -> Option<T>,
) -> Result<Option<(PathBuf, T)>, PathBuf> {
    let steps = |path: &Path| -> Vec<PathBuf> {
        path.components().rev().map(|step| PathBuf::from(step.as_os_str())).collect()
    };
    let (mut at, mut left, mut links) = (PathBuf::new(), steps(path), 0);
    while let Some(step) = left.pop() {
        match step.components().next() {
            Some(Component::ParentDir) => {
                at.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            // A full path, such as the `/` of a link, begins anew.
            Some(_) => at.push(&step),
        }
        let stat = match look(&at) {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(at),
            Err(_) => return Ok(None),
        };
        if let Some(found) = judge(&stat) {
            return Ok(Some((at, found)));
        }
        if let Some(target) = stat.link {
            links += 1;
            if links > MAX_LINKS {
                return Ok(None);
            }
            at.pop();
            left.extend(steps(&target));
        }
    }
    Ok(None)
}

fn read_stat(path: &Path) -> io::Result<Stat> {
    let metadata = path.symlink_metadata()?;
    let link = metadata.is_symlink().then(|| path.read_link()).transpose()?;
    let has_list = link.is_none() && has_access_control_list(path);
    Ok(Stat { link, has_list, ..Stat::from_metadata(&metadata)? })
}

/// Whether a file has an access control list beyond its mode.
#[cfg(target_os = "linux")]
fn has_access_control_list(path: &Path) -> bool {
    let mut value = [0_u8; 4];
    let found = rustix::fs::getxattr(path, "system.posix_acl_access", &mut value[..]);
    matches!(found, Ok(_) | Err(rustix::io::Errno::RANGE))
}

#[cfg(not(target_os = "linux"))]
fn has_access_control_list(_path: &Path) -> bool {
    false
}
