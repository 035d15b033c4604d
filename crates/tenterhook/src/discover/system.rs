//! What does this operating system say of a file: who owns it, and who else may write it? Where its answer is not read, that is an error,
//! and never a file that is fine. Judges no file.

use std::fmt;
use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Operating systems, as far as files differ between them. A value, so that tests on one system can try the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Linux, and Unixes that keep settings in `/etc`.
    Unix,
    /// macOS.
    Mac,
    /// A system whose file permissions are not read, such as Windows.
    Other,
}

/// Where an organisation keeps Claude Code's files, as the table of agents names it.
const IN_ETC: &str = "/etc/claude-code";

/// Where an organisation keeps managed files: what [`roots`](super::roots) names.
///
/// `None` on a system on which no such directory is known (HO-20).
pub const MANAGED: Option<&str> = System::HERE.managed_directory();

impl System {
    /// The one that this program was built for.
    pub(crate) const HERE: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(unix) {
        Self::Unix
    } else {
        Self::Other
    };

    /// Succeeds if owners and modes can be read and set on this system (HO-19).
    pub(crate) const fn supports_permissions(self) -> Result<(), Unsupported> {
        match self {
            Self::Unix | Self::Mac => Ok(()),
            Self::Other => Err(Unsupported),
        }
    }

    /// The directory of managed files. `None` on other systems, where any user could create `/etc`
    /// (HO-20).
    pub(crate) const fn managed_directory(self) -> Option<&'static str> {
        match self {
            Self::Unix => Some(IN_ETC),
            Self::Mac => Some("/Library/Application Support/ClaudeCode"),
            Self::Other => None,
        }
    }

    /// Returns the path on this system of a managed file that the table of agents names below
    /// `/etc`; `None` if it is not known.
    pub(crate) fn managed_file_path(self, path: &Path) -> Option<PathBuf> {
        match self {
            Self::Unix => Some(path.to_owned()),
            Self::Mac | Self::Other => {
                Some(Path::new(self.managed_directory()?).join(path.strip_prefix(IN_ETC).ok()?))
            }
        }
    }

    /// Returns a builder that creates directories for their owner alone.
    pub(crate) fn private_dir_builder(self) -> Result<DirBuilder, Unsupported> {
        self.supports_permissions()?;
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode to set"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        Ok(builder)
    }

    /// Makes `options` create files for their owner alone.
    pub(crate) fn set_private_create_mode(
        self,
        options: &mut OpenOptions,
    ) -> Result<(), Unsupported> {
        self.supports_permissions()?;
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        #[cfg(not(unix))]
        let _ = options;
        Ok(())
    }
}

/// Returns the path on this system of a managed file that the table of agents names below `/etc`;
/// `None` if it is not known.
#[must_use]
pub fn managed_file_path(path: &Path) -> Option<PathBuf> {
    System::HERE.managed_file_path(path)
}

/// Has a file be made for its owner alone.
///
/// # Errors
///
/// On a system whose permissions are not read.
pub fn set_owner_only_create_mode(options: &mut OpenOptions) -> io::Result<&mut OpenOptions> {
    System::HERE.set_private_create_mode(options)?;
    Ok(options)
}

/// The permissions of files are not read on this system, so nothing is known of who may read or write one (HO-19).
///
/// Its text is the rest of a sentence that begins with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = std::env::consts::OS;
        write!(f, "is not used: Tenterhook does not read the permissions of files on {system}")
    }
}

impl From<Unsupported> for io::Error {
    fn from(why: Unsupported) -> Self {
        Self::new(io::ErrorKind::Unsupported, why.to_string())
    }
}

/// What the file system says of one file, directory or link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The user who owns it.
    pub owner: u32,
    /// The user as whom this process runs.
    pub user: u32,
    /// The group that owns it.
    pub group: u32,
    /// Its kind and permissions.
    pub mode: u32,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// What a link leads to.
    pub link: Option<PathBuf>,
    /// Whether an access control list lets more users in than the mode says.
    pub has_list: bool,
}

impl Stat {
    /// What the system reports about a file, without its link and its list.
    ///
    /// # Errors
    ///
    /// On a system whose permissions are not read.
    pub fn from_metadata(metadata: &Metadata) -> Result<Self, Unsupported> {
        Self::from_metadata_on_system(System::HERE, metadata)
    }

    /// Converts metadata as the given system reports it.
    pub(crate) fn from_metadata_on_system(
        system: System,
        metadata: &Metadata,
    ) -> Result<Self, Unsupported> {
        system.supports_permissions()?;
        stat_from_metadata(metadata)
    }

    /// Whether the user of this process owns the file.
    #[must_use]
    pub const fn is_owned_by_user(&self) -> bool {
        self.owner == self.user
    }

    /// Whether the mode lets the group or everybody write the file.
    #[must_use]
    pub const fn is_writable_by_others(&self) -> bool {
        self.mode & 0o022 != 0
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such numbers")]
fn stat_from_metadata(metadata: &Metadata) -> Result<Stat, Unsupported> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(Stat {
        owner: metadata.uid(),
        user: rustix::process::geteuid().as_raw(),
        group: metadata.gid(),
        mode: metadata.mode(),
        is_directory: metadata.is_dir(),
        link: None,
        has_list: false,
    })
}

#[cfg(not(unix))]
const fn stat_from_metadata(_metadata: &Metadata) -> Result<Stat, Unsupported> {
    Err(Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19: each way to make or judge a private file refuses where permissions are not read.
    #[test]
    fn files_on_a_system_without_permissions_are_refused() {
        let fixture = tempfile::tempdir().expect("a directory");
        let metadata = fixture.path().metadata().expect("metadata");
        assert!(System::Other.private_dir_builder().is_err());
        assert!(System::Other.set_private_create_mode(&mut OpenOptions::new()).is_err());
        assert_eq!(Stat::from_metadata_on_system(System::Other, &metadata), Err(Unsupported));
        assert_eq!(io::Error::from(Unsupported).kind(), io::ErrorKind::Unsupported);
        for system in [System::Unix, System::Mac] {
            assert!(system.private_dir_builder().is_ok(), "{system:?}");
            assert!(system.set_private_create_mode(&mut OpenOptions::new()).is_ok(), "{system:?}");
            assert_eq!(
                Stat::from_metadata_on_system(system, &metadata).is_ok(),
                cfg!(unix),
                "{system:?}"
            );
        }
    }

    /// HO-20: `/etc` on Windows is a directory of the current drive, and most agents' places on macOS are not known.
    #[test]
    fn managed_files_have_places_only_where_they_are_known() {
        let claude = Path::new("/etc/claude-code/managed-settings.json");
        let codex = Path::new("/etc/codex/hooks.json");
        for (system, path, expected) in [
            (System::Unix, claude, claude.to_str()),
            (System::Unix, codex, codex.to_str()),
            (
                System::Mac,
                claude,
                Some("/Library/Application Support/ClaudeCode/managed-settings.json"),
            ),
            (System::Mac, codex, None),
            (System::Other, claude, None),
            (System::Other, codex, None),
        ] {
            let found = system.managed_file_path(path);
            assert_eq!(found.as_deref(), expected.map(Path::new), "{system:?} {path:?}");
        }
        assert_eq!(System::Other.managed_directory(), None);
    }
}
