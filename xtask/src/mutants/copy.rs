//! The tree in which mutants are made: a copy that stays between runs. Its build stays warm, and the files of the repository never change.
//! Knows nothing of mutants.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

/// Makes the copy say what the tree says, and touches only what differs: a file that was left changed is set right as well.
pub(super) fn refresh(root: &Path, copy: &Path) -> Result<(), Error> {
    let files = files(root)?;
    for file in &files {
        let (from, to) = (root.join(file), copy.join(file));
        let wrong = Error::file(&to);
        let wanted = std::fs::read(&from).map_err(&wrong)?;
        if std::fs::read(&to).is_ok_and(|bytes| bytes == wanted) {
            continue;
        }
        std::fs::create_dir_all(to.parent().unwrap_or(copy)).map_err(&wrong)?;
        std::fs::copy(&from, &to).map_err(&wrong)?;
    }
    sweep(copy, copy, &files).map_err(Error::file(copy))
}

/// Every file of the repository, whether it is committed yet or not.
fn files(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(Error::spawn("git"))?;
    let output = String::from_utf8_lossy(&output.stdout);
    let files: BTreeSet<PathBuf> =
        output.split('\0').filter(|part| root.join(part).is_file()).map(PathBuf::from).collect();
    if files.is_empty() {
        Err(Error::Invalid("git knows no file here".to_owned()))
    } else {
        Ok(files)
    }
}

/// Takes out of the copy what the tree has no more: a test that is gone must not notice anything.
fn sweep(copy: &Path, folder: &Path, files: &BTreeSet<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            sweep(copy, &path, files)?;
        } else if path.strip_prefix(copy).is_ok_and(|rest| !files.contains(rest)) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}
