//! The file that keeps a conversation, one JSON object a line. Knows no hook and no model.
//!
//! A line that was cut off by a crash costs that line alone: reading skips it and says so. One session at a time writes a file.

pub(crate) mod list;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tenterhook::internal::discover;

use crate::conversation::{self, Message};
use crate::file;
use crate::update::Rewritten;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line {
    /// Where the session began.
    Session {
        id: String,
        model: String,
        cwd: String,
        /// The version of the agent that writes it; unknown in older files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// A message.
    Message(Message),
    /// What hooks put in the place of what, before the message that it is in: for people, and never sent to a model.
    Rewritten(Rewritten),
    /// Everything before was cleared, or compacted into what follows.
    Cut,
    /// So many of the messages before it left the conversation: hooks kept them from the model.
    TakenBack { last: usize },
}

/// A line with its circumstances: for later readers of the file, never for a model (TR-1).
#[derive(Serialize)]
struct Stamped<'a> {
    #[serde(flatten)]
    line: &'a Line,
    /// Milliseconds since 1970.
    at: u64,
    /// The permission mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
    /// Whether it is a copy of a line in a different session's file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    copied: bool,
}

/// The transcript of one session.
#[derive(Clone, Debug)]
pub(crate) struct Transcript {
    path: PathBuf,
    file: Arc<Mutex<Lines>>,
    /// The directory that goes with the session, where there is no home to keep it in.
    #[expect(dead_code, reason = "it is dropped with the session, and the directory with it")]
    temporary: Option<Arc<TempDir>>,
}

/// The file, and the lines that it has no room for yet.
#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether it ends with half a line.
    torn: bool,
    waiting: VecDeque<String>,
}

impl Lines {
    /// Writes every waiting line in order, each whole or not at all (AG-31).
    fn write_waiting_lines(&mut self) -> io::Result<()> {
        while let Some(line) = self.waiting.front() {
            let end = self.file.seek(SeekFrom::End(0))?;
            let text = if self.torn { format!("\n{line}") } else { line.clone() };
            if let Err(error) = self.file.write_all(text.as_bytes()) {
                // What was begun is taken back; where even that fails, the next line begins on a new one.
                self.torn |= self.file.set_len(end).is_err();
                return Err(error);
            }
            self.torn = false;
            self.waiting.pop_front();
        }
        Ok(())
    }
}

/// What a transcript holds.
#[derive(Debug, Default)]
pub(crate) struct StoredSession {
    /// What the session is called.
    id: Option<String>,
    /// The messages since the last cut.
    pub(crate) messages: Vec<Message>,
    /// How many lines could be read.
    read: usize,
    /// How many could not.
    pub(crate) torn: usize,
}

impl StoredSession {
    fn read_from_file(file: &mut File) -> io::Result<Self> {
        let mut stored = Self::default();
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            stored.read += 1;
            match serde_json::from_slice(&line) {
                Ok(Line::Session { id, .. }) => stored.id = stored.id.or(Some(id)),
                Ok(Line::Message(message)) => stored.messages.push(message),
                Ok(Line::Cut) => stored.messages.clear(),
                Ok(Line::Rewritten(_)) => {}
                // Where one of them was torn, one more goes: what hooks kept back is not sent for that.
                Ok(Line::TakenBack { last }) => {
                    stored.messages.truncate(stored.messages.len().saturating_sub(last));
                }
                Err(_) => (stored.read, stored.torn) = (stored.read - 1, stored.torn + 1),
            }
        }
        if stored.read == 0 && stored.torn > 0 {
            return Err(io::Error::other("it is not a transcript"));
        }
        stored.messages = conversation::repair_messages(stored.messages);
        Ok(stored)
    }

    /// Creates a session with another id and the same messages.
    pub(crate) fn forked_from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Returns the id of the session, or the name of its file if the first line is lost.
    pub(crate) fn session_id(&self, path: &Path) -> String {
        let file = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.id.clone().unwrap_or_else(file)
    }
}

