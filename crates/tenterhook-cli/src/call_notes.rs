//! What a session's gates were asked about each call, kept until the event after the call: a file a session that grows by a line a
//! note, and is bounded. Compares nothing and judges nothing.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tenterhook::internal::discover::{self, LockPatience};
use tenterhook::trust::Digest;

use crate::session_store::open_private_file;

/// How large the file grows before it becomes the older one. A note takes some 50 bytes.
const LARGEST: u64 = 256 << 10;

/// The notes of one session.
#[derive(Debug)]
pub(crate) struct CallNotes {
    file: PathBuf,
    patience: LockPatience,
}

/// One note.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note<'a> {
    /// The session began, and its hooks were registered then.
    Began,
    /// A prompt was submitted, by its id.
    Prompt(&'a str),
    /// Gates are asked about a call, by its id: what it does.
    Asked(&'a str, Option<Effect>),
    /// A gate denied the call.
    Denied(&'a str),
    /// A hook changed the call.
    Changed(&'a str),
    /// A hook changed a call that does this, and has no id.
    ChangedEffect(u64),
}

/// What a call does, as hashes: with whole paths, and with the last parts of paths.
pub(crate) type Effect = (u64, u64);

/// What the notes say of one call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Noted {
    /// When the first note was written, in milliseconds since 1970.
    pub(crate) since: Option<u64>,
    /// Whether hooks were registered when the session began.
    pub(crate) from_the_start: bool,
    /// Whether hooks were registered when the call's prompt was submitted.
    pub(crate) knows_prompt: bool,
    /// Whether gates were asked about any call.
    pub(crate) any_asked: bool,
    /// What gates were asked about this call, once for each time.
    pub(crate) asked: Vec<Option<Effect>>,
    pub(crate) denied: bool,
    pub(crate) changed: bool,
}

impl CallNotes {
    pub(crate) fn at_path(file: PathBuf, patience: LockPatience) -> Self {
        Self { file, patience }
    }

    /// Adds a note. A note that cannot be written is lost; the event continues.
    pub(crate) fn add_note(&self, note: Note<'_>) {
        let _ = self.write_note(note);
    }

    fn write_note(&self, note: Note<'_>) -> io::Result<()> {
        let directory = self.file.parent().ok_or(io::ErrorKind::NotFound)?;
        if !directory.is_dir() {
            discover::create_private_dir(directory)?;
        }
        let mut file = open_private_file(&self.file, true)?;
        let length = file.metadata()?.len();
        if length > LARGEST {
            self.rotate_file_if_too_large()?;
            file = open_private_file(&self.file, true)?;
        }
        let mut text = String::new();
        if length == 0 || length > LARGEST {
            let since = (length > 0).then(|| self.notes_about_call("", "").since).flatten();
            text = format!("t {}\n", since.unwrap_or_else(now_millis));
        }
        text.push_str(&note_line(note));
        // One write: notes of processes that run at once do not mix.
        file.write_all(text.as_bytes())
    }

    /// Renames the file to the older one if it is too large, under a lock.
    fn rotate_file_if_too_large(&self) -> io::Result<()> {
        let lock = open_private_file(&self.file.with_extension("lock"), false)?;
        self.patience.wait_for_lock(|| lock.try_lock())?;
        if fs::metadata(&self.file).is_ok_and(|metadata| metadata.len() > LARGEST) {
            fs::rename(&self.file, self.rotated_file_path())?;
        }
        Ok(())
    }

    /// Returns the path to which the file is renamed when it is too large.
    fn rotated_file_path(&self) -> PathBuf {
        self.file.with_extension("notes-older")
    }

    /// Returns what the notes say about the call with that id, and about its prompt.
    pub(crate) fn notes_about_call(&self, call: &str, prompt: &str) -> Noted {
        let mut noted = Noted::default();
        let mut text = read_text_or_empty(&self.rotated_file_path());
        text.push_str(&read_text_or_empty(&self.file));
        // What a call changed that has no id is known by what the call does.
        let mut changed = Vec::new();
        let (call, prompt) = (stable_text_hash(call), stable_text_hash(prompt));
        for line in text.lines() {
            let mut words = line.split(' ');
            let kind = words.next().unwrap_or_default();
            let mut number =
                |radix| words.next().and_then(|word| u64::from_str_radix(word, radix).ok());
            match kind {
                "t" => noted.since = [noted.since, number(10)].into_iter().flatten().min(),
                "b" => noted.from_the_start = true,
                "u" => noted.knows_prompt |= number(16) == Some(prompt),
                "a" => {
                    noted.any_asked = true;
                    if number(16) == Some(call) {
                        noted.asked.push(number(16).zip(number(16)));
                    }
                }
                "d" => noted.denied |= number(16) == Some(call),
                "c" => noted.changed |= number(16) == Some(call),
                "e" => changed.extend(number(16)),
                _ => {}
            }
        }
        let mut effects = noted.asked.iter().flatten();
        noted.changed |= effects.any(|(effect, _)| changed.contains(effect));
        noted
    }
}

fn note_line(note: Note<'_>) -> String {
    match note {
        Note::Began => "b\n".to_owned(),
        Note::Prompt(id) => format!("u {:x}\n", stable_text_hash(id)),
        Note::Asked(id, None) => format!("a {:x}\n", stable_text_hash(id)),
        Note::Asked(id, Some((effect, bare))) => {
            format!("a {:x} {effect:x} {bare:x}\n", stable_text_hash(id))
        }
        Note::Denied(id) => format!("d {:x}\n", stable_text_hash(id)),
        Note::Changed(id) => format!("c {:x}\n", stable_text_hash(id)),
        Note::ChangedEffect(effect) => format!("e {effect:x}\n"),
    }
}

/// Hashes a text. The result is the same with every toolchain.
pub(crate) fn stable_text_hash(text: &str) -> u64 {
    let digest = Digest::hash(text.as_bytes()).to_string();
    digest.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a text file; an unreadable file gives an empty text.
fn read_text_or_empty(path: &Path) -> String {
    let Ok((file, _)) = discover::open(path) else { return String::new() };
    let mut bytes = Vec::new();
    // The last note before the file was full may have gone over the bound.
    let _ = file.take(LARGEST * 2).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(directory: &tempfile::TempDir) -> CallNotes {
        CallNotes::at_path(
            directory.path().join("sessions").join("s.notes"),
            LockPatience::default(),
        )
    }

    /// BR-93.
    /// BR-96.
    #[test]
    fn notes_of_one_call_are_found_among_others() {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes(&directory);
        assert_eq!(notes.notes_about_call("a", "p"), Noted::default());
        notes.add_note(Note::Asked("a", Some((1, 2))));
        notes.add_note(Note::Asked("b", None));
        notes.add_note(Note::Denied("b"));
        let (a, b, c) = (
            notes.notes_about_call("a", "p"),
            notes.notes_about_call("b", "p"),
            notes.notes_about_call("c", "p"),
        );
        assert_eq!((a.asked.as_slice(), a.denied), (&[Some((1, 2))][..], false));
        assert_eq!((b.asked.as_slice(), b.denied), (&[None][..], true));
        assert!(c.asked.is_empty() && c.any_asked && c.since.is_some() && !c.from_the_start);
        notes.add_note(Note::Prompt("p"));
        notes.add_note(Note::Began);
        notes.add_note(Note::ChangedEffect(1));
        let a = notes.notes_about_call("a", "p");
        assert!(a.knows_prompt && a.from_the_start && a.changed);
        assert!(
            !notes.notes_about_call("b", "q").knows_prompt
                && !notes.notes_about_call("b", "q").changed
        );
    }

    /// BR-96: the file stays small, and what was noted last is in it.
    #[test]
    fn notes_are_bounded_and_keep_the_last_ones() {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes(&directory);
        notes.add_note(Note::Began);
        for number in 0..9_000 {
            notes.add_note(Note::Asked(&format!("call-{number}"), Some((number, number))));
        }
        let sizes = fs::read_dir(directory.path().join("sessions")).unwrap();
        let size: u64 = sizes.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 2 * LARGEST + 4_096, "{size}");
        let last = notes.notes_about_call("call-8999", "");
        assert!(last.since.is_some() && last.asked == [Some((8_999, 8_999))]);
    }

    /// BR-96: what a link in place of the notes names stays as it is.
    #[cfg(unix)]
    #[test]
    fn notes_are_not_written_through_a_symlink() {
        let directory = tempfile::tempdir().unwrap();
        let notes = notes(&directory);
        notes.add_note(Note::Began);
        let target = directory.path().join("target");
        fs::write(&target, "kept").unwrap();
        fs::remove_file(&notes.file).unwrap();
        std::os::unix::fs::symlink(&target, &notes.file).unwrap();
        notes.add_note(Note::Denied("a"));
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        fs::remove_file(&target).unwrap();
        notes.add_note(Note::Denied("a"));
        assert!(!target.exists());
    }

    /// BR-96.
    #[test]
    fn notes_of_processes_that_run_at_once_are_all_kept() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let notes = notes(&directory);
                scope.spawn(move || {
                    for number in 0..50 {
                        notes.add_note(Note::Asked(&format!("{thread}-{number}"), None));
                    }
                });
            }
        });
        let notes = notes(&directory);
        let missing =
            (0..8).flat_map(|thread| (0..50).map(move |number| format!("{thread}-{number}")));
        assert_eq!(
            missing.filter(|call| notes.notes_about_call(call, "").asked.is_empty()).count(),
            0
        );
    }
}
