//! Stores the user's answers about sources: one file for each source, in a directory that only the
//! user can write. Decides nothing about hooks.
//!
//! A file is written whole beside its path and renamed. So readers see the old or the new one, a
//! kill loses at most the new one, and two writers leave one of two whole answers (T-30). A file
//! that is damaged, or that another user could have written, is not an approval, and is not
//! repaired.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Trust;
use super::last_good::LastGood;
use super::pins::ReadScript;
use crate::discover::{self, Stat, System, Unsupported};
use tenterhook_core::entry::digest::{Canon, Digest};

/// The directory of copies, below that of approvals.
pub(super) const COPIES: &str = "copies";

/// Most records that are looked through for one that is about another checkout.
const MOST_SOURCES: usize = 1_000;

/// Largest record that is read: the text of a source and a few digests.
pub(super) const MOST_BYTES: u64 = 48 << 20;

impl Trust {
    /// With what was approved in another directory of state, which is asked where this one has no
    /// answer (T-72).
    #[must_use]
    pub fn and_at(mut self, state: impl AsRef<Path>) -> Self {
        self.store = self.store.or(state.as_ref());
        self
    }
}

/// The user's answer about a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The form of this record.
    pub(super) version: u32,
    /// The file.
    pub(super) source: String,
    /// The dialect of its format.
    pub(super) dialect: String,
    /// The answer.
    pub(super) answer: Answer,
    /// The digest of the review that was answered.
    pub(super) review: String,
    /// The identities of its entries.
    pub(super) entries: Vec<String>,
    /// The names of the copies of what they run.
    pub(super) copies: Vec<String>,
    /// The digest of its settings outside of entries.
    pub(super) rest: String,
    /// Its text, to show changes and to block what an entry that is gone would block.
    pub(super) text: String,
    /// The findings in the scripts that they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) read: Vec<ReadScript>,
    /// When, in seconds since 1970.
    pub(super) at: u64,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer {
    Approved,
    Refused,
}

/// The content of the store for a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// The user has not answered.
    Nothing,
    /// The user's answer.
    Record(Box<Record>),
    /// There is an answer that cannot be read or trusted. Holds the reason.
    Unusable(String),
}

