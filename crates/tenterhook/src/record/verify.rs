//! Is every record still as it was written, and where it was written? Reads, and changes nothing (RE-40 to RE-43).

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::chain::{self, Link, Sealed, unhex};
pub use super::error::FileError;
use super::error::{Attempt, Cause};
use super::head::Head;
use super::journal::Location;
use super::segments::{self, Segment};
use crate::discover;

/// How long a writer may hold the lock while the lengths of the files are taken.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// 1-based; 0 where it is about the file as a whole.
    pub line: usize,
    /// What.
    pub what: String,
}

/// What verifying found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many records there are.
    pub records: u64,
    /// In how many files.
    pub files: usize,
    /// The number of the first and of the last of them.
    pub span: Option<(u64, u64)>,
    /// The digest of the last one.
    pub last: Option<String>,
    /// What was changed, cut or moved.
    pub problems: Vec<Problem>,
    /// What is in order, and worth knowing.
    pub notes: Vec<String>,
    /// Firings that began and have no end: they are under way, or their process was killed.
    pub open: Vec<u64>,
}

/// Verifies all records of a place. `known` is the number and digest of a record that somebody kept elsewhere.
///
/// # Errors
///
/// When something cannot be read that is there.
pub fn verify(place: &Location, known: Option<(u64, &str)>) -> Result<Report, FileError> {
    let snapshot = Snapshot::take(place)?;
    let mut walk = Walk::default();
    for (segment, bytes) in &snapshot.files {
        let path = place.records.join(segment.name());
        let text = read(&path, *bytes).map_err(FileError::failed(Attempt::Read, &path))?;
        walk.file(&segment.name(), &text, &snapshot.head);
    }
    walk.report.files = snapshot.files.len();
    walk.beginning();
    walk.ending(snapshot.head, place);
    if let Some((seq, digest)) = known {
        walk.known(seq, digest);
    }
    Ok(walk.finish())
}

/// What there was at one moment.
struct Snapshot {
    /// Each file and how long it was.
    files: Vec<(Segment, u64)>,
    head: Kept,
}

/// What lies where the head is kept.
enum Kept {
    Nothing,
    Unreadable,
    Head(Head),
}

impl Snapshot {
    fn take(place: &Location) -> Result<Self, FileError> {
        let mut head = Kept::Nothing;
        let file = match discover::open(&place.head) {
            Ok((file, _)) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(FileError::failed(Attempt::Read, &place.head)(error)),
        };
        if let Some(mut file) = file.as_ref() {
            lock(file, &place.head)?;
            let mut text = Vec::new();
            let cannot = FileError::failed(Attempt::Read, &place.head);
            file.read_to_end(&mut text).map_err(cannot)?;
            head = Head::read(&text).map_or(Kept::Unreadable, Kept::Head);
        }
        let all = match segments::list(&place.records) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            all => all.map_err(FileError::failed(Attempt::Read, &place.records))?,
        };
        let length = |segment: Segment| {
            let path = place.records.join(segment.name());
            fs::metadata(&path)
                .map(|found| (segment, found.len()))
                .map_err(FileError::failed(Attempt::Read, &path))
        };
        let files = all.into_iter().map(length).collect::<Result<_, _>>()?;
        Ok(Self { files, head })
    }
}

/// What is known on the way through the records.
#[derive(Default)]
struct Walk {
    report: Report,
    /// Where the chain stands.
    at: Option<Link>,
    /// How many lines behind that were told to be no records.
    broken: u64,
    first: Option<(Sealed, String)>,
    /// What was removed in good order: up to which record.
    pruned: Vec<Link>,
    begun: BTreeSet<u64>,
    /// The digest of every record, for what somebody knows.
    digests: std::collections::HashMap<u64, chain::Digest>,
}

impl Walk {
    fn file(&mut self, name: &str, text: &[u8], kept: &Kept) {
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        // Behind the last line break nothing stands, where the last line is whole.
        let rest = lines.pop().unwrap_or_default();
        for (at, line) in lines.iter().enumerate() {
            self.line(name, at + 1, line);
        }
        if rest.is_empty() {
            return;
        }
        let (number, begins) = (lines.len() + 1, (text.len() - rest.len()) as u64);
        // What the head does not know was never whole: a kill ends a write between two pages.
        match kept {
            Kept::Head(head) if head.file == name && head.bytes == begins => {
                let note = format!(
                    "{name}:{number}: half a record: whoever wrote it was killed, and who writes next cuts it off"
                );
                self.report.notes.push(note);
            }
            _ => self.problem(name, number, "half a record: the rest of it was cut off"),
        }
    }

