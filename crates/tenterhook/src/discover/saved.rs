//! Is a file being saved while it is read? One that was written a moment ago and is empty, torn or still changing is read again for
//! a tenth of a second (C-92). Knows no dialect.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use super::config_format;
use super::decode::decode_text;
use super::file::{MAX_BYTES, read_regular_file_with_metadata};
use tenterhook_core::source::{Completeness, Flaw};
use tenterhook_core::syntax::{self, FaultKind};

/// How long after a write a file may be half saved.
const SAVING: Duration = Duration::from_secs(1);
/// How long after a write the next one may follow at once: a text that reads whole by then may be a part of the next text.
const WRITING: Duration = Duration::from_millis(20);
/// The pause before each further look.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(10), Duration::from_millis(30), Duration::from_millis(60)];

/// Reads a config file, and waits briefly if it is being saved. Returns its bytes, and whether they
/// may be incomplete because saving goes on.
pub(super) fn wait_for_saving_then_read(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let (mut bytes, mut metadata) = read_regular_file_with_metadata(path, MAX_BYTES)?;
    let mut is_steady = false;
    for pause in PAUSES {
        let Some(age) = recent_file_age(&metadata) else { return Ok((bytes, false)) };
        if !is_partial_text(path, &bytes) && (is_steady || age >= WRITING) {
            return Ok((bytes, false));
        }
        thread::sleep(pause);
        let (again, now) = read_regular_file_with_metadata(path, MAX_BYTES)?;
        is_steady = again == bytes;
        (bytes, metadata) = (again, now);
    }
    let is_saving =
        recent_file_age(&metadata).is_some() && (is_partial_text(path, &bytes) || !is_steady);
    Ok((bytes, is_saving))
}

/// The flaw of a file that is being saved: its last complete version applies (C-93).
pub(super) fn being_saved_flaw() -> Flaw {
    Flaw {
        why: "it is being saved: it was written less than a second ago and is not whole".to_owned(),
        help: "save the file in one step: write another file and move it there".to_owned(),
        kept: Completeness::Saving,
        untrusted: None,
    }
}

/// Returns the time since a file was written; `None` if that is over a second. A clock that differs
/// a little makes no difference.
fn recent_file_age(metadata: &Metadata) -> Option<Duration> {
    let written = metadata.modified().ok()?;
    let age = match SystemTime::now().duration_since(written) {
        Ok(age) => age,
        Err(ahead) => ahead.duration(),
    };
    (age < SAVING).then_some(age)
}

/// Whether a text is empty or incomplete. Only formats that are read as one tree can be incomplete.
fn is_partial_text(path: &Path, bytes: &[u8]) -> bool {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return true;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("toml" | "json" | "jsonc" | "md")) {
        return false;
    }
    let (text, flaw) = decode_text(bytes.to_vec());
    if flaw.is_some_and(|flaw| flaw.kept == Completeness::Part) {
        return true;
    }
    let fatal =
        syntax::parse_by_format(&text, config_format(path)).fatal_fault().map(|fault| fault.kind);
    fatal == Some(FaultKind::Broken)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    /// Sets when a file was written last.
    fn dated(path: &Path, ago: Duration) {
        let file = File::options().append(true).open(path).expect("the file");
        file.set_modified(SystemTime::now() - ago).expect("its time");
    }

    /// C-92.
    #[test]
    fn file_is_being_saved_while_it_is_young_and_empty_or_torn() {
        let fixture = tempfile::tempdir().expect("a directory");
        for (name, text, is_saving) in [
            ("a.json", "", true),
            ("a.json", " \n", true),
            ("a.json", "{\"hooks\": {", true),
            ("a.json", "{}", false),
            ("a.toml", "a = [", true),
            ("a.toml", "# a comment", false),
            ("script", "#!/bin/sh\n{", false),
            ("script", "", true),
        ] {
            let path = fixture.path().join(name);
            fs::write(&path, text).expect("a file");
            let read = wait_for_saving_then_read(&path).expect("its bytes");
            assert_eq!(read, (text.as_bytes().to_vec(), is_saving), "{name}: {text:?}");
            dated(&path, SAVING * 2);
            let read = wait_for_saving_then_read(&path).expect("its bytes");
            assert_eq!(read, (text.as_bytes().to_vec(), false), "older: {name}: {text:?}");
        }
    }

    /// C-92: the second half comes while the file is looked at.
    #[test]
    fn file_that_is_completed_within_the_pauses_is_read_whole() {
        let fixture = tempfile::tempdir().expect("a directory");
        let path = fixture.path().join("a.json");
        fs::write(&path, "").expect("a file");
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| wait_for_saving_then_read(&path).expect("its bytes"));
            fs::write(&path, "{}").expect("a file");
            reader.join().expect("a reader")
        });
        assert_eq!(read, (b"{}".to_vec(), false));
    }
}