/// Why a record is not used.
#[derive(Debug, thiserror::Error)]
enum RecordError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("`{}` {source}", path.display())]
    Directory { path: PathBuf, source: NotPrivate },
    #[error("it {0}")]
    File(#[source] NotPrivate),
    #[error("it is no file of a record's size")]
    Size,
    #[error(transparent)]
    Encoding(#[from] std::string::FromUtf8Error),
    #[error("it is torn ({0})")]
    Form(#[source] serde_json::Error),
    #[error("it is of version {0}")]
    Version(u32),
    #[error("it is about `{0}`")]
    Source(String),
}

/// Why another user could have written a file or directory: the rest of a sentence that begins with
/// its path.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotPrivate {
    #[error("is a symbolic link")]
    Link,
    #[error("{0}")]
    Unsupported(Unsupported),
    #[error("belongs to somebody else")]
    Owner,
    #[error("may be written by others: `chmod go-w` it")]
    Mode,
}

/// The form of records.
const VERSION: u32 = 1;

/// The directory of a person's answers.
#[derive(Clone, Debug)]
pub(super) struct Store {
    root: PathBuf,
    /// A second store, which is asked where this one has no answer.
    other: Option<Box<Store>>,
}

impl Store {
    /// The store in `state`, the person's directory of state for this program. Opens nothing.
    pub(super) fn at(state: &Path) -> Self {
        Self { root: state.join("trust"), other: None }
    }

    /// The same, beside the store in another directory of state.
    pub(super) fn or(self, state: &Path) -> Self {
        Self { other: Some(Box::new(Self::at(state))), ..self }
    }

    pub(super) fn other(&self) -> Option<&Self> {
        self.other.as_deref()
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the copies of approved files.
    pub(super) fn copies(&self) -> PathBuf {
        self.root.join(COPIES)
    }

    /// The store of last good copies of config files, beside the answers.
    pub(super) fn last_good(&self) -> LastGood {
        LastGood::at(self.root.parent().unwrap_or(&self.root))
    }

    /// Reads the answer about a source.
    pub(super) fn read(&self, source: &str, dialect: &str) -> Stored {
        let path = self.file(source, dialect);
        let found = match is_absent(&path) {
            Ok(true) => {
                let other = self.other.as_ref();
                return other.map_or(Stored::Nothing, |other| other.read(source, dialect));
            }
            Ok(false) => self.believed(&path),
            Err(error) => Err(error.into()),
        };
        found.and_then(|text| parse(&text, source, dialect)).map_or_else(
            |why| Stored::Unusable(format!("`{}` cannot be believed: {why}", path.display())),
            |record| Stored::Record(Box::new(record)),
        )
    }

    /// The names of the sources that it has a record about.
    pub(super) fn sources(&self) -> Vec<String> {
        #[derive(Deserialize)]
        struct About {
            source: String,
        }
        let files = fs::read_dir(self.root.join("sources")).into_iter().flatten().flatten();
        let records = files.take(MOST_SOURCES).filter_map(|file| {
            let text = discover::bytes(&file.path(), MOST_BYTES).ok()?;
            serde_json::from_slice::<About>(&text).ok()
        });
        records.map(|about| about.source).collect()
    }

    /// Stores the answer about a source, and replaces an earlier one.
    pub(super) fn write(&self, record: &Record) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
        let _lock = self.lock()?;
        let path = self.file(&record.source, &record.dialect);
        let is_approved = record.answer == Answer::Approved;
        if is_approved {
            self.note(&record.source, &record.dialect, true)?;
        }
        put(&path, &text)?;
        if is_approved { Ok(()) } else { self.note(&record.source, &record.dialect, false) }
    }

    /// Removes the answer about a source. Returns whether there was one.
    pub(super) fn remove(&self, source: &str, dialect: &str) -> io::Result<bool> {
        let path = self.file(source, dialect);
        if is_absent(&path)? {
            return self.other.as_ref().map_or(Ok(false), |other| other.remove(source, dialect));
        }
        let _lock = self.lock()?;
        fs::remove_file(&path)?;
        self.note(source, dialect, false)?;
        self.other.as_ref().map_or(Ok(true), |other| other.remove(source, dialect).map(|_| true))
    }

    /// Marks a repository as reported and returns whether it was already; `false` if it cannot be
    /// marked.
    pub(super) fn mark_reported(&self, project: &Path) -> bool {
        let name =
            Canon::new("reported").field("project", project.to_string_lossy().as_bytes()).end();
        let made = self.prepared().and_then(|()| {
            let directory = self.root.join("reported");
            private_directory(&directory)?;
            OpenOptions::new().write(true).create_new(true).open(directory.join(name.to_string()))
        });
        made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    }

    fn file(&self, source: &str, dialect: &str) -> PathBuf {
        let name = Canon::new("source").field("path", source).field("dialect", dialect).end();
        self.root.join("sources").join(format!("{name}.json"))
    }

    /// Makes what is not there yet, and refuses what others may write.
    pub(super) fn prepared(&self) -> io::Result<()> {
        if let Some(state) = self.root.parent() {
            discover::make_private(state)?;
            private_directory(state)?;
        }
        private_directory(&self.root)?;
        private_directory(&self.root.join("sources"))
    }

    fn lock(&self) -> io::Result<File> {
        self.prepared()?;
        let mut options = OpenOptions::new();
        let options = discover::owner_only(options.write(true).create(true).truncate(false))?;
        let lock = discover::without_waiting(options).open(self.root.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// The text of a record, where every step on the way to it is the person's alone.
    fn believed(&self, path: &Path) -> Result<String, RecordError> {
        for directory in
            [self.root.parent(), Some(&*self.root), path.parent()].into_iter().flatten()
        {
            let found = directory.symlink_metadata()?;
            private(&found)
                .map_err(|source| RecordError::Directory { path: directory.to_owned(), source })?;
        }
        let found = path.symlink_metadata()?;
        private(&found).map_err(RecordError::File)?;
        if !found.is_file() || found.len() > MOST_BYTES {
            return Err(RecordError::Size);
        }
        Ok(String::from_utf8(discover::bytes(path, MOST_BYTES)?)?)
    }
}

fn parse(text: &str, source: &str, dialect: &str) -> Result<Record, RecordError> {
    let record: Record = serde_json::from_str(text).map_err(RecordError::Form)?;
    if record.version != VERSION {
        return Err(RecordError::Version(record.version));
    }
    if record.source != source || record.dialect != dialect {
        return Err(RecordError::Source(record.source));
    }
    Ok(record)
}

impl Record {
    /// An answer that is given now.
    pub(super) fn now(source: &str, dialect: &str, answer: Answer, review: Digest) -> Self {
        let at = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |duration| duration.as_secs());
        Self {
            version: VERSION,
            source: source.to_owned(),
            dialect: dialect.to_owned(),
            answer,
            review: review.to_string(),
            entries: Vec::new(),
            copies: Vec::new(),
            rest: String::new(),
            text: String::new(),
            read: Vec::new(),
            at,
        }
    }
}

/// Whether a file is absent. If looking fails this is an error, because otherwise the user could
/// revoke an approval and it would stay.
fn is_absent(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(true),
        Err(error) => Err(error),
    }
}

/// Writes a file beside its place and moves it there.
pub(super) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let written = discover::owner_only(OpenOptions::new().write(true).create_new(true))
        .and_then(|options| options.open(&beside))
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The old file is unchanged, and a file beside it is never read.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A name beside a place that no other writer has.
pub(super) fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |duration| duration.subsec_nanos());
    path.with_extension(format!("new-{}-{count}-{nanos}", std::process::id()))
}

/// A directory that is the person's alone, made where it is not there.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    match System::HERE.private_directories()?.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = path.symlink_metadata()?;
    private(&found).map_err(|why| io::Error::other(format!("`{}` {why}", path.display())))?;
    if found.is_dir() {
        return Ok(());
    }
    Err(io::Error::other(format!("`{}` is no directory", path.display())))
}

/// Why somebody else could have written what was found, if somebody could (T-31).
pub(super) fn private(found: &fs::Metadata) -> Result<(), NotPrivate> {
    if found.is_symlink() {
        return Err(NotPrivate::Link);
    }
    own(Stat::read(found))
}

fn own(found: Result<Stat, Unsupported>) -> Result<(), NotPrivate> {
    let found = found.map_err(NotPrivate::Unsupported)?;
    if !found.is_users() {
        return Err(NotPrivate::Owner);
    }
    match found.is_open() {
        false => Ok(()),
        true => Err(NotPrivate::Mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HO-19: an approval that any user could have written is refused.
    #[test]
    fn approval_whose_permissions_are_not_read_is_refused() {
        let why = own(Err(Unsupported)).expect_err("nothing is known of it").to_string();
        assert!(why.contains("does not read the permissions of files"), "{why}");
    }
}
