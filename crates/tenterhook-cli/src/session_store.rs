//! What a session remembers between two calls of `hook`, which are two processes: one small file a session, below the state
//! directory, changed under a lock (BR-40 to BR-42). Knows no event beyond its name.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tenterhook::internal::discover::{self, LockPatience};
use tenterhook::session::Store;
use tenterhook::trust::Digest;
use tenterhook_core::event::EventName;
use tenterhook_core::hook::HookId;

use crate::call_notes::{CallNotes, now_millis};
use crate::deliveries::{self, Deliveries};
use crate::history_file::HistoryFile;

/// How long the state of an unused session is stored.
const FORGOTTEN: Duration = Duration::from_hours(24 * 14);
/// Largest file that is read: this program never writes a larger one.
const LARGEST: u64 = 1 << 20;

/// What the claim of a message begins with, before its hash.
const MESSAGE: &str = "shown:";

/// The store of one session.
#[derive(Debug)]
pub(crate) struct SessionStore {
    file: PathBuf,
    /// Where version 0.1.0 kept the same session.
    older: PathBuf,
    /// What stood there when this process looked, and what it did since where nothing can be written.
    seen: Mutex<Option<State>>,
    /// How long this call may wait for other processes (SS-25).
    patience: LockPatience,
}

#[derive(Clone, Debug, Default)]
struct State {
    claimed: BTreeSet<String>,
    strikes: BTreeMap<String, u32>,
    /// The projects whose hooks applied, in the order in which the session saw them.
    projects: Vec<String>,
}

impl State {
    /// Parses the state; an unreadable file is treated like a new session (BR-41).
    fn parse(text: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(text).unwrap_or_default();
        let claimed = value.get("claimed").and_then(Value::as_array).into_iter().flatten();
        let strikes = value.get("strikes").and_then(Value::as_object).into_iter().flatten();
        let projects = value.get("projects").and_then(Value::as_array).into_iter().flatten();
        let count = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
        Self {
            claimed: claimed.filter_map(Value::as_str).map(str::to_owned).collect(),
            strikes: strikes.filter_map(|(text, of)| Some((text.clone(), count(of)?))).collect(),
            projects: projects.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let value =
            json!({"claimed": self.claimed, "strikes": self.strikes, "projects": self.projects});
        value.to_string().into_bytes()
    }
}

impl SessionStore {
    /// Opens the store of an agent's session; `None` if the agent gives no session id.
    pub(crate) fn open(state: &Path, agent: &str, session: &str) -> Option<Self> {
        if session.is_empty() {
            return None;
        }
        // A name for people, and the rest of it as a number: two sessions never share a file.
        let plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
        let name: String = session.chars().filter(plain).take(48).collect();
        let file = |hash: &str| state.join("sessions").join(format!("{agent}-{name}-{hash}.json"));
        let digest: String =
            Digest::hash(session.as_bytes()).to_string().chars().take(32).collect();
        let (file, older) = (file(&digest), file(&hash_of_version_0_1(session)));
        Some(Self { file, older, seen: Mutex::new(None), patience: LockPatience::default() })
    }

    /// Returns the notes about the session's calls.
    pub(crate) fn call_notes(&self) -> CallNotes {
        CallNotes::at_path(self.file.with_extension("notes"), self.patience.clone())
    }

    /// Returns the results of background hooks that wait for an event of the session.
    pub(crate) fn deliveries(&self) -> Deliveries {
        Deliveries::at_path(self.path(deliveries::EXTENSION), self.patience.clone())
    }

    /// Returns the path of a file of the session.
    pub(crate) fn path(&self, extension: &str) -> PathBuf {
        self.file.with_extension(extension)
    }

    /// Returns the history that rules ask for.
    fn history_file(&self) -> HistoryFile {
        HistoryFile::at_path(self.path("history"), self.patience.clone())
    }

    /// Returns whether state can be stored: a gate that counts its denials must not start from zero
    /// each time.
    pub(crate) fn can_store_state(&self) -> bool {
        self.change_stored_state(|_| ()).is_ok()
    }

    /// Records that this text was shown in the session. Returns whether this is the first time.
    pub(crate) fn claim_message_once(&self, words: &str) -> bool {
        let claim = |hash: &str| HookId::new(format!("{MESSAGE}{hash}"));
        let was_shown = self.claimed().contains(&claim(&hash_of_version_0_1(words)));
        let digest = Digest::hash(words.as_bytes()).to_string();
        !was_shown && self.claim_once(&claim(digest.get(..16).unwrap_or(&digest)))
    }

    /// Returns the projects whose hooks applied in the session, in the order in which the session
    /// saw them (BR-19).
    pub(crate) fn projects(&self) -> Vec<PathBuf> {
        self.read_state_with(|state| state.projects.iter().map(PathBuf::from).collect())
    }

