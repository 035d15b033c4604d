//! Which files did a person approve that are not there any more? One small list beside the answers
//! says which files were approved, so that one that is gone is missed without reading every answer
//! (T-70). Decides nothing of what becomes of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Trust;
use super::store::{Answer, MOST_BYTES, Record, Store, private, put};
use crate::discover;
use tenterhook_core::dialect::{DIALECTS, Roots};
use tenterhook_core::source::Source;

/// An approved file: its dialect and its path.
type Approved = (String, String);

impl Trust {
    /// The approved files of the project round `roots` that are not there, as sources of which
    /// nothing could be read.
    pub(super) fn vanished(&self, roots: &Roots, found: &[Source]) -> Vec<Source> {
        let is_found = |(dialect, path): &Approved| {
            found.iter().any(|source| *source.name == **path && source.dialect.as_str() == dialect)
        };
        let projects = [Some(&roots.cwd), roots.repository.as_ref()];
        let is_of_project = |(_, path): &Approved| {
            projects.iter().flatten().any(|project| Path::new(path).starts_with(project))
        };
        let other = self.store.other().map(Store::approved);
        let approved = self.store.approved().into_iter().chain(other.into_iter().flatten());
        let missing = approved.filter(|file| is_of_project(file) && !is_found(file));
        let source = |(dialect, path): Approved| {
            let dialect =
                DIALECTS.iter().map(|known| known.id()).find(|id| id.as_str() == dialect)?;
            discover::vanished(Path::new(&path), dialect, roots)
        };
        missing.filter_map(source).collect()
    }
}

impl Store {
    fn list(&self) -> PathBuf {
        self.root().join("approved.json")
    }

    /// The files that were approved. A list that cannot be believed names none.
    pub(super) fn approved(&self) -> Vec<Approved> {
        self.listed().unwrap_or_default()
    }

    fn listed(&self) -> Option<Vec<Approved>> {
        let (bytes, found) = discover::contents(&self.list(), MOST_BYTES).ok()?;
        private(&found).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes whether a file is approved, before the answer takes effect. The caller holds the lock.
    pub(super) fn note(&self, source: &str, dialect: &str, is_approved: bool) -> io::Result<()> {
        let mut list = self.listed().unwrap_or_else(|| self.answers());
        let file: Approved = (dialect.to_owned(), source.to_owned());
        if list.contains(&file) == is_approved {
            return Ok(());
        }
        list.retain(|other| *other != file);
        if is_approved {
            list.push(file);
        }
        put(&self.list(), &serde_json::to_vec(&list).map_err(io::Error::other)?)
    }

    /// The approved files, by their answers: for a list that is missing or cannot be believed.
    fn answers(&self) -> Vec<Approved> {
        let entries = fs::read_dir(self.root().join("sources")).into_iter().flatten().flatten();
        let records = entries.filter_map(|entry| {
            let text = discover::bytes(&entry.path(), MOST_BYTES).ok()?;
            let record: Record = serde_json::from_slice(&text).ok()?;
            (record.answer == Answer::Approved).then_some((record.dialect, record.source))
        });
        records.collect()
    }
}
