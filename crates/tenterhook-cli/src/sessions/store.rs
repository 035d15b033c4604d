//! Reads the store in which Mistral Vibe keeps a session, as lines: the name of its last snapshot, the description of the session,
//! the entries of the snapshot, and the journal after it.

use std::io;
use std::path::Path;

use serde_json::Value;
use tenterhook_core::transcript::{Line, Lines};

use super::{Form, open};

/// Passes the lines of the session whose snapshot the file `current` names to `take`, until that returns false.
pub(super) fn read_store(current: &Path, take: &mut dyn FnMut(Line<'_>) -> bool) -> io::Result<()> {
    let store = current.parent().unwrap_or(current);
    let mut out = Out { number: 0, take, more: true };
    let text = read(current)?;
    out.push(Some(&text));
    // The session of a subagent has no description.
    if let Ok(about) = read(&store.join("meta.json")) {
        out.push(Some(&about));
    }
    let current: Value = serde_json::from_slice(&text)?;
    let generation = text_at(&current, "/generation")?;
    let generation = store.join("generations").join(plain_name(generation)?);
    let manifest: Value = serde_json::from_slice(&read(&generation.join("manifest.json"))?)?;
    for list in ["/projection_state/chunks", "/checkpoint/chunks"] {
        for chunk in list_at(&manifest, list) {
            let name = plain_name(chunk.as_str().unwrap_or_default())?;
            let path = store.join("chunks").join(format!("{name}.json"));
            match open::read_whole_file(&path)? {
                Some(bytes) => {
                    for entry in serde_json::from_slice::<Vec<Value>>(&bytes)? {
                        out.push(Some(entry.to_string().as_bytes()));
                    }
                }
                None => out.push(None),
            }
        }
    }
    let segment = Path::new(text_at(&manifest, "/recovery_journal_segment/path")?);
    let Some(segment) = segment.file_name() else { return Ok(()) };
    let journal = open::open_records(&store.join("journal").join(segment), Form::Lines)?;
    let mut lines = Lines::new(journal);
    while out.more
        && let Some(line) = lines.read_line()?
    {
        out.push(line.bytes);
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    open::read_whole_file(path)?
        .ok_or_else(|| io::Error::other(format!("`{}` is too long", path.display())))
}

fn text_at<'a>(value: &'a Value, pointer: &str) -> io::Result<&'a str> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.ok_or_else(|| io::Error::other(format!("`{pointer}` is missing")))
}

fn list_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Refuses a name of the store that could be a path.
fn plain_name(name: &str) -> io::Result<&str> {
    let is_plain = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric());
    is_plain.then_some(name).ok_or_else(|| io::Error::other(format!("`{name}` is no name")))
}

struct Out<'a> {
    number: u64,
    take: &'a mut dyn FnMut(Line<'_>) -> bool,
    more: bool,
}

impl Out<'_> {
    fn push(&mut self, bytes: Option<&[u8]>) {
        if self.more {
            self.number += 1;
            self.more = (self.take)(Line { number: self.number, bytes, is_whole: true });
        }
    }
}
