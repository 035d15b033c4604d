//! Keeps the history of a session, which rules ask for: one private file a session, to which processes add lines under a lock
//! (SS-20 to SS-22). Knows no rule and judges nothing.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use tenterhook::internal::discover::{self, LockPatience};
use tenterhook_core::rule::SessionHistory;

use crate::session_store::{open_private_file, remove_old_sessions};

/// From which length on a history is rewritten without what it need not hold, whenever it has grown
/// by this step.
const LONG: u64 = 64 << 10;
const STEP: u64 = 16 << 10;
/// Largest history that is read: this program never writes a larger one.
const LARGEST: u64 = 1 << 20;

/// The file with the history of one session.
#[derive(Debug)]
pub(crate) struct HistoryFile {
    path: PathBuf,
    patience: LockPatience,
}

impl HistoryFile {
    pub(crate) fn at_path(path: PathBuf, patience: LockPatience) -> Self {
        Self { path, patience }
    }

    /// Reads the history; empty if there is no file.
    pub(crate) fn read(&self) -> io::Result<String> {
        if let Err(error) = fs::symlink_metadata(&self.path)
            && error.kind() == io::ErrorKind::NotFound
        {
            return Ok(String::new());
        }
        let lock = self.open_lock_file()?;
        self.patience.wait_for_lock(|| lock.try_lock_shared())?;
        self.read_locked().map_err(|error| self.with_path(&error))
    }

    fn read_locked(&self) -> io::Result<String> {
        let (file, metadata) = match discover::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            opened => opened?,
        };
        check_own_and_small(&metadata)?;
        // With room for the end, which one further read finds.
        let length = usize::try_from(metadata.len()).unwrap_or_default();
        let mut text = String::with_capacity(length + 1);
        file.take(LARGEST).read_to_string(&mut text)?;
        check_has_lines(text.len() as u64)?;
        Ok(text)
    }

    /// Adds lines, all or none.
    pub(crate) fn add(&self, lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let directory = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        if !directory.is_dir() {
            discover::create_private_dir(directory)?;
        }
        let lock = self.open_lock_file()?;
        self.patience.wait_for_lock(|| lock.try_lock())?;
        self.add_locked(lines).map_err(|error| self.with_path(&error))
    }

    fn add_locked(&self, lines: &str) -> io::Result<()> {
        let is_missing = fs::symlink_metadata(&self.path)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if is_missing {
            self.path.parent().into_iter().for_each(remove_old_sessions);
            return self.replace_with(&[SessionHistory::head(), lines].concat());
        }
        let mut file = discover::set_linkless_open(OpenOptions::new().read(true).append(true))
            .open(&self.path)?;
        let metadata = file.metadata()?;
        check_own_and_small(&metadata)?;
        let length = metadata.len();
        if length > LONG && (length + lines.len() as u64) / STEP > length / STEP {
            return self.rewrite_with(lines);
        }
        check_head_and_last_line(&mut file)?;
        check_has_lines(length)?;
        let written = file.write_all(lines.as_bytes());
        if written.is_err() {
            // A full disk may have taken a part of it.
            file.set_len(length)?;
        }
        written
    }

    /// Replaces the file by its shortest form with these lines.
    fn rewrite_with(&self, lines: &str) -> io::Result<()> {
        let text = self.read_locked()? + lines;
        let text = SessionHistory::read(text)
            .and_then(|history| history.to_text())
            .map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why.0))?;
        match check_has_lines(text.len() as u64) {
            Ok(()) => self.replace_with(&text),
            // Nothing is left to remember, as after these lines alone.
            Err(_) => self.replace_with(&[SessionHistory::head(), lines].concat()),
        }
    }

    /// Replaces the file in one piece: a process that is killed leaves the file as it was.
    fn replace_with(&self, text: &str) -> io::Result<()> {
        let directory = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        let mut new = tempfile::NamedTempFile::new_in(directory)?;
        new.write_all(text.as_bytes())?;
        new.persist(&self.path)?;
        Ok(())
    }

    fn open_lock_file(&self) -> io::Result<File> {
        open_private_file(&self.path.with_extension("lock"), false)
            .map_err(|error| self.with_path(&error))
    }

    fn with_path(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("`{}`: {error}", self.path.display()))
    }
}

/// Fails if the file is not this user's, or larger than this program makes it.
fn check_own_and_small(metadata: &Metadata) -> io::Result<()> {
    let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    if !metadata.is_file() {
        return Err(invalid("it is not a file"));
    }
    if !is_own_file(metadata) {
        return Err(invalid("it belongs to another user, or others may write it"));
    }
    if metadata.len() >= LARGEST {
        return Err(invalid("it is larger than this program makes it"));
    }
    Ok(())
}