    /// Adds a project to those of the session, unless there are `most` already. Returns whether it
    /// is among them.
    pub(crate) fn add_project(&self, project: &Path, most: usize) -> bool {
        let name = project.to_string_lossy().into_owned();
        self.change_state_or_memory(|state| {
            if !state.projects.contains(&name) && state.projects.len() < most {
                state.projects.push(name.clone());
            }
            state.projects.contains(&name)
        })
    }

    fn read_state(&self) -> State {
        let read = |path: &Path| -> io::Result<State> {
            let (file, _) = discover::open(path)?;
            let mut text = Vec::new();
            io::Read::read_to_end(&mut io::Read::take(file, LARGEST), &mut text)?;
            Ok(State::parse(&text))
        };
        match read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => read(&self.older),
            found => found,
        }
        .unwrap_or_default()
    }

    fn read_state_with<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        at(seen.get_or_insert_with(|| self.read_state()))
    }

    /// Changes the stored state; if it cannot be written, changes only the copy in memory.
    fn change_state_or_memory<T>(&self, with: impl Fn(&mut State) -> T) -> T {
        match self.change_stored_state(&with) {
            Ok(said) => said,
            Err(_) => {
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                with(seen.get_or_insert_with(|| self.read_state()))
            }
        }
    }

    fn change_stored_state<T>(&self, with: impl FnOnce(&mut State) -> T) -> io::Result<T> {
        let directory = self.file.parent().ok_or(io::ErrorKind::NotFound)?;
        discover::create_private_dir(directory)?;
        let lock = open_private_file(&self.file.with_extension("lock"), false)?;
        self.patience.wait_for_lock(|| lock.try_lock())?;
        if !self.file.exists() {
            remove_old_sessions(directory);
        }
        let mut state = self.read_state();
        let said = with(&mut state);
        // Made with its owner's rights alone, and gone where it cannot take its place.
        let mut new = tempfile::NamedTempFile::new_in(directory)?;
        new.write_all(&state.to_bytes())?;
        new.persist(&self.file)?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        Ok(said)
    }
}

impl Store for SessionStore {
    fn claim_once(&self, hook: &HookId) -> bool {
        self.change_state_or_memory(|state| state.claimed.insert(hook.as_str().to_owned()))
    }

    fn claimed(&self) -> Arc<HashSet<HookId>> {
        Arc::new(self.read_state_with(|state| {
            state.claimed.iter().map(|text| HookId::new(&**text)).collect()
        }))
    }

    fn forget_claim(&self, hook: &HookId) {
        self.change_state_or_memory(|state| state.claimed.remove(hook.as_str()));
    }

    fn add_strike(&self, event: &EventName) -> u32 {
        self.change_state_or_memory(|state| {
            let count = state.strikes.entry(event.as_str().to_owned()).or_default();
            *count = count.saturating_add(1);
            *count
        })
    }

    fn strikes(&self, event: &EventName) -> u32 {
        self.read_state_with(|state| state.strikes.get(event.as_str()).copied().unwrap_or(0))
    }

    fn reset_strikes(&self, event: &EventName) {
        // Most events end no row of denials.
        if self.strikes(event) > 0 {
            self.change_state_or_memory(|state| state.strikes.remove(event.as_str()));
        }
    }

    fn history(&self) -> io::Result<String> {
        self.history_file().read()
    }

    fn add_to_history(&self, lines: &str) -> io::Result<()> {
        self.history_file().add(lines)
    }
}

/// A session without stored state: its denials cannot be counted, so an event with a cap is never blocked (BR-42).
#[derive(Debug, Default)]
pub(crate) struct Unkept(tenterhook::session::Memory);

impl Store for Unkept {
    fn claim_once(&self, hook: &HookId) -> bool {
        self.0.claim_once(hook)
    }

    fn claimed(&self) -> Arc<HashSet<HookId>> {
        self.0.claimed()
    }

    fn forget_claim(&self, hook: &HookId) {
        self.0.forget_claim(hook);
    }

    fn add_strike(&self, event: &EventName) -> u32 {
        self.0.add_strike(event)
    }

    fn strikes(&self, _: &EventName) -> u32 {
        u32::MAX
    }

    fn reset_strikes(&self, event: &EventName) {
        self.0.reset_strikes(event);
    }

    fn history(&self) -> io::Result<String> {
        Err(nameless_session_error())
    }

    fn add_to_history(&self, _: &str) -> io::Result<()> {
        Err(nameless_session_error())
    }
}

/// The error of a session of which nothing can be stored between two events (SS-21).
fn nameless_session_error() -> io::Error {
    io::Error::other("the agent does not name its session, or nothing can be stored")
}

