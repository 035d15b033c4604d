//! Verifies that no record was changed, removed or moved (RE-40 to RE-43). Changes no file.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::chain::{self, Link, Sealed, digest_from_hex};
use super::error::FileError;
use super::error::{Attempt, Cause};
use super::head::Head;
use super::journal::Location;
use super::segments::{self, Segment};
use crate::discover;

/// How long a writer may hold the lock while the lengths of the files are taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// A violation, and its file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// 1-based; 0 if the problem is about the whole file.
    pub line: usize,
    /// The violation, as text.
    pub what: String,
}

/// The result of verifying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of records.
    pub records: u64,
    /// Number of files.
    pub files: usize,
    /// The sequence numbers of the first and the last record.
    pub span: Option<(u64, u64)>,
    /// The digest of the last record.
    pub last: Option<String>,
    /// What was changed, cut or moved.
    pub problems: Vec<Problem>,
    /// Remarks that are not problems.
    pub notes: Vec<String>,
    /// Firings that began and have no end: they still run, or their process was killed.
    pub open: Vec<u64>,
}

/// Verifies all records of a location. `known` is the number and digest of a record that the caller
/// stored elsewhere.
///
/// # Errors
///
/// Fails if an existing file cannot be read.
pub fn verify_records(
    location: &Location,
    known: Option<(u64, &str)>,
) -> Result<Report, FileError> {
    let snapshot = Snapshot::read_head_and_lengths(location)?;
    let mut walk = Walk::default();
    for (segment, bytes) in &snapshot.files {
        let path = location.records.join(segment.file_name());
        let text = read_first_bytes(&path, *bytes)
            .map_err(FileError::from_io_error(Attempt::Read, &path))?;
        walk.check_file(&segment.file_name(), &text, &snapshot.head);
    }
    walk.report.files = snapshot.files.len();
    walk.check_first_record();
    walk.check_last_record(snapshot.head, location);
    if let Some((seq, digest)) = known {
        walk.check_known_digest(seq, digest);
    }
    Ok(walk.into_report())
}

/// The files at one moment.
struct Snapshot {
    /// Each file and its length.
    files: Vec<(Segment, u64)>,
    head: StoredHead,
}

/// The content of the file of the head.
enum StoredHead {
    Missing,
    Unreadable,
    Head(Head),
}

impl Snapshot {
    fn read_head_and_lengths(location: &Location) -> Result<Self, FileError> {
        let mut head = StoredHead::Missing;
        let file = match discover::open(&location.head) {
            Ok((file, _)) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(FileError::from_io_error(Attempt::Read, &location.head)(error));
            }
        };
        if let Some(mut file) = file.as_ref() {
            lock_shared(file, &location.head)?;
            let mut text = Vec::new();
            let cannot = FileError::from_io_error(Attempt::Read, &location.head);
            file.read_to_end(&mut text).map_err(cannot)?;
            head = Head::parse(&text).map_or(StoredHead::Unreadable, StoredHead::Head);
        }
        let all = match segments::list_segments(&location.records) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            all => all.map_err(FileError::from_io_error(Attempt::Read, &location.records))?,
        };
        let length = |segment: Segment| {
            let path = location.records.join(segment.file_name());
            fs::metadata(&path)
                .map(|found| (segment, found.len()))
                .map_err(FileError::from_io_error(Attempt::Read, &path))
        };
        let files = all.into_iter().map(length).collect::<Result<_, _>>()?;
        Ok(Self { files, head })
    }
}

/// The state of the walk through all records.
#[derive(Default)]
struct Walk {
    report: Report,
    /// The last valid record.
    at: Option<Link>,
    /// How many lines after it were reported as invalid.
    broken: u64,
    first: Option<(Sealed, String)>,
    /// The last record of each recorded removal.
    pruned: Vec<Link>,
    begun: BTreeSet<u64>,
    /// The digest of every record, to compare with the one that the caller knows.
    digests: std::collections::HashMap<u64, chain::Digest>,
}

