//! Finds the end of the chain after a crash, a full disk or tampering (RE-16). Cuts off an
//! incomplete last line; never removes a complete one.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::chain::{self, Link, sha256_text};
use super::error::{Attempt, FileError};
use super::head::Head;
use super::private;
use super::segments;
use crate::discover;

/// Where the next record goes, and what a `recovered` record before it must report.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) head: Head,
    pub(super) recovered: Option<Value>,
}

impl Found {
    const fn intact(head: Head) -> Self {
        Self { head, recovered: None }
    }
}

/// Compares the head with the files in `records`.
pub(super) fn recover_head(records: &Path, head: Option<Head>) -> Result<Found, FileError> {
    let Some(head) = head else { return recover_without_head(records) };
    if head.file.is_empty() {
        return Ok(Found::intact(head));
    }
    let path = records.join(&head.file);
    let bytes = private::file_length_or_zero(&path)?;
    match bytes.cmp(&head.bytes) {
        std::cmp::Ordering::Equal => Ok(Found::intact(head)),
        std::cmp::Ordering::Greater => advance_head_to_last_line(&path, head),
        std::cmp::Ordering::Less => found_with_missing_records(&path, head),
    }
}

/// Advances a head that the last writer was killed before updating: accepts complete lines and cuts
/// off an incomplete one.
fn advance_head_to_last_line(path: &Path, mut head: Head) -> Result<Found, FileError> {
    let mut file = open_for_repair(path)?;
    let cannot = FileError::from_io_error(Attempt::Read, path);
    let mut rest = Vec::new();
    file.seek(SeekFrom::Start(head.bytes)).map_err(&cannot)?;
    file.read_to_end(&mut rest).map_err(&cannot)?;
    let mut lines = rest.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next_if(|line| line.ends_with(b"\n")) {
        let sealed = chain::parse_sealed_line(line.strip_suffix(b"\n").unwrap_or(line));
        if let Some(sealed) = sealed.filter(|s| s.directly_follows(&head.link)) {
            head.link = sealed.link;
        }
        // A complete line that is not a record of this chain stays, and `verify` reports it.
        head.bytes += line.len() as u64;
    }
    let recovered = match lines.next() {
        None => None,
        Some(torn) => {
            file.set_len(head.bytes).map_err(FileError::from_io_error(Attempt::Mend, path))?;
            Some(json!({ "torn": { "bytes": torn.len(), "digest": sha256_text(torn) } }))
        }
    };
    Ok(Found { head, recovered })
}

/// Handles a head that names records which are missing. The next record keeps its number, so that
/// `verify` reports the gap.
fn found_with_missing_records(path: &Path, mut head: Head) -> Result<Found, FileError> {
    let last = last_valid_link(path)?.unwrap_or_default();
    head.bytes = match private::file_length_or_zero(path)? {
        0 => 0,
        _ => terminate_last_line(path)?,
    };
    let lost = json!({ "missing": { "after": last.seq, "through": head.link.seq } });
    Ok(Found { head, recovered: Some(lost) })
}

/// Continues the chain if the head was removed or cannot be read.
fn recover_without_head(records: &Path) -> Result<Found, FileError> {
    let all = segments::list_segments(records)
        .map_err(FileError::from_io_error(Attempt::Read, records))?;
    let Some(newest) = all.last() else { return Ok(Found::intact(Head::default())) };
    let mut link = None;
    for segment in all.iter().rev() {
        link = last_valid_link(&records.join(segment.file_name()))?;
        if link.is_some() {
            break;
        }
    }
    let file = newest.file_name();
    let bytes = terminate_last_line(&records.join(&file))?;
    let head = Head { link: link.unwrap_or_default(), file, bytes, unsent: 0 };
    let recovered = json!({ "head": "was not there, or could not be read" });
    Ok(Found { head, recovered: Some(recovered) })
}

/// Ends an incomplete last line, so that the next record starts a new line. Returns the new length.
fn terminate_last_line(path: &Path) -> Result<u64, FileError> {
    let mut file = open_for_repair(path)?;
    let cannot = FileError::from_io_error(Attempt::Mend, path);
    let bytes = file.seek(SeekFrom::End(0)).map_err(&cannot)?;
    let mut last = [b'\n'];
    if bytes > 0 {
        file.seek(SeekFrom::End(-1)).map_err(&cannot)?;
        file.read_exact(&mut last).map_err(&cannot)?;
    }
    if last == *b"\n" {
        return Ok(bytes);
    }
    file.seek(SeekFrom::End(0)).map_err(&cannot)?;
    file.write_all(b"\n").map_err(&cannot)?;
    Ok(bytes + 1)
}

/// Maximum size of a file that is read, many times the size that a file grows to.
const LARGEST: u64 = 1 << 30;

/// Returns the last valid line of a file; `None` if there is no such line or no such file.
pub(super) fn last_valid_link(path: &Path) -> Result<Option<Link>, FileError> {
    let text = match discover::read_regular_file(path, LARGEST) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(FileError::from_io_error(Attempt::Read, path))?,
    };
    let mut lines = text.split(|byte| *byte == b'\n').rev();
    Ok(lines.find_map(|line| chain::parse_sealed_line(line).map(|sealed| sealed.link)))
}

fn open_for_repair(path: &Path) -> Result<File, FileError> {
    private::open_private_file(path, OpenOptions::new().read(true).write(true))
}