    fn line(&mut self, name: &str, number: usize, line: &[u8]) {
        let Some(sealed) = chain::check(line) else {
            self.problem(name, number, "this is not as it was written");
            self.broken += 1;
            return;
        };
        let seq = sealed.link.seq;
        let broken = std::mem::take(&mut self.broken);
        match self.at {
            None => self.first = Some((sealed, name.to_owned())),
            Some(before) if sealed.follows(&before) => {}
            // The lines between them were told.
            Some(before) if broken > 0 && seq == before.seq + 1 + broken => {}
            Some(before) if seq == before.seq + 1 => {
                let what =
                    format!("record {seq} does not follow record {}, as it stands", before.seq);
                self.problem(name, number, &what);
            }
            Some(before) if seq == before.seq + 2 => {
                self.problem(name, number, &format!("record {} is missing before it", seq - 1));
            }
            Some(before) if seq > before.seq => {
                let what =
                    format!("records {} to {} are missing before it", before.seq + 1, seq - 1);
                self.problem(name, number, &what);
            }
            Some(before) => {
                let what = format!("record {seq} stands behind record {}", before.seq);
                self.problem(name, number, &what);
            }
        }
        self.at = Some(sealed.link);
        self.report.records += 1;
        self.digests.insert(seq, sealed.link.digest);
        self.read(name, number, seq, line);
    }

    fn read(&mut self, name: &str, number: usize, seq: u64, line: &[u8]) {
        let said: Value = serde_json::from_slice(line).unwrap_or_default();
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        let number_of = |value: &Value, key: &str| value.get(key)?.as_u64();
        match text(&said, "kind").as_deref() {
            Some("begin") => drop(self.begun.insert(seq)),
            Some("end") => {
                number_of(&said, "begun").map(|value| self.begun.remove(&value));
            }
            Some("pruned") => {
                let through = said.get("through").unwrap_or(&Value::Null);
                let digest = text(through, "hash").and_then(|text| unhex(&text));
                let link = digest.zip(number_of(through, "seq"));
                self.pruned.extend(link.map(|(digest, seq)| Link { seq, digest }));
            }
            Some("recovered") => {
                self.recovered(name, number, said.get("recovered").unwrap_or(&Value::Null));
            }
            _ => {}
        }
    }

    fn recovered(&mut self, name: &str, number: usize, json: &Value) {
        if json.get("torn").is_some() {
            let note = format!("{name}:{number}: half a record was cut off here after a crash");
            self.report.notes.push(note);
        }
        if json.get("missing").is_some() {
            self.problem(name, number, "when this was written, records before it were gone");
        }
        if json.get("head").is_some() {
            let what = "when this was written, the head was gone: whether records were cut off before it, nobody can say";
            self.problem(name, number, what);
        }
    }

    /// The first record is the first of all, or follows what was removed in good order.
    fn beginning(&mut self) {
        let Some((first, name)) = self.first.take() else { return };
        let before = Link { seq: first.link.seq.saturating_sub(1), digest: first.prev };
        let is_whole = first.follows(&Link::default());
        // A removal that was broken off leaves files that it names.
        let is_pruned = self.pruned.iter().any(|link| *link == before || link.seq > before.seq);
        let last = self.at.map_or(0, |link| link.seq);
        self.report.span = Some((first.link.seq, last));
        if !is_whole && !is_pruned {
            let what = format!("records 1 to {} are missing before it", before.seq);
            self.problem(&name, 1, &what);
        } else if !is_whole {
            let note = format!(
                "records 1 to {} were removed because they were old or too many",
                before.seq
            );
            self.report.notes.push(note);
        }
    }

    /// The last record is the one that the head names.
    fn ending(&mut self, kept: Kept, place: &Location) {
        let shown = place.head.display().to_string();
        let last = self.at.unwrap_or_default();
        let head = match kept {
            Kept::Head(head) => head,
            // Nothing was ever recorded.
            Kept::Nothing if self.at.is_none() => return,
            Kept::Nothing => {
                let what =
                    "the head is gone: whether records were cut off from the end, nobody can say";
                return self.problem(&shown, 0, what);
            }
            Kept::Unreadable if self.at.is_none() => return,
            Kept::Unreadable => {
                return self.problem(&shown, 0, "the head is not as it was written");
            }
        };
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
            format!("record {} is another one than the head says", link.seq)
        } else if last.seq == link.seq + 1 {
            let note = "the last record is one ahead of the head: whoever wrote it was killed before it said so";
            self.report.notes.push(note.to_owned());
            return;
        } else {
            format!("records {} to {} came past the head", link.seq + 1, last.seq)
        };
        self.problem(&shown, 0, &what);
    }

    fn known(&mut self, seq: u64, digest: &str) {
        let is = self.digests.get(&seq).map(chain::hex);
        if is.as_deref() != Some(digest) {
            let what = match is {
                Some(is) => {
                    format!("record {seq} is not the one that you know: its digest is {is}")
                }
                None => format!("record {seq}, which you know, is not there"),
            };
            self.problem("", 0, &what);
        }
    }

    fn problem(&mut self, file: &str, line: usize, what: &str) {
        let (file, what) = (file.to_owned(), what.to_owned());
        self.report.problems.push(Problem { file, line, what });
    }

    fn finish(self) -> Report {
        let last = self.at.map(|link| chain::hex(&link.digest));
        Report { open: self.begun.into_iter().collect(), last, ..self.report }
    }
}

fn read(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    discover::open(path)?.0.take(bytes).read_to_end(&mut text)?;
    Ok(text)
}

fn lock(file: &File, path: &Path) -> Result<(), FileError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_micros(200));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(FileError::new(path, Cause::Held));
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::failed(Attempt::Lock, path)(error));
            }
        }
    }
}
