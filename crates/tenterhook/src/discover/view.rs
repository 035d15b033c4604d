//! What one search has seen of the directories of this machine: which are absent, and the names in those that were listed. Opens
//! no file. Lives as long as one search, so that a later one sees what has changed.
//!
//! An agent may read some two hundred files, most of them in directories that do not exist. What lies below such a directory is
//! absent without another look: the answer is that of the moment in which the directory was looked for, and so as good as if all
//! files had been looked for then. Nothing that exists is answered from here: it is opened, and judged by what was opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::file;
use tenterhook_core::source::Flaw;

/// The directories that one search has looked at.
#[derive(Debug, Default)]
pub(super) struct View {
    directories: RefCell<HashMap<PathBuf, Presence>>,
    listings: RefCell<HashMap<PathBuf, Listing>>,
}

/// Whether a directory exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    /// It is there, perhaps behind links.
    Present,
    /// It is not, and no broken link is on the way to it.
    Absent,
    /// Something else, such as a broken link or an error: each path below it is looked for.
    Unclear,
}

/// The listing of a directory.
#[derive(Clone, Debug)]
enum Listing {
    /// The names of its entries, sorted.
    Names(Vec<OsString>),
    Absent,
    /// The directory cannot be listed. It is itself the candidate then, and reading it gives the
    /// error.
    Unlisted,
}

impl View {
    /// Reads a file that an agent would load, as [`file::read_config_if_exists`] does.
    pub(super) fn read_config_if_exists(&self, path: &Path) -> Option<(Arc<str>, Option<Flaw>)> {
        if self.is_absent(path) { None } else { file::read_config_if_exists(path) }
    }

    /// Returns true if nothing is at an absolute path, not even a broken link on the way.
    fn is_absent(&self, path: &Path) -> bool {
        match path.parent().filter(|_| path.is_absolute()).map(|parent| self.presence(parent)) {
            Some(Presence::Absent) => true,
            Some(Presence::Present) => {
                matches!(path.symlink_metadata(), Err(error) if file::is_not_found(&error))
            }
            Some(Presence::Unclear) | None => false,
        }
    }

    fn presence(&self, directory: &Path) -> Presence {
        if let Some(known) = self.directories.borrow().get(directory) {
            return *known;
        }
        let presence = match directory.parent().map(|parent| self.presence(parent)) {
            None | Some(Presence::Present) => look_for_directory(directory),
            Some(other) => other,
        };
        self.directories.borrow_mut().insert(directory.to_owned(), presence);
        presence
    }

    /// Resolves one `*` in each path component: `managed-settings.d/*.json` gives every such file,
    /// sorted by name.
    pub(super) fn expand_wildcards(&self, pattern: &Path) -> Vec<PathBuf> {
        let has_star = |path: &&Path| path.as_os_str().as_encoded_bytes().contains(&b'*');
        let fixed = pattern.ancestors().find(|path| !has_star(path)).unwrap_or(Path::new(""));
        let rest = pattern.strip_prefix(fixed).unwrap_or(pattern);
        let mut paths = vec![fixed.to_owned()];
        for component in rest.components() {
            let star = match component {
                Component::Normal(name) => name.to_str().and_then(|name| name.split_once('*')),
                _ => None,
            };
            paths = match star {
                None => paths.into_iter().map(|path| path.join(component)).collect(),
                Some((before, after)) => paths
                    .iter()
                    .flat_map(|path| self.matching_entries(path, before, after))
                    .collect(),
            };
        }
        paths
    }

    /// Returns the entries of a directory whose names start with `before` and end with `after`.
    fn matching_entries(&self, directory: &Path, before: &str, after: &str) -> Vec<PathBuf> {
        let fits = |name: &&OsString| {
            let name = name.to_string_lossy();
            let fits = name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after));
            // Skip hidden files: editors and mounts leave them behind.
            fits && !name.starts_with('.')
        };
        let mut listings = self.listings.borrow_mut();
        let listing = listings.entry(directory.to_owned()).or_insert_with(|| {
            if self.is_absent(directory) { Listing::Absent } else { list_directory(directory) }
        });
        match listing {
            Listing::Names(names) => {
                names.iter().filter(fits).map(|name| directory.join(name)).collect()
            }
            Listing::Absent => Vec::new(),
            Listing::Unlisted => vec![directory.to_owned()],
        }
    }

    /// Returns the subdirectories of a directory, sorted.
    pub(super) fn list_directories(&self, path: &Path) -> Vec<PathBuf> {
        if self.is_absent(path) {
            return Vec::new();
        }
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        found.sort();
        found
    }
}

/// Looks for a directory whose parent exists.
fn look_for_directory(directory: &Path) -> Presence {
    match directory.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => Presence::Present,
        Ok(metadata) if metadata.is_symlink() && directory.is_dir() => Presence::Present,
        Err(error) if file::is_not_found(&error) => Presence::Absent,
        _ => Presence::Unclear,
    }
}

fn list_directory(directory: &Path) -> Listing {
    let names = std::fs::read_dir(directory).and_then(|all| {
        all.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<_>, _>>()
    });
    match names {
        Ok(mut names) => {
            names.sort_unstable();
            Listing::Names(names)
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let dangles = directory.is_symlink() && !directory.exists();
            if dangles { Listing::Unlisted } else { Listing::Absent }
        }
        Err(_) => Listing::Unlisted,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// C-70: what the view says without a look is what a look would say.
    #[test]
    fn view_reads_what_a_look_at_each_file_reads() {
        let fixture = tempfile::tempdir().expect("a directory");
        let root = fixture.path().canonicalize().expect("a real path");
        let at = |name: &str| root.join(name);
        std::fs::create_dir_all(at("there/deep")).expect("directories");
        std::fs::write(at("there/deep/a.json"), "{}").expect("a file");
        symlink(at("there"), at("link")).expect("a link");
        symlink(at("nowhere"), at("broken")).expect("a link");
        symlink(at("loop"), at("loop")).expect("a link");
        symlink(at("nowhere"), at("there/deep/broken.json")).expect("a link");
        let view = View::default();
        for name in [
            "there/deep/a.json",
            "there/deep/b.json",
            "there/deep/broken.json",
            "there/deep/a.json/below.json",
            "there/none/a.json",
            "there/none/deeper/a.json",
            "link/deep/a.json",
            "link/none/a.json",
            "broken/a.json",
            "broken/deep/a.json",
            "loop/a.json",
            "there",
        ] {
            let path = at(name);
            let expected = file::read_config_if_exists(&path);
            for _ in 0..2 {
                assert_eq!(view.read_config_if_exists(&path), expected, "{name}");
            }
        }
        assert_eq!(view.presence(&at("there/none")), Presence::Absent);
        assert_eq!(view.presence(&at("broken/deep")), Presence::Unclear);
        assert_eq!(view.expand_wildcards(&at("link/de*/a*.json")), [at("link/deep/a.json")]);
        assert_eq!(view.expand_wildcards(&at("broken/*.json")), [at("broken")]);
        assert_eq!(view.list_directories(&at("there")), [at("there/deep")]);
    }

    /// A new search sees what came since.
    #[test]
    fn absence_is_kept_for_one_search() {
        let fixture = tempfile::tempdir().expect("a directory");
        let path = fixture.path().join("late/a.json");
        let view = View::default();
        assert_eq!(view.read_config_if_exists(&path), None);
        std::fs::create_dir(fixture.path().join("late")).expect("a directory");
        std::fs::write(&path, "{}").expect("a file");
        assert_eq!(view.read_config_if_exists(&path), None);
        assert!(View::default().read_config_if_exists(&path).is_some());
    }
}
