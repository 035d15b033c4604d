//! The one file: which calls were denied, which of them are allowed once, until when the rules rest. Read and written whole,
//! under a lock, by rename; nobody else may read it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Lifted, ONCE, code, digest, line};
use crate::discover;
use tenterhook_core::event::Event;

/// Most denied calls that are kept; the oldest go first.
const MOST: usize = 32;
/// The largest file that is read; what that many denied calls take is far less.
const MOST_BYTES: u64 = 16 << 20;

/// What the person left to agents, and where it is kept.
#[derive(Clone, Debug)]
pub struct Exemptions {
    directory: PathBuf,
}

/// A call that was denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denied {
    /// Its short name.
    pub code: String,
    /// What it is.
    pub call: String,
    digest: String,
    /// When, in seconds since 1970.
    at: u64,
}

/// Why nothing was left.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The file cannot be read or written.
    #[error("`{}` cannot be used: {why}", file.display())]
    Kept {
        /// The file.
        file: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// No denied call has that code.
    #[error("no call with the code {0} was denied in the last 10 minutes")]
    Unknown(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    denied: Vec<Denied>,
    #[serde(default)]
    allowed: Vec<Allowed>,
    /// When the pause began and ends, in seconds since 1970.
    #[serde(default)]
    paused: Option<(u64, u64)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Allowed {
    digest: String,
    at: u64,
}

impl Kept {
    /// Forgets what is too old; a clock that went back makes everything too old.
    fn tidy(&mut self, now: u64) {
        let young = |at: u64| at <= now && now - at <= ONCE.as_secs();
        self.denied.retain(|d| young(d.at));
        self.allowed.retain(|a| young(a.at));
        let surplus = self.denied.len().saturating_sub(MOST);
        self.denied.drain(..surplus);
        self.paused = self.paused.filter(|(from, to)| *from <= now && now < *to);
    }
}

impl Exemptions {
    /// What is kept in that directory, which need not be there.
    #[must_use]
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// A rule denies this call: whether the person lifted that. An allowance is used up by that.
    #[must_use]
    pub fn ask(&self, event: &Event, pausable: bool) -> Lifted {
        let digest = digest(event);
        let asked = self.change(|kept, now| {
            if let Some((_, to)) = kept.paused.filter(|_| pausable) {
                return Lifted::Yes(format!("the user paused self-protection for {} s more", to - now));
            }
            if let Some(at) = kept.allowed.iter().position(|a| a.digest == digest) {
                kept.allowed.remove(at);
                return Lifted::Yes("the user allowed this call once".to_owned());
            }
            let code = code(&digest);
            kept.denied.retain(|d| d.digest != digest);
            kept.denied.push(Denied { code: code.clone(), call: line(event), digest: digest.clone(), at: now });
            let pause = if pausable { ", or `tenterhook pause` to let the rules rest" } else { "" };
            Lifted::No(Some(format!(
                "The user, in a terminal of their own: `tenterhook allow once {code}` to let this one call pass{pause}."
            )))
        });
        // Where nothing can be kept, nothing is lifted.
        asked.unwrap_or(Lifted::No(None))
    }

    /// Allows the denied call of that code, once.
    ///
    /// # Errors
    ///
    /// Where there is none, or nothing can be kept.
    pub fn allow_once(&self, code: &str) -> Result<Denied, Trouble> {
        let wanted = code.to_ascii_uppercase();
        let found = self.change(|kept, now| {
            let at = kept.denied.iter().position(|d| d.code == wanted)?;
            let denied = kept.denied.remove(at);
            kept.allowed.push(Allowed { digest: denied.digest.clone(), at: now });
            Some(denied)
        })?;
        found.ok_or(Trouble::Unknown(wanted))
    }

    /// Lets the rules rest for that long from now on; for no time at all, they are back at once.
    ///
    /// # Errors
    ///
    /// Where nothing can be kept.
    pub fn pause(&self, length: Duration) -> Result<(), Trouble> {
        self.change(|kept, now| {
            kept.paused = Some((now, now + length.as_secs())).filter(|_| !length.is_zero());
        })
    }

    fn change<T>(&self, with: impl FnOnce(&mut Kept, u64) -> T) -> Result<T, Trouble> {
        let file = self.directory.join("leave.json");
        let changed = || -> io::Result<T> {
            discover::make_private(&self.directory)?;
            let lock = private(&self.directory.join("leave.lock"))?;
            lock.lock()?;
            let mut kept = match discover::bytes(&file, MOST_BYTES) {
                // What nobody can read holds nothing that was left.
                Ok(text) => serde_json::from_slice::<Kept>(&text).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Kept::default(),
                Err(error) => return Err(error),
            };
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            kept.tidy(now);
            let said = with(&mut kept, now);
            let new = self.directory.join("leave.json.new");
            let mut out = private(&new)?;
            out.set_len(0)?;
            out.write_all(&serde_json::to_vec(&kept)?)?;
            fs::rename(&new, &file)?;
            Ok(said)
        };
        changed().map_err(|why| Trouble::Kept { file: file.clone(), why })
    }
}

/// A file that only its owner reads and writes, which is no link.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    discover::owner_only(options.write(true).create(true).truncate(false))?;
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // A FIFO would be waited for, and this is asked before calls are let through.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::super::PAUSE;
    use super::*;
    use tenterhook_core::event::Surroundings;

    fn call(line: &str) -> Event {
        Event::new("PreToolUse", Surroundings::default())
            .with("tool_name", "Bash")
            .with("tool_input", serde_json::json!({ "command": line }))
    }

    fn said(lifted: Lifted) -> String {
        match lifted {
            Lifted::No(said) => said.unwrap_or_default(),
            Lifted::Yes(why) => format!("yes: {why}"),
        }
    }

    /// SP-21: one call, once, and no other.
    #[test]
    fn an_allowance_is_for_one_call_once() {
        let room = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::at(room.path().join("state"));
        let first = said(exemptions.ask(&call("rm -rf .claude"), true));
        let code = first.split("once ").nth(1).and_then(|part| part.get(..6)).unwrap().to_owned();
        assert!(matches!(exemptions.allow_once("AAAAAA"), Err(Trouble::Unknown(_))));
        assert_eq!(
            exemptions.allow_once(&code.to_lowercase()).unwrap().call,
            "Bash rm -rf .claude"
        );
        assert!(
            matches!(exemptions.allow_once(&code), Err(Trouble::Unknown(_))),
            "a code is good once"
        );
        assert!(matches!(exemptions.ask(&call("rm -rf .codex"), true), Lifted::No(_)));
        assert!(matches!(exemptions.ask(&call("rm -rf .claude"), true), Lifted::Yes(_)));
        assert!(matches!(exemptions.ask(&call("rm -rf .claude"), true), Lifted::No(_)));
    }

    /// SP-22: a pause ends, and a managed layer can forbid it.
    #[test]
    fn a_pause_is_over_when_it_is_ended_and_may_be_forbidden() {
        let room = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::at(room.path());
        exemptions.pause(Duration::from_secs(60)).unwrap();
        assert!(matches!(exemptions.ask(&call("x"), true), Lifted::Yes(_)));
        assert!(matches!(exemptions.ask(&call("x"), false), Lifted::No(_)));
        exemptions.pause(Duration::ZERO).unwrap();
        assert!(matches!(exemptions.ask(&call("x"), true), Lifted::No(_)));
        let mut kept = Kept { paused: Some((100, 200)), ..Kept::default() };
        kept.tidy(200);
        assert_eq!(kept.paused, None, "it ends by itself");
        let mut kept = Kept { paused: Some((100, 200)), ..Kept::default() };
        kept.tidy(50);
        assert_eq!(kept.paused, None, "a clock that went back lengthens nothing");
    }

    /// SP-24: a file that holds no JSON, that is no file, or a directory that cannot be written lets nothing pass, and keeps nothing.
    #[test]
    fn what_cannot_be_read_or_kept_lifts_nothing() {
        let room = tempfile::tempdir().unwrap();
        let state = room.path().join("state");
        let exemptions = Exemptions::at(&state);
        let (file, call) = (state.join("leave.json"), call("rm -rf .claude"));
        let paused = |exemptions: &Exemptions| {
            exemptions.pause(Duration::from_secs(60)).unwrap();
            assert!(matches!(exemptions.ask(&call, true), Lifted::Yes(_)));
        };
        paused(&exemptions);
        for broken in [&b"{\"paused\": [0, 99999999999"[..], b"\xff", b"[]", b""] {
            fs::write(&file, broken).unwrap();
            assert!(matches!(exemptions.ask(&call, true), Lifted::No(Some(_))), "{broken:?}");
        }
        let is_denied = || matches!(exemptions.ask(&call, true), Lifted::No(None));
        paused(&exemptions);
        let long = format!("{}{}", fs::read_to_string(&file).unwrap(), " ".repeat(17 << 20));
        fs::write(&file, long).unwrap();
        assert!(is_denied(), "longer than is read");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(is_denied(), "a directory");
        assert!(matches!(exemptions.pause(PAUSE), Err(Trouble::Kept { .. })));
        fs::remove_dir(&file).unwrap();
        paused(&exemptions);
        // What is allowed once and cannot be marked as used up would pass again and again.
        fs::create_dir(state.join("leave.json.new")).unwrap();
        assert!(is_denied(), "it cannot be written");
        assert!(matches!(exemptions.allow_once("AAAAAA"), Err(Trouble::Kept { .. })));
        let nowhere = Exemptions::at(file.join("below"));
        assert_eq!(nowhere.ask(&call, true), Lifted::No(None));
        assert!(matches!(nowhere.pause(PAUSE), Err(Trouble::Kept { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let room = tempfile::tempdir().unwrap();
        let exemptions = Exemptions::at(room.path().join("state"));
        exemptions.pause(Duration::from_secs(60)).unwrap();
        let mode =
            |name: &str| fs::metadata(room.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("state"), mode("state/leave.json")), (0o700, 0o600));
    }

    /// The order of fields is no part of a call.
    #[test]
    fn a_call_is_known_by_what_it_is() {
        let of = |text: &str| {
            let input: serde_json::Value = serde_json::from_str(text).unwrap();
            digest(&Event::new("PreToolUse", Surroundings::default()).with("tool_input", input))
        };
        assert_eq!(of(r#"{"a":1,"b":[2]}"#), of(r#"{"b":[2],"a":1}"#));
        assert_ne!(of(r#"{"a":1,"b":[2]}"#), of(r#"{"a":1,"b":[3]}"#));
    }
}