impl Transcript {
    /// Opens the transcript at `path`, or creates it. An existing file is continued.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            discover::create_private_dir(parent)?;
        }
        let file = open_locked(path, OpenOptions::new().create(true))?;
        Self::from_file(path, file)
    }

    /// Creates a transcript that is removed with the session: without a home nothing is stored
    /// (BR-43).
    pub(crate) fn open_temporary(path: &Path) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("tenterhook-agent-").tempdir()?;
        let begun = Self::open(&directory.path().join(path.file_name().unwrap_or_default()))?;
        Ok(Self { temporary: Some(Arc::new(directory)), ..begun })
    }

    /// Opens the transcript at `path` and reads its session.
    pub(crate) fn resume(path: &Path) -> io::Result<(StoredSession, Self)> {
        file::ensure_regular(&std::fs::metadata(path)?)?;
        let mut file = open_locked(path, &mut OpenOptions::new())?;
        let stored = StoredSession::read_from_file(&mut file)?;
        Ok((stored, Self::from_file(path, file)?))
    }

    fn from_file(path: &Path, mut file: File) -> io::Result<Self> {
        let torn = has_torn_last_line(&mut file)?;
        let lines = Lines { file, torn, waiting: VecDeque::new() };
        let file = Arc::new(Mutex::new(lines));
        Ok(Self { path: path.to_owned(), file, temporary: None })
    }

    /// Opens the transcript at `path`, which may be this one, and reads its session.
    pub(crate) fn resume_other_transcript(&self, path: &Path) -> io::Result<(StoredSession, Self)> {
        let real = |path: &Path| path.canonicalize().ok();
        if real(path).is_some_and(|path| real(&self.path) == Some(path)) {
            return Ok((Self::read_session(path)?, self.clone()));
        }
        Self::resume(path)
    }

    /// Returns the path of the transcript.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line, whole or not at all. If it cannot be written, it waits and is written with
    /// the next one.
    pub(crate) fn add_line(&self, line: &Line) -> io::Result<()> {
        self.add_stamped_line(line, None, false)
    }

    /// Writes a line with this permission mode.
    pub(crate) fn add_line_with_mode(&self, line: &Line, mode: &str) -> io::Result<()> {
        self.add_stamped_line(line, Some(mode), false)
    }

    fn add_stamped_line(&self, line: &Line, mode: Option<&str>, copied: bool) -> io::Result<()> {
        let at = u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX);
        let mut text = serde_json::to_string(&Stamped { line, at, mode, copied })?;
        text.push('\n');
        let mut lines = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        lines.waiting.push_back(text);
        lines.write_waiting_lines()
    }

    /// Tries again to write the waiting lines. Returns how many still wait.
    pub(crate) fn write_pending_lines(&self) -> usize {
        let mut lines = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Failures were reported when they happened.
        let _ = lines.write_waiting_lines();
        lines.waiting.len()
    }

    /// Returns how many lines wait to be written.
    pub(crate) fn waiting_line_count(&self) -> usize {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }

    /// Writes the first line of a session that continues `stored`. Returns that session's id, and
    /// whether the line was written.
    pub(crate) fn write_session_start(
        &self,
        stored: &StoredSession,
        model: &str,
        cwd: &Path,
    ) -> (String, io::Result<()>) {
        let id = stored.session_id(&self.path);
        let (model, cwd) = (model.to_owned(), cwd.display().to_string());
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let added = self.add_line(&Line::Session { id: id.clone(), model, cwd, version });
        (id, added)
    }

    /// Writes all messages of another session. Returns the first error.
    pub(crate) fn copy_messages(&self, stored: &StoredSession) -> io::Result<()> {
        let copy =
            |message: &Message| self.add_stamped_line(&Line::Message(message.clone()), None, true);
        let added = stored.messages.iter().map(copy);
        added.fold(Ok(()), io::Result::and)
    }

    /// Reads what a session has stored so far, also while it runs.
    pub(crate) fn read_session(path: &Path) -> io::Result<StoredSession> {
        StoredSession::read_from_file(&mut file::open(path)?)
    }
}

/// Returns a new session id, made of the time and the process id.
pub(crate) fn new_session_id() -> String {
    format!("{:x}-{:x}", unix_time().as_millis(), std::process::id())
}

fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Opens a file and locks it, so that only this process writes it.
fn open_locked(path: &Path, how: &mut OpenOptions) -> io::Result<File> {
    let file = how.append(true).read(true).open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("it is in use: a session is writing it"))
        }
        // Some file systems know no locks: there it is as it always was.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Returns whether a crash left an incomplete line at the end.
fn has_torn_last_line(file: &mut File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != *b"\n")
}
