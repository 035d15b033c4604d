//! Appends records to files, under a lock that all processes of the user share (RE-10 to RE-22).
//! Does not decide what a record contains.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::caller::Caller;
use super::chain::{self, seal_record, sha256_text};
use super::entry::{Body, BodyBuilder, insert_field};
use super::error::{Attempt, Cause, FileError};
use super::head::{self, Head};
use super::identity::Identities;
use super::recover::{self, Found};
use super::segments::{self, Segment};
use super::system_log::LogSocket;
use super::user_action::UserAction;
use super::{Late, Number, Record, Sink, Unrecorded, private};
use crate::discover;
use tenterhook_core::answer::Restraint;
use tenterhook_core::event::Event;
use tenterhook_core::outcome::Outcome;
use tenterhook_core::source::{Content, KEEP_DAYS, MAX_BYTES, RecordTable};

/// Minimum number of files that share the byte limit, because the oldest file is removed whole.
const PARTS: u64 = 4;
/// Maximum length of the content of one record; longer content is recorded by its digest only.
const MOST_CONTENT: usize = 256 << 10;
/// How long to wait for the lock. A writer holds it for microseconds, a stopped one for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// The paths of the records and of their head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The directory of the records.
    pub records: PathBuf,
    /// The file with the head of their chain, in another directory.
    pub head: PathBuf,
    /// Our directory below the user's state directory. It contains the head.
    own: PathBuf,
}

impl Location {
    /// The location below `state`, the user's state directory (`$XDG_STATE_HOME`). `dir` overrides
    /// the directory of the records.
    #[must_use]
    pub fn in_state_directory(state: &Path, dir: Option<&Path>) -> Self {
        let own = state.join("tenterhook");
        let records = dir.map_or_else(|| own.join("records"), Path::to_owned);
        let name = sha256_text(records.as_os_str().as_encoded_bytes());
        let name = name.trim_start_matches("sha256:").get(..16).unwrap_or_default().to_owned();
        Self { head: own.join("heads").join(name), records, own }
    }
}

/// A sink that writes files. Several processes may share a location.
#[derive(Debug)]
pub struct Journal {
    location: Location,
    content: Content,
    keep_days: u32,
    max_bytes: u64,
    is_required: bool,
    identities: Identities,
    caller: Caller,
    /// Where each record is also sent.
    log: Option<LogSocket>,
    /// Whether the failure to record was already reported to the user.
    is_reported: AtomicBool,
    now: fn() -> Timestamp,
    /// Called between writes, where a test kills this process.
    #[cfg(test)]
    pub(super) at: fn(&str),
}

impl Journal {
    /// A journal below the user's state directory, as the user's or the organisation's settings
    /// ask; `None` if they disable records. Opens no file yet.
    #[must_use]
    pub fn below(state: &Path, table: &RecordTable) -> Option<Self> {
        let is_required = table.required.unwrap_or(false);
        let location = Location::in_state_directory(state, table.dir.as_deref());
        // Without a home nothing is recorded (BR-43), unless records are required: then events
        // that cannot be recorded are denied.
        let has_home = || discover::missing_home_above(&location.own).is_none();
        if !table.enabled.unwrap_or(true) || !(is_required || has_home()) {
            return None;
        }
        Some(Self {
            location,
            content: table.content.unwrap_or_default(),
            keep_days: table.keep_days.unwrap_or(KEEP_DAYS),
            max_bytes: table.max_bytes.unwrap_or(MAX_BYTES),
            is_required,
            identities: Identities::default(),
            caller: Caller::default(),
            log: LogSocket::from_settings(table),
            is_reported: AtomicBool::new(false),
            now: Timestamp::now,
            #[cfg(test)]
            at: |_| (),
        })
    }

    /// Names the agent that calls, and its version if known, in each record (RE-7).
    #[must_use]
    pub fn called_by(self, agent: &str, version: Option<String>) -> Self {
        Self { caller: Caller { agent: Some(agent.to_owned()), version }, ..self }
    }

    /// Returns where the records are stored.
    #[must_use]
    pub const fn location(&self) -> &Location {
        &self.location
    }

    /// Records an event that could not be passed to hooks and was therefore denied.
    ///
    /// # Errors
    ///
    /// Fails if this could not be recorded.
    pub fn unseen(&self, outcome: &Outcome) -> Result<(), Unrecorded> {
        let event = Event::new("", tenterhook_core::event::Surroundings::default());
        let record = Record {
            begun: None,
            event: &event,
            outcome: Some(outcome),
            hooks: &[],
            took: Duration::ZERO,
        };
        self.end(&record)
    }

    /// Records a decision of the user, before it takes effect (RE-6).
    ///
    /// # Errors
    ///
    /// Fails if this could not be recorded. If a record is required, the caller must not carry out
    /// the decision.
    pub fn record_user_action(&self, action: &UserAction<'_>) -> Result<(), Unrecorded> {
        self.store_record(action.body_for_record(), true).map(drop)
    }

