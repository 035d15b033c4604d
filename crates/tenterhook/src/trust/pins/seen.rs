//! A cache of the files, folders, programs and the last digest that were read for one source. Decides
//! nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::memory::{Memory, ReadScript};
use super::{MOST_FILES, Pin, PinError, Pins};
use crate::trust::named::{self, Named};
use tenterhook_core::entry::PathRoots;
use tenterhook_core::entry::digest::Digest;

/// A cache for one source. Its hooks lie in one folder, and each pins the whole folder; with the
/// cache all of them see the same bytes, and no file is opened twice.
#[derive(Debug, Default)]
pub(in crate::trust) struct Seen {
    files: RefCell<HashMap<OsString, Pin>>,
    folders: RefCell<HashMap<OsString, Arc<Listing>>>,
    programs: RefCell<HashMap<String, Option<PathBuf>>>,
    /// The programs that the first lines of scripts name, by line, script and directory.
    starters: RefCell<HashMap<(String, PathBuf, PathBuf), Named>>,
    /// The scripts that were read.
    pub(super) memory: Memory,
    /// The files that were digested last: those of the next entry are mostly the same.
    digested: RefCell<Option<(Pins, Digest)>>,
}

/// The entries of a folder, sorted.
#[derive(Debug)]
pub(super) struct Listing {
    /// Its path without links.
    pub(super) real: PathBuf,
    pub(super) entries: Vec<(OsString, Kind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
}

impl Kind {
    /// The kind of a directory entry, following links.
    fn from_entry(entry: &DirEntry) -> Option<Self> {
        let own = entry.file_type().ok()?;
        let found = if own.is_symlink() { entry.path().metadata().ok()?.file_type() } else { own };
        let file = found.is_file().then_some(Self::File);
        if found.is_dir() { Some(Self::Folder) } else { file }
    }
}

impl Seen {
    /// Starts with only the scripts that were read when the source was approved.
    pub(in crate::trust) fn with_approved_scripts(approval: Vec<ReadScript>) -> Self {
        Self { memory: Memory::new(approval), ..Self::default() }
    }

    /// Returns the scripts that were read.
    pub(in crate::trust) fn into_scripts(self) -> Vec<ReadScript> {
        self.memory.into_scripts()
    }

    /// Returns the programs that the first line of a script names.
    pub(super) fn read_shebang(
        &self,
        line: &str,
        script: &Path,
        base: &Path,
        ground: PathRoots<'_>,
    ) -> Named {
        let key = (line.to_owned(), script.to_owned(), base.to_owned());
        let mut all = self.starters.borrow_mut();
        let read = || named::read_shebang(line, script, base, ground.project, ground.home);
        all.entry(key).or_insert_with(read).clone()
    }

    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.files.borrow().contains_key(path.as_os_str())
    }

    /// Returns the file as it was read, if it was.
    pub(super) fn get_file(&self, path: &Path) -> Option<Pin> {
        self.files.borrow().get(path.as_os_str()).cloned()
    }

    pub(super) fn insert_file(&self, pin: &Pin) {
        self.files.borrow_mut().insert(pin.path.clone().into_os_string(), pin.clone());
    }

    /// Returns the entries of a folder; `None` if it does not exist.
    pub(super) fn list_folder(&self, folder: &Path) -> Result<Option<Arc<Listing>>, PinError> {
        if let Some(known) = self.folders.borrow().get(folder.as_os_str()) {
            return Ok(Some(Arc::clone(known)));
        }
        let cannot = |source| PinError::List { path: folder.to_owned(), source };
        let mut entries = Vec::new();
        let found = match std::fs::read_dir(folder) {
            // A missing folder has no files; if it appears later, the identity changes.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(cannot)?,
        };
        for (count, entry) in found.enumerate() {
            let entry = entry.map_err(cannot)?;
            if count >= MOST_FILES {
                return Err(PinError::LargeFolder(folder.to_owned()));
            }
            entries.extend(Kind::from_entry(&entry).map(|kind| (entry.file_name(), kind)));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let real = folder.canonicalize().map_err(cannot)?;
        let listing = Arc::new(Listing { real, entries });
        self.folders.borrow_mut().insert(folder.as_os_str().to_owned(), Arc::clone(&listing));
        Ok(Some(listing))
    }

    /// Returns the path of a program that is found by its name.
    pub(super) fn find_program(&self, name: &str, search: &[PathBuf]) -> Option<PathBuf> {
        if let Some(known) = self.programs.borrow().get(name) {
            return known.clone();
        }
        let found = search.iter().map(|path| path.join(name)).find(|path| path.is_file());
        self.programs.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    /// Returns the digest of what a hook runs. It is computed once for successive hooks that run
    /// the same.
    pub(in crate::trust) fn cached_digest(&self, pins: &Pins, ground: PathRoots<'_>) -> Digest {
        let mut digested = self.digested.borrow_mut();
        if let Some((known, digest)) =
            digested.as_ref().filter(|(known, _)| known.has_same_digest(pins))
        {
            debug_assert_eq!(*digest, known.digest(ground));
            return *digest;
        }
        let digest = pins.digest(ground);
        *digested = Some((pins.clone(), digest));
        digest
    }
}
