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
fn file(path: &Path) -> io::Result<File> {
    Ok(discover::open(path)?.0)
}

pub(super) fn open(path: &Path, form: Form) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::with_capacity(1 << 16, file(path)?);
    if form != Form::Compressed {
        return Ok(Box::new(file));
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).map_err(io::Error::other)?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, decoder)))
}

/// The bytes of a file that is one object; `None` where it is too long.
pub(super) fn whole(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file(path)?.take(WHOLE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= WHOLE).then_some(bytes))
}

/// Whose a file is, and how it holds its records, as its beginning tells.
pub(super) fn recognize(path: &Path, form: Form) -> io::Result<Option<TranscriptAgent>> {
    if form == Form::Whole {
        return Ok(whole(path)?.and_then(|bytes| TranscriptAgent::recognize(&bytes)));
    }
    let mut lines = Lines::new(open(path, form)?);
    for _ in 0..FIRST {
        let Some(line) = lines.read()? else { break };
        if let Some(agent) = line.bytes.and_then(TranscriptAgent::recognize) {
            return Ok(Some(agent));
        }
    }
    Ok(None)
}

/// The start of a small text beside a file.
pub(super) fn note(path: &Path) -> Option<String> {
    let mut text = String::new();
    file(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