    #[cfg(test)]
    pub(super) fn with_clock(self, now: fn() -> Timestamp) -> Self {
        Self { now, ..self }
    }

    fn body_builder(&self) -> BodyBuilder<'_> {
        let most = usize::try_from(self.max_segment_bytes() / 4).unwrap_or(usize::MAX);
        let most = MOST_CONTENT.min(most);
        BodyBuilder { content: self.content, most, identities: &self.identities }
    }

    /// Returns the maximum length of one file.
    const fn max_segment_bytes(&self) -> u64 {
        self.max_bytes / PARTS
    }

    fn store_record(&self, body: Body, must_last: bool) -> Result<Number, Unrecorded> {
        match self.append_record(body, must_last && self.is_required) {
            Ok(number) => {
                self.is_reported.store(false, Ordering::Relaxed);
                Ok(number)
            }
            Err(error) => {
                let is_reported = self.is_reported.swap(true, Ordering::Relaxed);
                Err(Unrecorded {
                    why: error.to_string(),
                    is_required: self.is_required,
                    is_reported,
                })
            }
        }
    }

    /// Appends one record, preceded by a `recovered` record if the files are damaged.
    fn append_record(&self, body: Body, must_last: bool) -> Result<Number, FileError> {
        for directory in [&self.location.own, &self.location.records] {
            private::ensure_private_directory(directory)?;
        }
        let heads = self.location.head.parent().unwrap_or(&self.location.own);
        private::ensure_private_directory(heads)?;
        self.reach_test_point("made");
        let mut locked = Locked::open_and_lock(&self.location.head)?;
        self.reach_test_point("locked");
        let known = locked.head.take();
        let behind = known.as_ref().map(|head| head.link);
        let Found { mut head, recovered } = recover::recover_head(&self.location.records, known)?;
        self.reach_test_point("found");
        if behind.is_some_and(|link| link != head.link) {
            // If this process is killed too, the head is again one record behind, never two.
            locked.write_head(&head, &self.location.head)?;
            self.reach_test_point("caught up");
        }
        if let Some(json) = recovered {
            let mut body = Body::new();
            insert_field(&mut body, "kind", "recovered");
            insert_field(&mut body, "recovered", json);
            head = self.write_record(&mut locked, head, body, false)?;
        }
        let unsent = head.unsent;
        head = self.write_record(&mut locked, head, body, must_last)?;
        let number = Number(head.link.seq);
        if self.log.is_some() && unsent > 0 && head.unsent == unsent {
            self.record_number_of_unsent_records(&mut locked, head);
        }
        Ok(number)
    }

    /// Writes one record after `head`, and returns the new head.
    fn write_record(
        &self,
        locked: &mut Locked,
        head: Head,
        body: Body,
        must_last: bool,
    ) -> Result<Head, FileError> {
        let now = (self.now)();
        let today = now.to_zoned(TimeZone::UTC).date();
        let last = Segment::parse_file_name(&head.file);
        let first = Segment { day: today, part: 1 };
        let next = last.map_or(first, |segment| {
            segment.for_next_record(today, head.bytes, self.max_segment_bytes())
        });
        if last.is_some_and(|last| last != next) {
            let gone = self.expired_segments(next);
            if !gone.is_empty() {
                return self.prune_and_write(locked, head, next, &gone, body, must_last);
            }
        }
        self.write_line_and_head(
            locked,
            &head,
            next,
            self.body_with_origin_fields(body, now),
            must_last,
        )
    }

    fn expired_segments(&self, newest: Segment) -> Vec<Segment> {
        let most = self.max_bytes.saturating_sub(self.max_segment_bytes());
        segments::segments_to_remove(&self.location.records, newest, self.keep_days, most)
    }

    /// Records which files are removed and up to which record, removes them, then writes `body`.
    fn prune_and_write(
        &self,
        locked: &mut Locked,
        head: Head,
        next: Segment,
        gone: &[Segment],
        body: Body,
        must_last: bool,
    ) -> Result<Head, FileError> {
        let records = &self.location.records;
        let last = gone.last().map(|segment| records.join(segment.file_name()));
        // If the last line is not a record, the removal has no end, and `verify` reports that.
        let link = last.map(|path| recover::last_valid_link(&path)).transpose()?.flatten();
        let link = link.unwrap_or_default();
        let mut pruned = Body::new();
        insert_field(&mut pruned, "kind", "pruned");
        insert_field(
            &mut pruned,
            "through",
            json!({ "seq": link.seq, "hash": chain::digest_to_hex(&link.digest) }),
        );
        let names: Vec<String> = gone.iter().map(|segment| segment.file_name()).collect();
        insert_field(&mut pruned, "files", names.clone());
        let now = (self.now)();
        let head = self.write_line_and_head(
            locked,
            &head,
            next,
            self.body_with_origin_fields(pruned, now),
            false,
        )?;
        self.reach_test_point("pruned");
        for name in names {
            // A file that could not be removed is removed with the next ones.
            let _ = std::fs::remove_file(records.join(name));
            self.reach_test_point("removed");
        }
        self.write_line_and_head(
            locked,
            &head,
            next,
            self.body_with_origin_fields(body, now),
            must_last,
        )
    }

    /// Writes the line of a record, then the head.
    fn write_line_and_head(
        &self,
        locked: &mut Locked,
        head: &Head,
        segment: Segment,
        body: Body,
        must_last: bool,
    ) -> Result<Head, FileError> {
        let name = segment.file_name();
        let path = self.location.records.join(&name);
        let cannot = FileError::from_io_error(Attempt::Write, &path);
        let before = private::file_length_or_zero(&path)?;
        if head.file != name {
            // Name the file before creating it: a file that no head names means a lost head.
            let begun = Head { file: name.clone(), bytes: before, ..head.clone() };
            locked.write_head(&begun, &self.location.head)?;
            self.reach_test_point("named");
        }
        let mut file =
            private::open_private_file(&path, OpenOptions::new().append(true).create(true))?;
        let (line, link) = seal_record(&head.link, &body);
        self.reach_test_point("opened");
        if let Err(error) = file.write_all(line.as_bytes()) {
            // Remove half a record, or the next record would follow it on the same line.
            let _ = file.set_len(before);
            return Err(cannot(error));
        }
        self.reach_test_point("written");
        if must_last {
            // After a failed sync the data may be lost, and a second sync would not report it.
            file.sync_data().map_err(&cannot)?;
        }
        let is_lost = self.log.as_ref().is_some_and(|log| log.send(&body, &line).is_err());
        let unsent = head.unsent + u64::from(is_lost);
        let head = Head { link, file: name, bytes: before + line.len() as u64, unsent };
        locked.write_head(&head, &self.location.head)?;
        self.reach_test_point("headed");
        Ok(head)
    }

    /// Records how many records did not reach the log of the system, which takes them again. The
    /// records before are whole if this fails, and the next one tries again.
    fn record_number_of_unsent_records(&self, locked: &mut Locked, head: Head) {
        let mut body = Body::new();
        insert_field(&mut body, "kind", "unsent");
        insert_field(&mut body, "unsent", json!({ "records": head.unsent }));
        drop(self.write_record(locked, Head { unsent: 0, ..head }, body, false));
    }

    /// Returns the body with the fields that precede it in every record: the time, the process and
    /// the caller.
    fn body_with_origin_fields(&self, body: Body, now: Timestamp) -> Body {
        let mut all = Body::new();
        insert_field(&mut all, "time", format!("{now:.6}"));
        insert_field(&mut all, "pid", std::process::id());
        insert_field(&mut all, "caller", self.caller.to_json());
        all.extend(body);
        all
    }

    #[cfg(test)]
    fn reach_test_point(&self, point: &str) {
        (self.at)(point);
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "names the places at which tests stop the process")]
    const fn reach_test_point(&self, _point: &str) {}
}

