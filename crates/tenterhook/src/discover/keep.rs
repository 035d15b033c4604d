//! Makes the directories in which Tenterhook keeps something for its user: their owner's alone, and never the home that they are
//! in. Reads no file.

use std::io;
use std::path::{Path, PathBuf};

use super::system::System;

/// The names of directories that are ours.
const OURS: &[&str] = &["tenterhook", "tenterhook-agent"];
/// Where such directories are in a home, unless a variable such as `XDG_STATE_HOME` names another place.
const IN_HOME: &[&str] = &[".local/state", ".local/share", ".config"];

/// Returns the home directory that must exist before anything is created at `path`, if it is
/// missing (BR-43): the user's home, or the parent of the directory that a variable names. `None`
/// for a path that is not below a directory of ours.
#[must_use]
pub fn missing_home_above(path: &Path) -> Option<PathBuf> {
    let is_ours = |above: &&Path| OURS.iter().any(|name| above.ends_with(name));
    let base = path.ancestors().find(is_ours)?.parent()?;
    let homes = IN_HOME.iter().filter(|place| base.ends_with(place));
    let depth = homes.map(|place| Path::new(place).components().count()).next().unwrap_or(1);
    let home = base.ancestors().nth(depth)?;
    // A home that cannot be looked at is not taken for missing.
    let is_missing = matches!(home.try_exists(), Ok(false));
    (is_missing && !base.exists()).then(|| home.to_owned())
}

/// Makes a directory and those above it that are missing, for its owner alone. One that is there stays as it is.
///
/// # Errors
///
/// When it cannot be made, the home that it would be in does not exist, or this system does not keep other users out (HO-19).
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    if let Some(home) = missing_home_above(path) {
        return Err(io::Error::new(io::ErrorKind::NotFound, missing_home_message(&home)));
    }
    System::HERE.private_dir_builder()?.recursive(true).create(path)
}

/// The message for a user whose home directory does not exist.
#[must_use]
pub fn missing_home_message(home: &Path) -> String {
    format!(
        "`{}` does not exist, so nothing is kept: create it, or have `HOME` or `XDG_STATE_HOME` name a directory that exists",
        home.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-43: the home is never made, and what a variable names is made where its parent is there.
    #[test]
    fn directory_below_a_missing_home_is_refused() {
        let fixture = tempfile::tempdir().expect("a directory");
        let at = |name: &str| fixture.path().join(name);
        for refused in [
            "home/.local/state/tenterhook/records",
            "home/.local/state/tenterhook",
            "home/.local/share/tenterhook-agent/sessions",
            "home/.config/tenterhook/adopted",
            "var/state/tenterhook/sessions",
        ] {
            let error = create_private_dir(&at(refused)).expect_err(refused);
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{refused}");
            assert!(error.to_string().contains("does not exist, so nothing is kept"), "{error}");
        }
        assert_eq!(std::fs::read_dir(fixture.path()).expect("a directory").count(), 0);
        std::fs::create_dir(at("home")).expect("a home");
        for made in [
            "home/.local/state/tenterhook/records",
            "home/.local/share/tenterhook-agent/sessions",
            "state/tenterhook/sessions",
            "elsewhere/records",
        ] {
            create_private_dir(&at(made)).expect(made);
            assert!(at(made).is_dir() && missing_home_above(&at(made)).is_none(), "{made}");
        }
    }
}
