//! Opens one file of records to read alone, and looks at its beginning. Knows no agent's form.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use tenterhook::internal::discover;
use tenterhook_core::transcript::{Lines, TranscriptAgent};

use super::Form;

/// The longest file that is one JSON object.
const WHOLE: u64 = 256 << 20;
/// How many lines are looked at to tell whose a file is.
const FIRST: usize = 20;

/// Opens a regular file. A FIFO is refused without waiting for its writer.
fn open_regular_file(path: &Path) -> io::Result<File> {
    Ok(discover::open(path)?.0)
}

pub(super) fn open_records(path: &Path, form: Form) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::with_capacity(1 << 16, open_regular_file(path)?);
    if form != Form::Compressed {
        return Ok(Box::new(file));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).map_err(io::Error::other)?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, decoder)))
}

/// Reads a file that is one object; `None` if it is too long.
pub(super) fn read_whole_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    open_regular_file(path)?.take(WHOLE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= WHOLE).then_some(bytes))
}

/// Recognizes the agent of a file, and the form of its records, by the beginning of the file.
pub(super) fn recognize_agent(path: &Path, form: Form) -> io::Result<Option<TranscriptAgent>> {
    if matches!(form, Form::Whole | Form::Store) {
        return Ok(
            read_whole_file(path)?.and_then(|bytes| TranscriptAgent::recognize_by_line(&bytes))
        );
    }
    let mut lines = Lines::new(open_records(path, form)?);
    for _ in 0..FIRST {
        let Some(line) = lines.read_line()? else { break };
        if let Some(agent) = line.bytes.and_then(TranscriptAgent::recognize_by_line) {
            return Ok(Some(agent));
        }
    }
    Ok(None)
}

/// Reads the start of a small text file.
pub(super) fn read_small_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_regular_file(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
