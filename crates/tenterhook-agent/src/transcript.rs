//! The file that keeps a conversation, one JSON object a line. Knows no hook and no model.
//!
//! A line that was cut off by a crash costs that line alone: reading skips it and says so. One session at a time writes a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::conversation::{self, Message};
use crate::file;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line {
    /// Where the session began.
    Session { id: String, model: String, cwd: String },
    /// A message.
    Message(Message),
    /// Everything before was cleared, or compacted into what follows.
    Cut,
    /// So many of the messages before it left the conversation: hooks kept them from the model.
    TakenBack { last: usize },
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
    /// How many lines could be read.
    read: usize,
    /// How many could not.
    pub(crate) torn: usize,
}

impl Kept {
    fn read(file: &mut File) -> io::Result<Self> {
        let mut kept = Self::default();
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            kept.read += 1;
            match serde_json::from_slice(&line) {
                Ok(Line::Session { id, .. }) => kept.id = kept.id.or(Some(id)),
                Ok(Line::Message(message)) => kept.messages.push(message),
                Ok(Line::Cut) => kept.messages.clear(),
                // Where one of them was torn, one more goes: what hooks kept back is not sent for that.
                Ok(Line::TakenBack { last }) => {
                    kept.messages.truncate(kept.messages.len().saturating_sub(last));
                }
                Err(_) => (kept.read, kept.torn) = (kept.read - 1, kept.torn + 1),
            }
        }
        if kept.read == 0 && kept.torn > 0 {
            return Err(io::Error::other("it is no transcript"));
        }
        kept.messages = conversation::whole(kept.messages);
        Ok(kept)
    }

    /// The same messages for a session of another name.
    pub(crate) fn forked(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// What the session is called; where its first line is lost, by its file.
    pub(crate) fn session(&self, path: &Path) -> String {
        let file = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.id.clone().unwrap_or_else(file)
    }
}

impl Transcript {
    /// Begins the file at `path`, or goes on with it, whatever it holds.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = open(path, OpenOptions::new().create(true))?;
        end_the_line(&mut file)?;
        Ok(Self { path: path.to_owned(), file: Arc::new(Mutex::new(file)) })
    }

    /// Goes on with the session whose transcript is the file at `path`.
    pub(crate) fn resume(path: &Path) -> io::Result<(Kept, Self)> {
        file::regular(&std::fs::metadata(path)?)?;
        let mut file = open(path, &mut OpenOptions::new())?;
        let kept = Kept::read(&mut file)?;
        end_the_line(&mut file)?;
        Ok((kept, Self { path: path.to_owned(), file: Arc::new(Mutex::new(file)) }))
    }

    /// Goes on with the session of the file at `path`, which may be the one that this is.
    pub(crate) fn resume_from(&self, path: &Path) -> io::Result<(Kept, Self)> {
        let real = |path: &Path| path.canonicalize().ok();
        if real(path).is_some_and(|it| real(&self.path) == Some(it)) {
            return Ok((Self::read(path)?, self.clone()));
        }
        Self::resume(path)
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

    /// Adds the line that a session begins with which goes on from `kept`; what that session is called.
    pub(crate) fn begin(&self, kept: &Kept, model: &str, cwd: &Path) -> io::Result<String> {
        let id = kept.session(&self.path);
        let (model, cwd) = (model.to_owned(), cwd.display().to_string());
        self.add(&Line::Session { id: id.clone(), model, cwd })?;
        Ok(id)
    }

    /// Adds what another session has kept.
    pub(crate) fn take_over(&self, kept: &Kept) -> io::Result<()> {
        kept.messages.iter().try_for_each(|it| self.add(&Line::Message(it.clone())))
    }

    /// Reads what a session has kept so far, also while it goes on.
    pub(crate) fn read(path: &Path) -> io::Result<Kept> {
        Kept::read(&mut file::open(path)?)
    }
}

/// Tells sessions apart: the moment and the process.
pub(crate) fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_millis(), std::process::id())
}

/// Opens a file that nobody else writes.
fn open(path: &Path, how: &mut OpenOptions) -> io::Result<File> {
    let file = how.append(true).read(true).open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("it is in use: a session is writing it"))
        }
        // Some file systems know no locks: there it is as it always was.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// What is added begins a line of its own, whatever a crash left at the end.
fn end_the_line(file: &mut File) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
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
