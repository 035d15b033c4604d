//! Reads records for programs that show them. Does not verify them; `verify` does.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::head::Head;
use super::journal::Location;
use super::segments;
use crate::discover;

/// The fields of one record.
pub type Entry = Map<String, Value>;

/// The files with records, oldest first; empty if their directory does not exist.
///
/// # Errors
///
/// Fails if their directory cannot be read.
pub fn list_record_files(location: &Location) -> io::Result<Vec<PathBuf>> {
    match segments::list_segments(&location.records) {
        Ok(all) => {
            Ok(all.into_iter().map(|segment| location.records.join(segment.file_name())).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The records of a file from this byte on, and the offset of the next one. Skips lines that are
/// not JSON objects.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn read_entries(path: &Path, from: u64) -> io::Result<(Vec<Entry>, u64)> {
    let (mut file, _) = discover::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
    let entries = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    Ok((entries, from + whole as u64))
}

/// Returns how many of the last records did not reach the log of the system (RE-51). A head that
/// cannot be read counts none; `verify` reports it.
#[must_use]
pub fn count_unsent_records(location: &Location) -> u64 {
    let mut text = Vec::new();
    let read = discover::open(&location.head).and_then(|(mut file, _)| file.read_to_end(&mut text));
    read.ok().and_then(|_| Head::parse(&text)).map_or(0, |head| head.unsent)
}
