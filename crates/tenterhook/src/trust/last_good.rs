//! Private copies of config files as they could be read last, named by the digests of path and text
//! (C-93). Judges nothing.

use std::fs::{self, DirEntry, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Trust;
use super::store::{beside, private, private_directory};
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
        self.last_good = Some(self.store.last_good());
        self
    }

    /// A source as it was when it could be read last (C-93). A managed file is replaced by the user's copy only while it is saved.
    pub(crate) fn last_good(&self, source: &Source) -> Option<Source> {
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
        Some(source.with_text(self.last_good.as_ref()?.read(source)?))
    }

    /// Keeps sources as they are now, for the day when they cannot be read.
    pub(crate) fn keep_good(&self, sources: &[Source]) {
        if let Some(copies) = &self.last_good {
            sources.iter().for_each(|source| copies.keep(source));
        }
    }
}

/// The directory of copies.
#[derive(Clone, Debug)]
pub(super) struct LastGood {
    root: PathBuf,
}

impl LastGood {
    /// The copies in `state`, the person's directory of state for this program. Opens nothing.
    pub(super) fn at(state: &Path) -> Self {
        Self { root: state.join("last-good") }
    }

    /// The text of a source when it could be read last; `None` where there is no copy that can be believed.
    pub(super) fn read(&self, source: &Source) -> Option<Arc<str>> {
        let is_private =
            |path: &Path| path.symlink_metadata().is_ok_and(|found| private(&found).is_ok());
        if !self.root.parent().is_some_and(is_private) || !is_private(&self.root) {
            return None;
        }
        let lead = lead(source);
        let mut copies: Vec<(SystemTime, PathBuf)> = self
            .entries()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&lead))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        copies.sort_unstable();
        copies.iter().rev().filter(|(_, path)| is_private(path)).find_map(|(_, path)| {
            let text = discover::read(path).ok()?;
            path.ends_with(name(source, &text)).then_some(text)
        })
    }

    /// Keeps a source as it is now. Where that cannot be kept, there is no copy.
    pub(super) fn keep(&self, source: &Source) {
        let name = name(source, &source.text);
        if self.root.join(&name).symlink_metadata().is_err() {
            let _: io::Result<()> = self.write(source, &name);
        }
    }

    fn write(&self, source: &Source, name: &str) -> io::Result<()> {
        let state = self.root.parent().ok_or(io::ErrorKind::NotFound)?;
        discover::make_private(state)?;
        private_directory(state)?;
        private_directory(&self.root)?;
        let path = self.root.join(name);
        let new = beside(&path);
        let written = discover::owner_only(OpenOptions::new().write(true).create_new(true))
            .and_then(|options| options.open(&new))
            .and_then(|mut file| file.write_all(source.text.as_bytes()))
            .and_then(|()| fs::rename(&new, &path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written?;
        let lead = lead(source);
        for entry in self.entries() {
            let other = entry.file_name();
            let is_replaced = other.to_string_lossy().starts_with(&lead) && other != *name;
            if is_replaced || is_old(&entry) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    fn entries(&self) -> impl Iterator<Item = DirEntry> {
        fs::read_dir(&self.root).into_iter().flatten().flatten()
    }
}

fn is_old(entry: &DirEntry) -> bool {
    let written = entry.metadata().and_then(|found| found.modified()).ok();
    written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > KEPT_FOR)
}

/// How the names of all copies of a source begin.
fn lead(source: &Source) -> String {
    let file = Canon::new("last good").field("path", &*source.name);
    format!("{}-", file.field("dialect", source.dialect.as_str()).end())
}

/// The name of the copy of a source with that text.
fn name(source: &Source, text: &str) -> String {
    format!("{}{}", lead(source), Digest::hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::dialect::DialectId;

    fn source(name: &str, text: &str) -> Source {
        Source::given(name, DialectId::NATIVE, text, "/p")
    }

    /// C-93: the copy is of the last text, and one whose bytes are others is not believed.
    #[test]
    fn last_text_is_kept_and_a_changed_copy_is_not_believed() {
        let fixture = tempfile::tempdir().expect("a directory");
        let state = fixture.path().join("state/tenterhook");
        fs::create_dir(fixture.path().join("state")).expect("a directory");
        let copies = LastGood::at(&state);
        let read = |name| copies.read(&source(name, "")).map(|text| text.to_string());
        assert_eq!(read("/p/a"), None);
        for text in ["one", "two"] {
            copies.keep(&source("/p/a", text));
            copies.keep(&source("/p/b", "other"));
        }
        assert_eq!(
            (read("/p/a").as_deref(), read("/p/b").as_deref()),
            (Some("two"), Some("other"))
        );
        let files: Vec<DirEntry> = copies.entries().collect();
        assert_eq!(files.len(), 2, "a replaced copy is removed");
        for file in files {
            fs::write(file.path(), "evil").expect("a file");
        }
        assert_eq!((read("/p/a"), read("/p/b")), (None, None));
    }
}
