//! Private copies of config files as they could be read last, named by the digests of path and text
//! (C-93). Judges nothing.

use std::fs::{self, DirEntry, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Trust;
use super::store::{check_no_other_writers, create_private_directory, temporary_path};
use crate::discover;
use tenterhook_core::entry::digest::{Canon, Digest};
use tenterhook_core::hook::Layer;
use tenterhook_core::source::{Completeness, Source};

/// How long a copy stays that nothing replaces. One that is needed longer is made again.
const KEPT_FOR: Duration = Duration::from_hours(24 * 90);

impl Trust {
    /// Keeps a copy of each file that is loaded, and applies it while the file is being saved or is torn (C-93).
    #[must_use]
    pub fn keeping_last_good(mut self) -> Self {
        self.last_good = Some(self.store.config_backups());
        self
    }

    /// Returns the last readable version of a source (C-93). A managed file is replaced by the
    /// user's copy only while it is being saved.
    pub(crate) fn last_good_source(&self, source: &Source) -> Option<Source> {
        let applies = match source.flaw.as_ref().map(|flaw| flaw.kept) {
            Some(Completeness::Saving) => true,
            // It is torn, and what stays empty says nothing.
            None => source.layer != Layer::Managed && !source.text.trim().is_empty(),
            // It cannot be read, and may have changed: it holds calls.
            Some(
                Completeness::Nothing | Completeness::Part | Completeness::All | Completeness::Gone,
            ) => false,
        };
        if !applies {
            return None;
        }
        Some(source.with_text(self.last_good.as_ref()?.read_last_good(source)?))
    }

    /// Saves copies of sources, for a time when they cannot be read.
    pub(crate) fn save_last_good(&self, sources: &[Source]) {
        if let Some(copies) = &self.last_good {
            sources.iter().for_each(|source| copies.save_copy(source));
        }
    }
}

/// The directory of copies.
#[derive(Clone, Debug)]
pub(super) struct LastGood {
    root: PathBuf,
}

impl LastGood {
    /// Uses the copies in `state`, the state directory of this program. Opens no file yet.
    pub(super) fn in_state_directory(state: &Path) -> Self {
        Self { root: state.join("last-good") }
    }

    /// Returns the last readable text of a source; `None` if there is no copy that can be trusted.
    pub(super) fn read_last_good(&self, source: &Source) -> Option<Arc<str>> {
        let is_private = |path: &Path| {
            path.symlink_metadata().is_ok_and(|found| check_no_other_writers(&found).is_ok())
        };
        if !self.root.parent().is_some_and(is_private) || !is_private(&self.root) {
            return None;
        }
        let lead = copy_name_prefix(source);
        let mut copies: Vec<(SystemTime, PathBuf)> = self
            .directory_entries()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&lead))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        copies.sort_unstable();
        copies.iter().rev().filter(|(_, path)| is_private(path)).find_map(|(_, path)| {
            let text = discover::read_config_file(path).ok()?;
            path.ends_with(copy_name(source, &text)).then_some(text)
        })
    }

    /// Saves a copy of a source. If this fails, there is no copy.
    pub(super) fn save_copy(&self, source: &Source) {
        let name = copy_name(source, &source.text);
        if self.root.join(&name).symlink_metadata().is_err() {
            let _: io::Result<()> = self.write_copy(source, &name);
        }
    }

    fn write_copy(&self, source: &Source, name: &str) -> io::Result<()> {
        let state = self.root.parent().ok_or(io::ErrorKind::NotFound)?;
        discover::create_private_dir(state)?;
        create_private_directory(state)?;
        create_private_directory(&self.root)?;
        let path = self.root.join(name);
        let new = temporary_path(&path);
        let written =
            discover::set_owner_only_create_mode(OpenOptions::new().write(true).create_new(true))
                .and_then(|options| options.open(&new))
                .and_then(|mut file| file.write_all(source.text.as_bytes()))
                .and_then(|()| fs::rename(&new, &path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written?;
        let lead = copy_name_prefix(source);
        for entry in self.directory_entries() {
            let other = entry.file_name();
            let is_replaced = other.to_string_lossy().starts_with(&lead) && other != *name;
            if is_replaced || is_expired(&entry) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    fn directory_entries(&self) -> impl Iterator<Item = DirEntry> {
        fs::read_dir(&self.root).into_iter().flatten().flatten()
    }
}

fn is_expired(entry: &DirEntry) -> bool {
    let written = entry.metadata().and_then(|found| found.modified()).ok();
    written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT_FOR)
}

/// Returns the prefix of the names of all copies of a source.
fn copy_name_prefix(source: &Source) -> String {
    let file = Canon::new("last good").with_field("path", &*source.name);
    format!("{}-", file.with_field("dialect", source.dialect.as_str()).finish())
}

/// Returns the name of the copy of a source with that text.
fn copy_name(source: &Source, text: &str) -> String {
    format!("{}{}", copy_name_prefix(source), Digest::hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::dialect::DialectId;

    fn source(name: &str, text: &str) -> Source {
        Source::from_text(name, DialectId::NATIVE, text, "/p")
    }

    /// C-93: the copy is of the last text, and one whose bytes are others is not believed.
    #[test]
    fn last_text_is_kept_and_a_changed_copy_is_not_believed() {
        let fixture = tempfile::tempdir().expect("a directory");
        let state = fixture.path().join("state/tenterhook");
        fs::create_dir(fixture.path().join("state")).expect("a directory");
        let copies = LastGood::in_state_directory(&state);
        let read = |name| copies.read_last_good(&source(name, "")).map(|text| text.to_string());
        assert_eq!(read("/p/a"), None);
        for text in ["one", "two"] {
            copies.save_copy(&source("/p/a", text));
            copies.save_copy(&source("/p/b", "other"));
        }
        assert_eq!(
            (read("/p/a").as_deref(), read("/p/b").as_deref()),
            (Some("two"), Some("other"))
        );
        let files: Vec<DirEntry> = copies.directory_entries().collect();
        assert_eq!(files.len(), 2, "a replaced copy is removed");
        for file in files {
            fs::write(file.path(), "evil").expect("a file");
        }
        assert_eq!((read("/p/a"), read("/p/b")), (None, None));
    }
}
