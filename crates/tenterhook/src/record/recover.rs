//! Finds the end of the chain after a crash, a full disk or tampering (RE-16). Cuts off an
//! incomplete last line; never removes a complete one.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::chain::{self, Link, digest_of};
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
    const fn in_order(head: Head) -> Self {
        Self { head, recovered: None }
    }
}

/// Compares the head with the files in `records`.
pub(super) fn find(records: &Path, head: Option<Head>) -> Result<Found, FileError> {
    let Some(head) = head else { return without_head(records) };
    if head.file.is_empty() {
        return Ok(Found::in_order(head));
    }
    let path = records.join(&head.file);
    let bytes = private::length(&path)?;
    match bytes.cmp(&head.bytes) {
        std::cmp::Ordering::Equal => Ok(Found::in_order(head)),
        std::cmp::Ordering::Greater => ahead(&path, head),
        std::cmp::Ordering::Less => missing(&path, head),
    }
}

/// The last writer was killed before it updated the head: accepts complete lines and cuts off an
/// incomplete one.
fn ahead(path: &Path, mut head: Head) -> Result<Found, FileError> {
    let mut file = open(path)?;
    let cannot = FileError::failed(Attempt::Read, path);
    let mut rest = Vec::new();
    file.seek(SeekFrom::Start(head.bytes)).map_err(&cannot)?;
    file.read_to_end(&mut rest).map_err(&cannot)?;
    let mut lines = rest.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next_if(|line| line.ends_with(b"\n")) {
        let sealed = chain::check(line.strip_suffix(b"\n").unwrap_or(line));
        if let Some(sealed) = sealed.filter(|s| s.follows(&head.link)) {
            head.link = sealed.link;
        }
        // A complete line that is not a record of this chain stays, and `verify` reports it.
        head.bytes += line.len() as u64;
    }
    let recovered = match lines.next() {
        None => None,
        Some(torn) => {
            file.set_len(head.bytes).map_err(FileError::failed(Attempt::Mend, path))?;
            Some(json!({ "torn": { "bytes": torn.len(), "digest": digest_of(torn) } }))
        }
    };
    Ok(Found { head, recovered })
}

/// Records that the head names are missing. The next record keeps its number, so that `verify`
/// reports the gap.
fn missing(path: &Path, mut head: Head) -> Result<Found, FileError> {
    let last = last_link(path)?.unwrap_or_default();
    head.bytes = match private::length(path)? {
        0 => 0,
        _ => end_line(path)?,
    };
    let lost = json!({ "missing": { "after": last.seq, "through": head.link.seq } });
    Ok(Found { head, recovered: Some(lost) })
}

/// Continues the chain if the head was removed or cannot be read.
fn without_head(records: &Path) -> Result<Found, FileError> {
    let all = segments::list(records).map_err(FileError::failed(Attempt::Read, records))?;
    let Some(newest) = all.last() else { return Ok(Found::in_order(Head::default())) };
    let mut link = None;
    for segment in all.iter().rev() {
        link = last_link(&records.join(segment.name()))?;
        if link.is_some() {
            break;
        }
    }
    let file = newest.name();
    let bytes = end_line(&records.join(&file))?;
    let head = Head { link: link.unwrap_or_default(), file, bytes };
    let recovered = json!({ "head": "was not there, or could not be read" });
    Ok(Found { head, recovered: Some(recovered) })
}

/// Ends an incomplete last line, so that the next record starts a new line. Returns the new length.
fn end_line(path: &Path) -> Result<u64, FileError> {
    let mut file = open(path)?;
    let cannot = FileError::failed(Attempt::Mend, path);
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

/// The last valid line of a file; `None` if there is no such line or no such file.
pub(super) fn last_link(path: &Path) -> Result<Option<Link>, FileError> {
    let text = match discover::bytes(path, LARGEST) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(FileError::failed(Attempt::Read, path))?,
    };
    let mut lines = text.split(|byte| *byte == b'\n').rev();
    Ok(lines.find_map(|line| chain::check(line).map(|sealed| sealed.link)))
}

fn open(path: &Path) -> Result<File, FileError> {
    private::file(path, OpenOptions::new().read(true).write(true))
}