impl Walk {
    fn check_file(&mut self, name: &str, text: &[u8], stored: &StoredHead) {
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        // Empty unless the last line is incomplete.
        let rest = lines.pop().unwrap_or_default();
        for (at, line) in lines.iter().enumerate() {
            self.check_line(name, at + 1, line);
        }
        if rest.is_empty() {
            return;
        }
        let (number, begins) = (lines.len() + 1, (text.len() - rest.len()) as u64);
        // A kill can end a write between two pages. The head does not include such a record yet.
        match stored {
            StoredHead::Head(head) if head.file == name && head.bytes == begins => {
                let note = format!(
                    "{name}:{number}: half a record: its writer was killed; the next writer cuts it off"
                );
                self.report.notes.push(note);
            }
            _ => self.add_problem(name, number, "half a record: the rest of it was cut off"),
        }
    }

    fn check_line(&mut self, name: &str, number: usize, line: &[u8]) {
        let Some(sealed) = chain::parse_sealed_line(line) else {
            self.add_problem(name, number, "this is not as it was written");
            self.broken += 1;
            return;
        };
        let seq = sealed.link.seq;
        let broken = std::mem::take(&mut self.broken);
        match self.at {
            None => self.first = Some((sealed, name.to_owned())),
            Some(before) if sealed.directly_follows(&before) => {}
            // The lines between them were reported.
            Some(before) if broken > 0 && seq == before.seq + 1 + broken => {}
            Some(before) if seq == before.seq + 1 => {
                let what =
                    format!("record {seq} does not follow record {}, as it stands", before.seq);
                self.add_problem(name, number, &what);
            }
            Some(before) if seq == before.seq + 2 => {
                self.add_problem(name, number, &format!("record {} is missing before it", seq - 1));
            }
            Some(before) if seq > before.seq => {
                let what =
                    format!("records {} to {} are missing before it", before.seq + 1, seq - 1);
                self.add_problem(name, number, &what);
            }
            Some(before) => {
                let what = format!("record {seq} stands behind record {}", before.seq);
                self.add_problem(name, number, &what);
            }
        }
        self.at = Some(sealed.link);
        self.report.records += 1;
        self.digests.insert(seq, sealed.link.digest);
        self.note_facts_of_record(name, number, seq, line);
    }

    fn note_facts_of_record(&mut self, name: &str, number: usize, seq: u64, line: &[u8]) {
        let record: Value = serde_json::from_slice(line).unwrap_or_default();
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        let number_of = |value: &Value, key: &str| value.get(key)?.as_u64();
        match text(&record, "kind").as_deref() {
            Some("begin") => drop(self.begun.insert(seq)),
            Some("end") => {
                number_of(&record, "begun").map(|value| self.begun.remove(&value));
            }
            Some("pruned") => {
                let through = record.get("through").unwrap_or(&Value::Null);
                let digest = text(through, "hash").and_then(|text| digest_from_hex(&text));
                let link = digest.zip(number_of(through, "seq"));
                self.pruned.extend(link.map(|(digest, seq)| Link { seq, digest }));
            }
            Some("unsent") => {
                let count = number_of(record.get("unsent").unwrap_or(&Value::Null), "records");
                let count = count.unwrap_or_default();
                let note = format!(
                    "{name}:{number}: {count} records before this did not reach the log of the system"
                );
                self.report.notes.push(note);
            }
            Some("recovered") => {
                self.check_recovery_note(
                    name,
                    number,
                    record.get("recovered").unwrap_or(&Value::Null),
                );
            }
            _ => {}
        }
    }

    fn check_recovery_note(&mut self, name: &str, number: usize, json: &Value) {
        if json.get("torn").is_some() {
            let note = format!("{name}:{number}: half a record was cut off here after a crash");
            self.report.notes.push(note);
        }
        if json.get("missing").is_some() {
            self.add_problem(name, number, "when this was written, records before it were gone");
        }
        if json.get("head").is_some() {
            let what =
                "when this was written, the head was gone: records before it may have been cut off";
            self.add_problem(name, number, what);
        }
    }