#[cfg(unix)]
fn is_own_file(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

/// The rights of the directory decide.
#[cfg(not(unix))]
const fn is_own_file(_: &Metadata) -> bool {
    true
}

/// Fails if the file has no line beyond its head: this program writes the head with the first lines.
fn check_has_lines(length: u64) -> io::Result<()> {
    if length > SessionHistory::head().len() as u64 {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it was emptied by another program"))
}

/// Fails if the file is not a history, or if a process was killed while it wrote the last line: what
/// is added would be lost.
fn check_head_and_last_line(file: &mut File) -> io::Result<()> {
    let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut head = vec![0; SessionHistory::head().len()];
    let is_read = file.read_exact(&mut head);
    if is_read.is_err() || head != SessionHistory::head().as_bytes() {
        return Err(invalid("it was written by another version or another program"));
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    if last == [b'\n'] { Ok(()) } else { Err(invalid("its last line is torn")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(directory: &tempfile::TempDir) -> HistoryFile {
        HistoryFile::at_path(
            directory.path().join("sessions").join("s.history"),
            LockPatience::default(),
        )
    }

    fn read(file: &HistoryFile) -> SessionHistory {
        SessionHistory::read(file.read().unwrap()).unwrap()
    }

    const ADDED: &str = "{\"count\":[\"n\",1]}\n";

    /// SS-20: nothing is lost of processes that run at once, also while the file is rewritten.
    #[test]
    fn lines_of_processes_that_run_at_once_are_all_kept() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let directory = &directory;
                scope.spawn(move || {
                    for number in 0..100 {
                        // A process a call, which waits a second at most.
                        let file = file(directory);
                        let path = format!("/p/{thread}/{number}/{}", "x".repeat(60));
                        file.add(&format!("{ADDED}{{\"writes\":[\"{path}\"]}}\n")).unwrap();
                        file.read().unwrap();
                    }
                });
            }
        });
        let text = read(&file(&directory)).to_text().unwrap();
        assert!(text.contains("{\"count\":[\"n\",800]}"), "{text}");
        assert_eq!(text.matches("/p/").count(), 800);
    }

    /// SS-20: only its owner may read it.
    #[cfg(unix)]
    #[test]
    fn file_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let file = file(&directory);
        assert_eq!(file.read().unwrap(), "");
        file.add(ADDED).unwrap();
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file.path), mode(file.path.parent().unwrap())), (0o600, 0o700));
        // Others may write it: it may hold anything.
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(file.read().unwrap_err().to_string().contains("others may write it"));
        assert!(file.add(ADDED).is_err());
    }

    /// SS-21: an emptied, torn, foreign, too large or locked file is an error, and nothing is added to it.
    #[test]
    fn unusable_files_are_errors_and_stay() {
        let whole = [SessionHistory::head(), ADDED].concat();
        for cut in 0..whole.len() {
            let directory = tempfile::tempdir().unwrap();
            let file = file(&directory);
            file.add(ADDED).unwrap();
            assert_eq!(file.read().unwrap(), whole);
            let torn = whole.get(..cut).unwrap();
            fs::write(&file.path, torn).unwrap();
            assert!(file.add(ADDED).is_err(), "{torn}");
            assert!(file.read().map_or(true, |text| SessionHistory::read(text).is_err()), "{torn}");
            assert_eq!(fs::read_to_string(&file.path).unwrap(), torn);
        }
        let directory = tempfile::tempdir().unwrap();
        let file = file(&directory);
        file.add(ADDED).unwrap();
        for content in [&b"\xff\xfe\n"[..], &vec![b'\n'; 2 << 20]] {
            fs::write(&file.path, content).unwrap();
            assert!(file.read().is_err());
        }
        let large = [SessionHistory::head(), &"x\n".repeat(40_000)].concat();
        fs::write(&file.path, &large).unwrap();
        let lines = ADDED.repeat(1_000);
        assert!(file.add(&lines).is_err(), "a file that cannot be read is not rewritten");
        assert_eq!(fs::read_to_string(&file.path).unwrap(), large);
        fs::remove_file(&file.path).unwrap();
        fs::create_dir(&file.path).unwrap();
        assert!(file.read().is_err() && file.add(ADDED).is_err());
    }

    /// SS-21.
    #[test]
    fn locked_file_is_given_up_after_a_while() {
        let directory = tempfile::tempdir().unwrap();
        let file = file(&directory);
        file.add(ADDED).unwrap();
        let lock = file.open_lock_file().unwrap();
        lock.lock().unwrap();
        for error in [file.read().unwrap_err(), file.add(ADDED).unwrap_err()] {
            assert!(error.to_string().contains("locked"), "{error}");
        }
        lock.unlock().unwrap();
        assert!(file.add(ADDED).is_ok());
    }

    /// SS-20: the file stays small, and labels stay.
    #[test]
    fn history_is_rewritten_when_it_is_long() {
        let directory = tempfile::tempdir().unwrap();
        let file = file(&directory);
        file.add("{\"label\":\"first\"}\n").unwrap();
        for _ in 0..200 {
            file.add(&ADDED.repeat(40)).unwrap();
        }
        assert!(fs::metadata(&file.path).unwrap().len() < LONG + STEP + 1_000);
        let text = read(&file).to_text().unwrap();
        assert!(text.contains("{\"label\":\"first\"}") && text.contains("[\"n\",8000]"), "{text}");
    }
}