/// The file of the head, locked against all other writers.
struct Locked {
    file: File,
    /// The head at the time of locking; `None` if it is missing or invalid.
    head: Option<Head>,
}

impl Locked {
    fn open_and_lock(path: &Path) -> Result<Self, FileError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true);
        let mut file = private::open_private_file(path, options)?;
        lock_exclusive(&file, path)?;
        let mut text = Vec::with_capacity(head::BYTES);
        let mut bytes = (&mut file).take(head::BYTES as u64 + 1);
        bytes.read_to_end(&mut text).map_err(FileError::from_io_error(Attempt::Read, path))?;
        Ok(Self { file, head: Head::parse(&text) })
    }

    fn write_head(&mut self, head: &Head, path: &Path) -> Result<(), FileError> {
        let cannot = FileError::from_io_error(Attempt::Write, path);
        self.file.seek(SeekFrom::Start(0)).map_err(&cannot)?;
        self.file.write_all(head.to_line().as_bytes()).map_err(cannot)
    }
}

/// Waits for a lock, up to `PATIENCE`.
fn lock_exclusive(file: &File, path: &Path) -> Result<(), FileError> {
    let until = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(20);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(2));
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

impl Sink for Journal {
    fn begin(&self, event: &Event) -> Result<Number, Unrecorded> {
        self.store_record(self.body_builder().body_of_event_start(event), false)
    }

    fn end(&self, record: &Record<'_>) -> Result<(), Unrecorded> {
        let must_last = record.outcome.is_some_and(needs_durable_write);
        self.store_record(self.body_builder().body_of_event_outcome(record), must_last).map(|_| ())
    }

    fn late(&self, late: &Late<'_>) -> Result<(), Unrecorded> {
        let must_last = needs_durable_write(late.outcome);
        self.store_record(self.body_builder().body_of_late_step(late), must_last).map(|_| ())
    }
}

/// Returns whether an outcome must survive a power failure, if records are required.
fn needs_durable_write(outcome: &Outcome) -> bool {
    let effects = &outcome.effects;
    outcome.restraint == Restraint::Deny
        || effects.stop.is_some()
        || effects.rewrite()
        || effects.updated_output.is_some()
}
