//! Stores the user's answers about sources: one file for each source, in a directory that only the
//! user can write. Decides nothing about hooks.
//!
//! A file is written whole beside its path and renamed. So readers see the old or the new one, a
//! kill loses at most the new one, and two writers leave one of two whole answers (T-30). A file
//! that is damaged, or that another user could have written, is not an approval, and is not
//! repaired.

use std::collections::BTreeMap;
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
    /// Adds the approvals in another state directory, which are used if the first directory has no
    /// answer (T-72).
    #[must_use]
    pub fn and_at(mut self, state: impl AsRef<Path>) -> Self {
        self.store = self.store.with_fallback(state.as_ref());
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
    /// Where the programs were that they name, to show which one moved.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) programs: BTreeMap<String, PathBuf>,
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
    /// Uses the store in `state`, the user's state directory of this program. Opens no file yet.
    pub(super) fn in_state_directory(state: &Path) -> Self {
        Self { root: state.join("trust"), other: None }
    }

    /// Adds the store in another state directory, which is read if this store has no answer.
    pub(super) fn with_fallback(self, state: &Path) -> Self {
        Self { other: Some(Box::new(Self::in_state_directory(state))), ..self }
    }

    pub(super) fn fallback(&self) -> Option<&Self> {
        self.other.as_deref()
    }

    pub(super) fn directory(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of the copies of approved files.
    pub(super) fn copies_directory(&self) -> PathBuf {
        self.root.join(COPIES)
    }

    /// Returns the store of last good copies of config files, beside the answers.
    pub(super) fn config_backups(&self) -> LastGood {
        LastGood::in_state_directory(self.root.parent().unwrap_or(&self.root))
    }

    /// Reads the answer about a source.
    pub(super) fn read_answer(&self, source: &str, dialect: &str) -> Stored {
        let path = self.answer_path(source, dialect);
        let found = match is_absent(&path) {
            Ok(true) => {
                let other = self.other.as_ref();
                return other.map_or(Stored::Nothing, |other| other.read_answer(source, dialect));
            }
            Ok(false) => self.read_private_text(&path),
            Err(error) => Err(error.into()),
        };
        found.and_then(|text| parse_record(&text, source, dialect)).map_or_else(
            |why| Stored::Unusable(format!("`{}` cannot be believed: {why}", path.display())),
            |record| Stored::Record(Box::new(record)),
        )
    }

    /// Returns the names of the sources that have a record.
    pub(super) fn answered_source_names(&self) -> Vec<String> {
        #[derive(Deserialize)]
        struct About {
            source: String,
        }
        let files = fs::read_dir(self.root.join("sources")).into_iter().flatten().flatten();
        let records = files.take(MOST_SOURCES).filter_map(|file| {
            let text = discover::read_regular_file(&file.path(), MOST_BYTES).ok()?;
            serde_json::from_slice::<About>(&text).ok()
        });
        records.map(|about| about.source).collect()
    }

    /// Stores the answer about a source. Replaces an earlier one.
    pub(super) fn write(&self, record: &Record) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
        let _lock = self.lock_exclusive()?;
        let path = self.answer_path(&record.source, &record.dialect);
        let is_approved = record.answer == Answer::Approved;
        if is_approved {
            self.record_whether_approved(&record.source, &record.dialect, true)?;
        }
        write_atomically(&path, &text)?;
        if is_approved {
            Ok(())
        } else {
            self.record_whether_approved(&record.source, &record.dialect, false)
        }
    }

    /// Removes the answer about a source. Returns whether there was one.
    pub(super) fn remove_answer(&self, source: &str, dialect: &str) -> io::Result<bool> {
        let path = self.answer_path(source, dialect);
        if is_absent(&path)? {
            return self
                .other
                .as_ref()
                .map_or(Ok(false), |other| other.remove_answer(source, dialect));
        }
        let _lock = self.lock_exclusive()?;
        fs::remove_file(&path)?;
        self.record_whether_approved(source, dialect, false)?;
        self.other
            .as_ref()
            .map_or(Ok(true), |other| other.remove_answer(source, dialect).map(|_| true))
    }

    /// Marks a repository as reported and returns whether it was already; `false` if it cannot be
    /// marked.
    pub(super) fn mark_repository_reported(&self, project: &Path) -> bool {
        let name = Canon::new("reported")
            .with_field("project", project.to_string_lossy().as_bytes())
            .finish();
        let made = self.create_directories().and_then(|()| {
            let directory = self.root.join("reported");
            create_private_directory(&directory)?;
            OpenOptions::new().write(true).create_new(true).open(directory.join(name.to_string()))
        });
        made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    }

    fn answer_path(&self, source: &str, dialect: &str) -> PathBuf {
        let name =
            Canon::new("source").with_field("path", source).with_field("dialect", dialect).finish();
        self.root.join("sources").join(format!("{name}.json"))
    }

    /// Creates missing directories, and fails if other users may write them.
    pub(super) fn create_directories(&self) -> io::Result<()> {
        if let Some(state) = self.root.parent() {
            discover::create_private_dir(state)?;
            create_private_directory(state)?;
        }
        create_private_directory(&self.root)?;
        create_private_directory(&self.root.join("sources"))
    }

    fn lock_exclusive(&self) -> io::Result<File> {
        self.create_directories()?;
        let mut options = OpenOptions::new();
        let options =
            discover::set_owner_only_create_mode(options.write(true).create(true).truncate(false))?;
        let lock = discover::set_nonblocking_open(options).open(self.root.join("lock"))?;
        discover::wait_for_lock(|| lock.try_lock())?;
        Ok(lock)
    }

    /// Reads the text of a record. Fails if other users may write it or a directory above it.
    fn read_private_text(&self, path: &Path) -> Result<String, RecordError> {
        for directory in
            [self.root.parent(), Some(&*self.root), path.parent()].into_iter().flatten()
        {
            let found = directory.symlink_metadata()?;
            check_no_other_writers(&found)
                .map_err(|source| RecordError::Directory { path: directory.to_owned(), source })?;
        }
        let found = path.symlink_metadata()?;
        check_no_other_writers(&found).map_err(RecordError::File)?;
        if !found.is_file() || found.len() > MOST_BYTES {
            return Err(RecordError::Size);
        }
        Ok(String::from_utf8(discover::read_regular_file(path, MOST_BYTES)?)?)
    }
}

