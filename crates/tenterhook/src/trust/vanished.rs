//! Which files did a person approve that are not there any more? One small list beside the answers
//! says which files were approved, so that one that is gone is missed without reading every answer
//! (T-70). Decides nothing of what becomes of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Trust;
use super::store::{Answer, MOST_BYTES, Record, Store, check_no_other_writers, write_atomically};
use crate::discover;
use tenterhook_core::dialect::{DIALECTS, Roots};
use tenterhook_core::source::Source;

/// An approved file: its dialect and its path.
type Approved = (String, String);

impl Trust {
    /// Returns the approved files of the project around `roots` that are missing, as sources of
    /// which nothing could be read.
    pub(super) fn vanished_sources(&self, roots: &Roots, found: &[Source]) -> Vec<Source> {
        let is_found = |(dialect, path): &Approved| {
            found.iter().any(|source| *source.name == **path && source.dialect.as_str() == dialect)
        };
        let projects = [Some(&roots.cwd), roots.repository.as_ref()];
        let is_of_project = |(_, path): &Approved| {
            projects.iter().flatten().any(|project| Path::new(path).starts_with(project))
        };
        let other = self.store.fallback().map(Store::approved_files);
        let approved = self.store.approved_files().into_iter().chain(other.into_iter().flatten());
        let missing = approved.filter(|file| is_of_project(file) && !is_found(file));
        let source = |(dialect, path): Approved| {
            let dialect =
                DIALECTS.iter().map(|known| known.id()).find(|id| id.as_str() == dialect)?;
            discover::source_for_missing_project_file(Path::new(&path), dialect, roots)
        };
        missing.filter_map(source).collect()
    }
}

impl Store {
    fn approved_list_path(&self) -> PathBuf {
        self.directory().join("approved.json")
    }

    /// Returns the files that were approved; none if the list cannot be trusted.
    pub(super) fn approved_files(&self) -> Vec<Approved> {
        self.read_approved_list().unwrap_or_default()
    }

    fn read_approved_list(&self) -> Option<Vec<Approved>> {
        let (bytes, found) =
            discover::read_regular_file_with_metadata(&self.approved_list_path(), MOST_BYTES)
                .ok()?;
        check_no_other_writers(&found).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Records whether a file is approved, before the answer takes effect. The caller holds the
    /// lock.
    pub(super) fn record_whether_approved(
        &self,
        source: &str,
        dialect: &str,
        is_approved: bool,
    ) -> io::Result<()> {
        let mut list =
            self.read_approved_list().unwrap_or_else(|| self.approved_files_by_answers());
        let file: Approved = (dialect.to_owned(), source.to_owned());
        if list.contains(&file) == is_approved {
            return Ok(());
        }
        list.retain(|other| *other != file);
        if is_approved {
            list.push(file);
        }
        write_atomically(
            &self.approved_list_path(),
            &serde_json::to_vec(&list).map_err(io::Error::other)?,
        )
    }

    /// Returns the approved files according to the answers, for a list that is missing or cannot be
    /// trusted.
    fn approved_files_by_answers(&self) -> Vec<Approved> {
        let entries =
            fs::read_dir(self.directory().join("sources")).into_iter().flatten().flatten();
        let records = entries.filter_map(|entry| {
            let text = discover::read_regular_file(&entry.path(), MOST_BYTES).ok()?;
            let record: Record = serde_json::from_slice(&text).ok()?;
            (record.answer == Answer::Approved).then_some((record.dialect, record.source))
        });
        records.collect()
    }
}
