//! Records as they were written, for whoever shows them. Tells nothing of whether they are whole: that is `verify`'s.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::journal::Location;
use super::segments;
use crate::discover;

/// The fields of one record.
pub type Entry = Map<String, Value>;

/// The files with records, the oldest first; none where there are no records.
///
/// # Errors
///
/// When their directory cannot be read.
pub fn files(place: &Location) -> io::Result<Vec<PathBuf>> {
    match segments::list(&place.records) {
        Ok(all) => Ok(all.into_iter().map(|segment| place.records.join(segment.name())).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The records of a file from this byte on, and where the next one will begin. A line that is no object is left out.
///
/// # Errors
///
/// When the file cannot be read.
pub fn entries(path: &Path, from: u64) -> io::Result<(Vec<Entry>, u64)> {
    let (mut file, _) = discover::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
    let entries = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    Ok((entries, from + whole as u64))
}