    /// Checks that the first record has number 1 or follows a recorded removal.
    fn check_first_record(&mut self) {
        let Some((first, name)) = self.first.take() else { return };
        let before = Link { seq: first.link.seq.saturating_sub(1), digest: first.prev };
        let is_whole = first.directly_follows(&Link::default());
        // An interrupted removal leaves some of the files that it names.
        let is_pruned = self.pruned.iter().any(|link| *link == before || link.seq > before.seq);
        let last = self.at.map_or(0, |link| link.seq);
        self.report.span = Some((first.link.seq, last));
        if !is_whole && !is_pruned {
            let what = format!("records 1 to {} are missing before it", before.seq);
            self.add_problem(&name, 1, &what);
        } else if !is_whole {
            let note = format!(
                "records 1 to {} were removed because they were old or too many",
                before.seq
            );
            self.report.notes.push(note);
        }
    }

    /// Checks that the last record is the one that the head names.
    fn check_last_record(&mut self, stored: StoredHead, location: &Location) {
        let shown = location.head.display().to_string();
        let last = self.at.unwrap_or_default();
        let head = match stored {
            StoredHead::Head(head) => head,
            // Nothing was ever recorded.
            StoredHead::Missing if self.at.is_none() => return,
            StoredHead::Missing => {
                let what = "the head is gone: records may have been cut off from the end";
                return self.add_problem(&shown, 0, what);
            }
            StoredHead::Unreadable if self.at.is_none() => return,
            StoredHead::Unreadable => {
                return self.add_problem(&shown, 0, "the head is not as it was written");
            }
        };
        if head.unsent > 0 {
            let note = format!(
                "the last {} records did not reach the log of the system (`[record] system_log`)",
                head.unsent
            );
            self.report.notes.push(note);
        }
        let link = head.link;
        if last == link {
            return;
        }
        let what = if last.seq < link.seq {
            let after = last.seq + 1;
            match after == link.seq {
                true => format!("record {after} is missing from the end"),
                false => format!("records {after} to {} are missing from the end", link.seq),
            }
        } else if self.digests.get(&link.seq).is_none_or(|digest| *digest != link.digest)
            && link.seq > 0
        {
            format!("record {} differs from the one that the head names", link.seq)
        } else if last.seq == link.seq + 1 {
            let note = "the last record is one ahead of the head: its writer was killed before it updated the head";
            self.report.notes.push(note.to_owned());
            return;
        } else {
            format!("records {} to {} came past the head", link.seq + 1, last.seq)
        };
        self.add_problem(&shown, 0, &what);
    }

    fn check_known_digest(&mut self, seq: u64, digest: &str) {
        let is = self.digests.get(&seq).map(chain::digest_to_hex);
        if is.as_deref() != Some(digest) {
            let what = match is {
                Some(is) => {
                    format!("record {seq} is not the one that you know: its digest is {is}")
                }
                None => format!("record {seq}, which you know, is not there"),
            };
            self.add_problem("", 0, &what);
        }
    }

    fn add_problem(&mut self, file: &str, line: usize, what: &str) {
        let (file, what) = (file.to_owned(), what.to_owned());
        self.report.problems.push(Problem { file, line, what });
    }

    fn into_report(self) -> Report {
        let last = self.at.map(|link| chain::digest_to_hex(&link.digest));
        Report { open: self.begun.into_iter().collect(), last, ..self.report }
    }
}

fn read_first_bytes(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    discover::open(path)?.0.take(bytes).read_to_end(&mut text)?;
    Ok(text)
}

fn lock_shared(file: &File, path: &Path) -> Result<(), FileError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_micros(200));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(FileError::new(path, Cause::Locked));
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::from_io_error(Attempt::Lock, path)(error));
            }
        }
    }
}
