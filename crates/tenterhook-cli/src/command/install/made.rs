//! Which folders did `install` make? Kept in the state directory, so that `uninstall` removes those, where they are empty again, and no
//! others. What cannot be kept is not known later, and stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::read;
use crate::ambient::Here;
use crate::command::change::{Readers, write_over};

type Folders = BTreeSet<PathBuf>;

/// The folders that are not there, and will be made for a file.
pub(super) fn missing(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1).filter(|ancestor| !ancestor.as_os_str().is_empty());
    above.take_while(|path| path.symlink_metadata().is_err()).map(Path::to_owned).collect()
}

/// Keeps that these were made.
pub(super) fn note(folders: Vec<PathBuf>, here: &Here) {
    let others = folders.into_iter().filter(|folder| !is_of_ours(folder, here));
    let mut made: Folders = others.filter(|other| other.is_dir()).collect();
    if made.is_empty() {
        return;
    }
    let kept = list_path(here);
    // They would be left where nothing else is in them.
    made.extend(missing(&kept).into_iter().filter(|path| !is_of_ours(path, here)));
    made.extend(known(here));
    keep(&made, here);
}

/// Removes the folders above a file that were made for it and hold nothing now.
pub(super) fn remove_empty(file: &Path, here: &Here) {
    let mut made = known(here);
    let count = made.len();
    climb(file, &mut made, here);
    if made.len() == count {
        return;
    }
    let kept = list_path(here);
    if made.iter().any(|path| !kept.starts_with(path)) {
        keep(&made, here);
    } else if fs::remove_file(&kept).is_ok() {
        climb(&kept, &mut made, here);
    }
}

/// Takes away one folder after the other, as long as they are empty and were made.
fn climb(file: &Path, made: &mut Folders, here: &Here) {
    for folder in file.ancestors().skip(1) {
        let was_made = is_of_ours(folder, here) || made.contains(folder);
        // A folder that is not empty stays, and so does one that somebody else may have made.
        if !was_made || fs::remove_dir(folder).is_err() {
            return;
        }
        made.remove(folder);
    }
}

/// Whether a folder bears our name, or lies below one that does: no other program creates such. A project may bear it, too.
fn is_of_ours(folder: &Path, here: &Here) -> bool {
    let project = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
    let mut named = folder.ancestors().filter(|ancestor| ancestor.ends_with("tenterhook"));
    named.any(|path| !project.starts_with(path))
}

fn list_path(here: &Here) -> PathBuf {
    here.state.join("installed").join("folders.json")
}

/// Those that are still there.
fn known(here: &Here) -> Folders {
    let text = read(&list_path(here)).ok().flatten().unwrap_or_default();
    let all: Folders = serde_json::from_str(&text).unwrap_or_default();
    all.into_iter().filter(|path| path.is_dir()).collect()
}

fn keep(made: &Folders, here: &Here) {
    if let Ok(text) = serde_json::to_string(made) {
        // Where it cannot be written, a folder stays that could go.
        let _ = write_over(&list_path(here), &text, Readers::Owner);
    }
}
