//! The file of exemptions: the calls that were denied, which of them are allowed once, and the end
//! of a pause. It is read and written whole, under a lock and by rename; only its owner may read
//! it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Lifted, ONCE, call_digest, describe_call, exemption_code_from_digest};
use crate::discover;
use tenterhook_core::answer::Exemption;
use tenterhook_core::event::Event;

/// Maximum number of stored denied calls; the oldest are dropped first.
const MOST: usize = 32;
/// Maximum size of the file, far more than that many denied calls take.
const MOST_BYTES: u64 = 16 << 20;

/// The user's exemptions, stored in a directory.
#[derive(Clone, Debug)]
pub struct Exemptions {
    directory: PathBuf,
}

/// A call that was denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denied {
    /// Its code for `tenterhook allow once`.
    pub code: String,
    /// Its description.
    pub call: String,
    digest: String,
    /// When, in seconds since 1970.
    at: u64,
}

/// Why an exemption could not be granted.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The file cannot be read or written.
    #[error("`{}` cannot be used: {why}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The cause.
        why: io::Error,
    },
    /// No denied call has that code.
    #[error("no call with the code {0} was denied in the last 10 minutes")]
    Unknown(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Contents {
    #[serde(default)]
    denied: Vec<Denied>,
    #[serde(default)]
    allowed: Vec<Allowed>,
    /// Start and end of the pause, in seconds since 1970.
    #[serde(default)]
    paused: Option<(u64, u64)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Allowed {
    digest: String,
    at: u64,
}

impl Contents {
    /// Drops expired entries. If the clock went back, everything is expired.
    fn drop_expired(&mut self, now: u64) {
        let young = |at: u64| at <= now && now - at <= ONCE.as_secs();
        self.denied.retain(|d| young(d.at));
        self.allowed.retain(|a| young(a.at));
        let surplus = self.denied.len().saturating_sub(MOST);
        self.denied.drain(..surplus);
        self.paused = self.paused.filter(|(from, to)| *from <= now && now < *to);
    }
}

impl Exemptions {
    /// Uses the file in `directory`, which need not exist.
    #[must_use]
    pub fn in_directory(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Looks for an exemption for a call that a rule denies. This uses up an allowance.
    #[must_use]
    pub fn use_exemption(&self, event: &Event, pausable: bool) -> Lifted {
        let digest = call_digest(event);
        let asked = self.update_file(|contents, now| {
            if let Some((_, to)) = contents.paused.filter(|_| pausable) {
                return Lifted::Yes(Exemption::Paused { seconds_left: to - now });
            }
            if let Some(at) = contents.allowed.iter().position(|a| a.digest == digest) {
                contents.allowed.remove(at);
                return Lifted::Yes(Exemption::AllowedOnce);
            }
            let code = exemption_code_from_digest(&digest);
            contents.denied.retain(|d| d.digest != digest);
            contents.denied.push(Denied {
                code: code.clone(),
                call: describe_call(event),
                digest: digest.clone(),
                at: now,
            });
            let pause = if pausable { ", or `tenterhook pause` to let the rules rest" } else { "" };
            Lifted::No(format!(
                "The user, in a separate terminal: `tenterhook explain {code}` to see why, `tenterhook allow once {code}` to let this one call pass{pause}."
            ))
        });
        // A file that cannot be used lifts nothing, and its denial has no code.
        asked.unwrap_or_else(|trouble| {
            Lifted::No(format!("No command can let this call pass: {trouble}."))
        })
    }

    /// Returns the denied calls that the user may still allow, the latest last.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written.
    pub fn denied_calls(&self) -> Result<Vec<Denied>, Trouble> {
        self.update_file(|contents, _| contents.denied.clone())
    }

    /// Allows the denied call with that code, once.
    ///
    /// # Errors
    ///
    /// Fails if no denied call has that code, or if the file cannot be written.
    pub fn allow_denied_call_once(&self, code: &str) -> Result<Denied, Trouble> {
        let wanted = code.to_ascii_uppercase();
        let found = self.update_file(|contents, now| {
            let at = contents.denied.iter().position(|d| d.code == wanted)?;
            let denied = contents.denied.remove(at);
            contents.allowed.push(Allowed { digest: denied.digest.clone(), at: now });
            Some(denied)
        })?;
        found.ok_or(Trouble::Unknown(wanted))
    }

    /// Pauses the rules for `length` from now on. A length of zero ends a pause.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn pause_builtin_rules(&self, length: Duration) -> Result<(), Trouble> {
        self.update_file(|contents, now| {
            contents.paused = Some((now, now + length.as_secs())).filter(|_| !length.is_zero());
        })
    }

    fn update_file<T>(&self, with: impl FnOnce(&mut Contents, u64) -> T) -> Result<T, Trouble> {
        let file = self.directory.join("leave.json");
        let changed = || -> io::Result<T> {
            discover::create_private_dir(&self.directory)?;
            let lock = open_private_file(&self.directory.join("leave.lock"))?;
            discover::wait_for_lock(|| lock.try_lock())?;
            let mut contents = match discover::read_regular_file(&file, MOST_BYTES) {
                // A file that is not valid grants nothing.
                Ok(text) => serde_json::from_slice::<Contents>(&text).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Contents::default(),
                Err(error) => return Err(error),
            };
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            contents.drop_expired(now);
            let result = with(&mut contents, now);
            let new = self.directory.join("leave.json.new");
            let contents = serde_json::to_vec(&contents)?;
            let mut out = open_private_file(&new)?;
            let written = out.set_len(0).and_then(|()| out.write_all(&contents));
            if let Err(error) = written.and_then(|()| fs::rename(&new, &file)) {
                // Best effort: the error of the write is the one to report.
                drop(fs::remove_file(&new));
                return Err(error);
            }
            Ok(result)
        };
        changed().map_err(|why| Trouble::File { file: file.clone(), why })
    }
}

/// Opens or creates a file that only its owner can read and write. Refuses symlinks.
fn open_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options =
        discover::set_owner_only_create_mode(options.write(true).create(true).truncate(false))?;
    discover::set_linkless_open(options).open(path)
}

#[cfg(test)]
mod tests {
    use super::super::PAUSE;
    use super::*;
    use serde_json::json;
    use tenterhook_core::event::Surroundings;

    fn call(line: &str) -> Event {
        Event::new("PreToolUse", Surroundings::default())
            .with("tool_name", "Bash")
            .with("tool_input", serde_json::json!({ "command": line }))
    }

    fn message(lifted: Lifted) -> String {
        match lifted {
            Lifted::No(remedy) => remedy,
            Lifted::Yes(exemption) => format!("yes: {exemption}"),
        }
    }

    /// SP-21: an allowance is for one call, once.
    #[test]
    fn allowance_covers_one_call_once() {
        let directory = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::in_directory(directory.path().join("state"));
        let first = message(exemptions.use_exemption(&call("rm -rf .claude"), true));
        let code = first.split("once ").nth(1).and_then(|part| part.get(..6)).unwrap().to_owned();
        assert!(matches!(exemptions.allow_denied_call_once("AAAAAA"), Err(Trouble::Unknown(_))));
        assert_eq!(
            exemptions.allow_denied_call_once(&code.to_lowercase()).unwrap().call,
            "Bash rm -rf .claude"
        );
        assert!(
            matches!(exemptions.allow_denied_call_once(&code), Err(Trouble::Unknown(_))),
            "a code is valid once"
        );
        assert!(matches!(exemptions.use_exemption(&call("rm -rf .codex"), true), Lifted::No(_)));
        assert!(matches!(exemptions.use_exemption(&call("rm -rf .claude"), true), Lifted::Yes(_)));
        assert!(matches!(exemptions.use_exemption(&call("rm -rf .claude"), true), Lifted::No(_)));
    }

    /// SP-22: a pause ends, and a managed layer can forbid it.
    #[test]
    fn pause_ends_by_command_or_by_time_and_can_be_forbidden() {
        let directory = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::in_directory(directory.path());
        exemptions.pause_builtin_rules(Duration::from_secs(60)).unwrap();
        assert!(matches!(exemptions.use_exemption(&call("x"), true), Lifted::Yes(_)));
        assert!(matches!(exemptions.use_exemption(&call("x"), false), Lifted::No(_)));
        exemptions.pause_builtin_rules(Duration::ZERO).unwrap();
        assert!(matches!(exemptions.use_exemption(&call("x"), true), Lifted::No(_)));
        let mut contents = Contents { paused: Some((100, 200)), ..Contents::default() };
        contents.drop_expired(200);
        assert_eq!(contents.paused, None, "it ends by itself");
        let mut contents = Contents { paused: Some((100, 200)), ..Contents::default() };
        contents.drop_expired(50);
        assert_eq!(contents.paused, None, "a clock that went back ends it");
    }

    /// SP-24: invalid JSON, a directory in place of the file, and a directory that cannot be
    /// written grant no exemption.
    #[test]
    fn unusable_file_lifts_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let exemptions = Exemptions::in_directory(&state);
        let (file, call) = (state.join("leave.json"), call("rm -rf .claude"));
        let paused = |exemptions: &Exemptions| {
            exemptions.pause_builtin_rules(Duration::from_secs(60)).unwrap();
            assert!(matches!(exemptions.use_exemption(&call, true), Lifted::Yes(_)));
        };
        paused(&exemptions);
        for broken in [&b"{\"paused\": [0, 99999999999"[..], b"\xff", b"[]", b""] {
            fs::write(&file, broken).unwrap();
            assert!(matches!(exemptions.use_exemption(&call, true), Lifted::No(_)), "{broken:?}");
        }
        let is_denied = || matches!(exemptions.use_exemption(&call, true), Lifted::No(why) if why.contains("cannot be used"));
        paused(&exemptions);
        let long = format!("{}{}", fs::read_to_string(&file).unwrap(), " ".repeat(17 << 20));
        fs::write(&file, long).unwrap();
        assert!(is_denied(), "the file is too long");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(is_denied(), "the file is a directory");
        assert!(matches!(exemptions.pause_builtin_rules(PAUSE), Err(Trouble::File { .. })));
        fs::remove_dir(&file).unwrap();
        paused(&exemptions);
        // An allowance that cannot be marked as used up would let the call pass every time.
        fs::create_dir(state.join("leave.json.new")).unwrap();
        assert!(is_denied(), "the file cannot be written");
        assert!(matches!(exemptions.allow_denied_call_once("AAAAAA"), Err(Trouble::File { .. })));
        let nowhere = Exemptions::in_directory(file.join("below"));
        assert!(
            matches!(nowhere.use_exemption(&call, true), Lifted::No(why) if why.contains("cannot be used"))
        );
        assert!(matches!(nowhere.pause_builtin_rules(PAUSE), Err(Trouble::File { .. })));
    }

    /// SP-24: a call does not wait for a process that keeps the lock.
    #[test]
    fn locked_file_lifts_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::in_directory(directory.path());
        exemptions.pause_builtin_rules(Duration::from_secs(60)).unwrap();
        let lock = open_private_file(&directory.path().join("leave.lock")).unwrap();
        lock.lock().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let other = exemptions.clone();
        std::thread::spawn(move || sender.send(other.use_exemption(&call("x"), true)));
        let lifted = receiver.recv_timeout(Duration::from_secs(20)).expect("it gives up");
        assert!(message(lifted).contains("locked it for over a second"));
        lock.unlock().unwrap();
        assert!(matches!(exemptions.use_exemption(&call("x"), true), Lifted::Yes(_)));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::in_directory(directory.path().join("state"));
        exemptions.pause_builtin_rules(Duration::from_secs(60)).unwrap();
        let mode = |name: &str| {
            fs::metadata(directory.path().join(name)).unwrap().permissions().mode() & 0o777
        };
        assert_eq!((mode("state"), mode("state/leave.json")), (0o700, 0o600));
    }

    #[test]
    fn digest_ignores_the_order_of_fields() {
        let digest_of = |text: &str| {
            let input: serde_json::Value = serde_json::from_str(text).unwrap();
            call_digest(
                &Event::new("PreToolUse", Surroundings::default()).with("tool_input", input),
            )
        };
        assert_eq!(digest_of(r#"{"a":1,"b":[2]}"#), digest_of(r#"{"b":[2],"a":1}"#));
        assert_ne!(digest_of(r#"{"a":1,"b":[2]}"#), digest_of(r#"{"a":1,"b":[3]}"#));
    }

    /// SP-21.
    #[test]
    fn digest_ignores_how_a_shell_command_is_described() {
        let digest_of = |tool: &str, input: serde_json::Value| {
            let event = Event::new("PreToolUse", Surroundings::default()).with("tool_name", tool);
            call_digest(&event.with("tool_input", input))
        };
        let push = json!({"command": "git push --force"});
        let described = json!({"command": "git push --force", "description": "x", "timeout": 5});
        assert_eq!(digest_of("Bash", push.clone()), digest_of("Bash", described));
        let elsewhere = json!({"command": "git push --force", "workdir": "/b"});
        assert_ne!(digest_of("Bash", push), digest_of("Bash", elsewhere));
        let written = |text: &str| digest_of("Write", json!({"description": text}));
        assert_ne!(written("a"), written("b"));
    }
}
