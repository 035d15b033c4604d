//! Which folders did `install` make? Kept in the state directory, so that `uninstall` removes those, where they are empty again, and no
//! others. What cannot be kept is not known later, and stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::read_if_exists;
use crate::ambient::Here;
use crate::command::change::{Readers, write_file_atomically};

type Folders = BTreeSet<PathBuf>;

/// Returns the folders that do not exist and will be created for a file.
pub(super) fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1).filter(|ancestor| !ancestor.as_os_str().is_empty());
    above.take_while(|path| path.symlink_metadata().is_err()).map(Path::to_owned).collect()
}

/// Records that these folders were created.
pub(super) fn record_created_folders(folders: Vec<PathBuf>, here: &Here) {
    let others = folders.into_iter().filter(|folder| !is_folder_named_by_us(folder, here));
    let mut made: Folders = others.filter(|other| other.is_dir()).collect();
    if made.is_empty() {
        return;
    }
    let kept = created_folders_path(here);
    // They would be left where nothing else is in them.
    made.extend(
        missing_folders(&kept).into_iter().filter(|path| !is_folder_named_by_us(path, here)),
    );
    made.extend(load_created_folders(here));
    store_created_folders(&made, here);
}

/// Removes the folders above a file that were created for it and are empty now.
pub(super) fn remove_created_empty_folders(file: &Path, here: &Here) {
    let mut made = load_created_folders(here);
    let count = made.len();
    remove_folders_upwards(file, &mut made, here);
    let kept = created_folders_path(here);
    // The record is needed as long as a folder, or another note beside it, is left.
    if made.iter().any(|path| !kept.starts_with(path)) || !is_alone_in_folder(&kept) {
        if made.len() != count {
            store_created_folders(&made, here);
        }
    } else if fs::remove_file(&kept).is_ok() {
        remove_folders_upwards(&kept, &mut made, here);
    }
}

/// Returns whether nothing else is in the folder of a file.
fn is_alone_in_folder(file: &Path) -> bool {
    let entries = file.parent().and_then(|folder| fs::read_dir(folder).ok());
    entries.is_some_and(|entries| entries.flatten().all(|entry| entry.path() == file))
}

/// Removes one folder after the other, upwards, as long as they are empty and were created by us.
fn remove_folders_upwards(file: &Path, made: &mut Folders, here: &Here) {
    for folder in file.ancestors().skip(1) {
        let was_made = is_folder_named_by_us(folder, here) || made.contains(folder);
        // A folder that is not empty stays, and so does one that somebody else may have made.
        if !was_made || fs::remove_dir(folder).is_err() {
            return;
        }
        made.remove(folder);
    }
}

/// Returns whether a folder has our name, or lies below one that has: no other program creates such
/// folders. A project may have that name, too.
fn is_folder_named_by_us(folder: &Path, here: &Here) -> bool {
    let project = here.roots.repository.as_ref().unwrap_or(&here.roots.cwd);
    let mut named = folder.ancestors().filter(|ancestor| ancestor.ends_with("tenterhook"));
    named.any(|path| !project.starts_with(path))
}

fn created_folders_path(here: &Here) -> PathBuf {
    here.state.join("installed").join("folders.json")
}

/// Loads the recorded folders that still exist.
fn load_created_folders(here: &Here) -> Folders {
    let text = read_if_exists(&created_folders_path(here)).ok().flatten().unwrap_or_default();
    let all: Folders = serde_json::from_str(&text).unwrap_or_default();
    all.into_iter().filter(|path| path.is_dir()).collect()
}

fn store_created_folders(made: &Folders, here: &Here) {
    if let Ok(text) = serde_json::to_string(made) {
        // Where it cannot be written, a folder stays that could go.
        let _ = write_file_atomically(&created_folders_path(here), &text, Readers::Owner);
    }
}
