//! The file that keeps a conversation, one JSON object a line. Knows no hook and no model.
//!
//! A line that was cut off by a crash costs that line alone: reading skips it and says so.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::conversation::Message;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line {
    /// Where the session began.
    Session { id: String, model: String, cwd: PathBuf },
    /// A message.
    Message(Message),
    /// Everything before was cleared, or compacted into what follows.
    Cut,
}

/// The transcript of one session.
#[derive(Clone, Debug)]
pub(crate) struct Transcript {
    path: PathBuf,
    file: Arc<Mutex<File>>,
}

/// What a transcript holds.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// What the session is called.
    id: Option<String>,
    /// The messages since the last cut.
    pub(crate) messages: Vec<Message>,
    /// How many lines could not be read.
    pub(crate) torn: usize,
}

impl Kept {
    /// The same messages for a session of another name.
    pub(crate) fn forked(messages: Vec<Message>) -> Self {
        Self { id: None, messages, torn: 0 }
    }

    /// What the session is called; where its first line is lost, by its file.
    pub(crate) fn session(&self, path: &Path) -> String {
        let file = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.id.clone().unwrap_or_else(file)
    }
}

impl Transcript {
    /// Opens the file at `path` to add to it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        // What is added begins a line of its own, whatever a crash left at the end.
        if !ends_with_newline(path)? {
            file.write_all(b"\n")?;
        }
        Ok(Self { path: path.to_owned(), file: Arc::new(Mutex::new(file)) })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line, whole or not at all.
    pub(crate) fn add(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes())
    }

    /// Adds what another session has kept.
    pub(crate) fn take_over(&self, kept: &Kept) -> io::Result<()> {
        kept.messages.iter().try_for_each(|it| self.add(&Line::Message(it.clone())))
    }

    /// Reads the file at `path`.
    pub(crate) fn read(path: &Path) -> io::Result<Kept> {
        let mut kept = Kept::default();
        for line in BufReader::new(File::open(path)?).split(b'\n') {
            let line = line?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(Line::Session { id, .. }) => kept.id = kept.id.or(Some(id)),
                Ok(Line::Message(message)) => kept.messages.push(message),
                Ok(Line::Cut) => kept.messages.clear(),
                Err(_) => kept.torn += 1,
            }
        }
        Ok(kept)
    }
}

/// Tells sessions apart: the moment and the process.
pub(crate) fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_millis(), std::process::id())
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    let bytes = std::fs::read(path)?;
    Ok(bytes.last().is_none_or(|last| *last == b'\n'))
}

/// The transcripts beside this one, newest first, one a line.
pub(crate) fn list(beside: &Path) -> String {
    let entries = beside.parent().and_then(|it| std::fs::read_dir(it).ok()).into_iter().flatten();
    let mut found: Vec<_> = entries
        .flatten()
        .filter(|it| it.path().extension().is_some_and(|it| it == "jsonl"))
        .filter_map(|it| Some((it.metadata().ok()?.modified().ok()?, it.path())))
        .collect();
    found.sort();
    let lines = found.iter().rev().map(|(_, path)| path.display().to_string());
    lines.collect::<Vec<_>>().join("\n")
}