/// Hashes a text as version 0.1.0 did to name its files: with the hash of the standard library,
/// which a different toolchain may change.
fn hash_of_version_0_1(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// How many sessions are stored, and the usual number of files of one.
const MOST_SESSIONS: usize = 2_000;
const FILES_OF_SESSION: usize = 4;

/// Removes the files of sessions that have expired, and of the oldest sessions if there are too
/// many (SS-23). Files that cannot be removed stay.
pub(crate) fn remove_old_sessions(directory: &Path) {
    let files: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // To ask for the age of each file takes longer than to list them: rarely, unless there are too
    // many.
    let is_turn = now_millis().is_multiple_of(16);
    if files.len() <= MOST_SESSIONS * FILES_OF_SESSION && files.len() > 1_000 && !is_turn {
        return;
    }
    let mut sessions: BTreeMap<PathBuf, (SystemTime, Vec<PathBuf>)> = BTreeMap::new();
    for file in files {
        let Ok(used) = fs::symlink_metadata(&file).and_then(|metadata| metadata.modified()) else {
            continue;
        };
        let (last, files) = sessions
            .entry(file.with_extension(""))
            .or_insert_with(|| (SystemTime::UNIX_EPOCH, Vec::new()));
        *last = used.max(*last);
        files.push(file);
    }
    let mut sessions: Vec<(SystemTime, Vec<PathBuf>)> = sessions.into_values().collect();
    sessions.sort_unstable_by_key(|(used, _)| *used);
    let surplus = sessions.len().saturating_sub(MOST_SESSIONS);
    for (at, (used, files)) in sessions.into_iter().enumerate() {
        // A clock that was set back makes no session old.
        let is_expired = used.elapsed().is_ok_and(|age| age > FORGOTTEN);
        if is_expired || at < surplus {
            files.iter().for_each(|file| drop(fs::remove_file(file)));
        }
    }
}

/// Opens a file that only its owner may read and write. Fails if it is a symlink.
pub(crate) fn open_private_file(path: &Path, appends: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).append(appends).create(true).truncate(false);
    discover::set_linkless_open(discover::set_owner_only_create_mode(options)?).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-40.
    #[test]
    fn two_processes_share_a_session_and_no_other() {
        let room = tempfile::tempdir().unwrap();
        let of = |session| SessionStore::open(room.path(), "codex", session).unwrap();
        let (hook, stop) = (HookId::new("h"), EventName::new("Stop"));
        assert!(of("a").claim_once(&hook) && !of("a").claim_once(&hook));
        assert!(of("b").claim_once(&hook), "another session");
        assert_eq!((of("a").add_strike(&stop), of("a").add_strike(&stop)), (1, 2));
        assert_eq!(of("a").strikes(&stop), 2);
        of("a").reset_strikes(&stop);
        assert_eq!((of("a").strikes(&stop), of("a").claimed().len()), (0, 1));
        of("a").forget_claim(&hook);
        assert!(of("a").claim_once(&hook));
        assert!(of("../x").file.starts_with(room.path().join("sessions")));
        assert_ne!(of("../x").file, of("x").file);
        assert!(SessionStore::open(room.path(), "codex", "").is_none());
    }

    /// BR-40: a hundred at once, and none is lost.
    #[test]
    fn no_strike_is_lost() {
        let room = tempfile::tempdir().unwrap();
        let stop = EventName::new("Stop");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..12 {
                        SessionStore::open(room.path(), "codex", "s").unwrap().add_strike(&stop);
                    }
                });
            }
        });
        assert_eq!(SessionStore::open(room.path(), "codex", "s").unwrap().strikes(&stop), 96);
    }

    /// BR-41, BR-42.
    #[test]
    fn what_cannot_be_kept_is_known() {
        let room = tempfile::tempdir().unwrap();
        fs::write(room.path().join("sessions"), "a file").unwrap();
        let kept = SessionStore::open(room.path(), "codex", "s").unwrap();
        assert!(!kept.can_store_state());
        assert!(kept.claim_once(&HookId::new("h")) && !kept.claim_once(&HookId::new("h")));
        assert_eq!(Unkept::default().strikes(&EventName::new("Stop")), u32::MAX);
        let broken = SessionStore::open(&room.path().join("other"), "codex", "s").unwrap();
        assert!(broken.can_store_state());
        fs::write(&broken.file, "{").unwrap();
        assert_eq!(broken.read_state().strikes.len(), 0);
        assert!(
            broken.claim_message_once("x")
                && !broken.claim_message_once("x")
                && broken.claim_message_once("y")
        );
    }

    /// BR-41, BR-42: no call waits for a process that keeps the lock.
    #[test]
    fn locked_session_is_one_that_cannot_be_kept() {
        let room = tempfile::tempdir().unwrap();
        let kept = SessionStore::open(room.path(), "codex", "s").unwrap();
        assert!(kept.can_store_state());
        let lock = open_private_file(&kept.path("lock"), false).unwrap();
        lock.lock().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let delivery = deliveries::Delivery::default();
        std::thread::spawn(move || {
            let hook = HookId::new("h");
            let claimed = (kept.claim_once(&hook), kept.claim_once(&hook));
            let added = kept.deliveries().add(delivery).is_err();
            sender.send((claimed, kept.can_store_state(), added, kept)).unwrap();
        });
        let limit = Duration::from_secs(20);
        let (claimed, is_stored, is_refused, kept) =
            receiver.recv_timeout(limit).expect("it gives up");
        assert_eq!((claimed, is_stored, is_refused), ((true, false), false, true));
        lock.unlock().unwrap();
        assert!(kept.can_store_state() && kept.claim_once(&HookId::new("h")), "nothing was stored");
    }

    /// SS-20: a name of a session that is a path stays in the directory, and names share no history.
    #[test]
    fn histories_belong_to_their_sessions() {
        let room = tempfile::tempdir().unwrap();
        let of = |agent, session: &str| SessionStore::open(room.path(), agent, session).unwrap();
        let names = ["s", "../s", "/etc/passwd", "s/../s", "S", "s\n", "s.", &"s".repeat(300)];
        for (at, name) in names.iter().enumerate() {
            of("codex", name).add_to_history(&format!("{{\"label\":\"{at}\"}}\n")).unwrap();
        }
        for (at, name) in names.iter().enumerate() {
            let text = of("codex", name).history().unwrap();
            assert_eq!(
                text.lines().skip(1).collect::<Vec<_>>(),
                [format!("{{\"label\":\"{at}\"}}")]
            );
            assert_eq!(of("claude", name).history().unwrap(), "", "another agent");
        }
        let outside = fs::read_dir(room.path()).unwrap().count();
        assert_eq!(outside, 1, "everything lies in one directory");
        assert!(
            Unkept::default().history().is_err() && Unkept::default().add_to_history("").is_err()
        );
    }

    /// SS-23.
    #[test]
    fn oldest_sessions_are_removed() {
        let room = tempfile::tempdir().unwrap();
        let sessions = room.path().join("sessions");
        discover::create_private_dir(&sessions).unwrap();
        let now = SystemTime::now();
        let day = Duration::from_hours(24);
        let make = |name: String, used: SystemTime| {
            let file = File::create(sessions.join(name)).unwrap();
            file.set_modified(used).unwrap();
        };
        for n in 0..2_500_u32 {
            let used = now - Duration::from_secs(u64::from(n));
            make(format!("codex-{n}.history"), used);
            // The lock of a session in use is as old as the session.
            make(format!("codex-{n}.lock"), now - day * 20);
        }
        (0..4_000).for_each(|n| make(format!("codex-old-{n}.json"), now - day * 15));
        // The clock was set back since.
        make("codex-ahead.history".to_owned(), now + day * 30);
        SessionStore::open(room.path(), "codex", "new").unwrap().add_to_history("x\n").unwrap();
        let left = |name: &str| sessions.join(name).exists();
        assert!(left("codex-ahead.history") && left("codex-0.history") && left("codex-0.lock"));
        assert!(
            !left("codex-2499.history") && !left("codex-2499.lock") && !left("codex-old-0.json")
        );
        let count = fs::read_dir(&sessions).unwrap().count();
        assert!((3_990..=4_010).contains(&count), "{count}");
    }

    /// BR-44: a file that 0.1.0 wrote, by the name that it gave it; the new one is named by SHA-256 on every toolchain.
    #[test]
    fn session_that_0_1_0_kept_goes_on() {
        let room = tempfile::tempdir().unwrap();
        let sessions = room.path().join("sessions");
        discover::create_private_dir(&sessions).unwrap();
        let older = format!(
            "{{\"claimed\":[\"h\",\"{MESSAGE}849e1d114ff252ff\"],\"strikes\":{{\"Stop\":2}},\"projects\":[\"/p\"]}}"
        );
        fs::write(sessions.join("codex-s-1-1775664760a26202.json"), older).unwrap();
        let kept = || SessionStore::open(room.path(), "codex", "s-1").unwrap();
        assert!(!kept().claim_once(&HookId::new("h")), "it ran once");
        assert!(
            !kept().claim_message_once("seen before")
                && kept().claim_message_once("not seen before")
        );
        assert_eq!(kept().add_strike(&EventName::new("Stop")), 3);
        assert_eq!(kept().projects(), [Path::new("/p")]);
        let name = kept().file.file_name().unwrap().to_owned();
        assert_eq!(name, "codex-s-1-6a840baf5d8c3ff241688aeb14546e65.json");
        fs::remove_file(sessions.join("codex-s-1-1775664760a26202.json")).unwrap();
        assert_eq!(kept().strikes(&EventName::new("Stop")), 3, "it is kept under the new name");
    }
}