fn parse_record(text: &str, source: &str, dialect: &str) -> Result<Record, RecordError> {
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
    /// Creates the record of an answer that is given now.
    pub(super) fn answered_now(
        source: &str,
        dialect: &str,
        answer: Answer,
        review: Digest,
    ) -> Self {
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
            programs: BTreeMap::new(),
            at,
        }
    }
}

/// Returns whether a file is absent. Any other failure to look is an error: otherwise the user
/// could revoke an approval and it would remain.
fn is_absent(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(true),
        Err(error) => Err(error),
    }
}

/// Writes a temporary file beside `path` and renames it to `path`.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = temporary_path(path);
    let written =
        discover::set_owner_only_create_mode(OpenOptions::new().write(true).create_new(true))
            .and_then(|options| options.open(&beside))
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The old file is unchanged, and a file beside it is never read.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Returns a path beside `path` that no other writer uses.
pub(super) fn temporary_path(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |duration| duration.subsec_nanos());
    path.with_extension(format!("new-{}-{count}-{nanos}", std::process::id()))
}

/// Creates a directory if missing, and fails if other users may write it.
pub(super) fn create_private_directory(path: &Path) -> io::Result<()> {
    match System::HERE.private_dir_builder()?.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = path.symlink_metadata()?;
    check_no_other_writers(&found)
        .map_err(|why| io::Error::other(format!("`{}` {why}", path.display())))?;
    if found.is_dir() {
        return Ok(());
    }
    Err(io::Error::other(format!("`{}` is no directory", path.display())))
}

/// Fails if other users could have written the file or directory (T-31).
pub(super) fn check_no_other_writers(found: &fs::Metadata) -> Result<(), NotPrivate> {
    if found.is_symlink() {
        return Err(NotPrivate::Link);
    }
    check_owner_and_mode(Stat::from_metadata(found))
}

fn check_owner_and_mode(found: Result<Stat, Unsupported>) -> Result<(), NotPrivate> {
    let found = found.map_err(NotPrivate::Unsupported)?;
    if !found.is_owned_by_user() {
        return Err(NotPrivate::Owner);
    }
    match found.is_writable_by_others() {
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
        let why =
            check_owner_and_mode(Err(Unsupported)).expect_err("nothing is known of it").to_string();
        assert!(why.contains("does not read the permissions of files"), "{why}");
    }
}
