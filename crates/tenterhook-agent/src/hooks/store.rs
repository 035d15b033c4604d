//! What hooks did once, and how often they said no in a row, in a file beside the transcript: a session that is resumed goes on
//! counting where it stopped. Judges nothing.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tenterhook::internal::discover;
use tenterhook::session::Store;
use tenterhook_core::event::EventName;
use tenterhook_core::hook::HookId;

use crate::file;
use crate::update::Updates;

/// The file of one session.
#[derive(Debug)]
pub(super) struct Marks {
    state: Mutex<State>,
    updates: Updates,
}

#[derive(Debug, Default)]
struct State {
    path: PathBuf,
    claimed: Arc<HashSet<HookId>>,
    strikes: BTreeMap<String, u32>,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
struct Page {
    once: Vec<String>,
    strikes: BTreeMap<String, u32>,
}

/// Returns the path of the marks file of the session with this transcript.
fn marks_path(transcript: &Path) -> PathBuf {
    transcript.with_extension("hooks.json")
}

impl Marks {
    /// Opens the marks of the session with this transcript.
    pub(super) fn open(transcript: &Path, updates: Updates) -> Self {
        let marks = Self { state: Mutex::default(), updates };
        marks.switch_session(transcript);
        marks
    }

    /// Continues with the marks of another session.
    pub(super) fn switch_session(&self, transcript: &Path) {
        let path = marks_path(transcript);
        let page = read_marks_file(&path).unwrap_or_else(|error| {
            let shown = path.display();
            self.updates.warn(
                "hooks",
                format!("`{shown}` cannot be read, so what ran once may run again: {error}"),
            );
            Page::default()
        });
        let claimed = page.once.into_iter().map(HookId::new).collect();
        *self.lock_state() = State { path, claimed: Arc::new(claimed), strikes: page.strikes };
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        // No verb can panic half-way, so a poisoned lock still guards a whole state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the whole file or nothing. If it cannot be written, this process continues with its
    /// marks in memory.
    fn save(&self, state: &State) {
        if let Err(error) = write_marks_file(state) {
            self.updates
                .warn("hooks", format!("`{}` cannot be written: {error}", state.path.display()));
        }
    }
}

fn read_marks_file(path: &Path) -> io::Result<Page> {
    match file::read_whole(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Page::default()),
        Err(error) => Err(error),
    }
}

fn write_marks_file(state: &State) -> io::Result<()> {
    let mut once: Vec<_> =
        state.claimed.iter().map(|hook_id| hook_id.as_str().to_owned()).collect();
    once.sort();
    let page = Page { once, strikes: state.strikes.clone() };
    if let Some(parent) = state.path.parent() {
        discover::create_private_dir(parent)?;
    }
    let next = state.path.with_extension("json.next");
    std::fs::write(&next, serde_json::to_vec(&page)?)?;
    std::fs::rename(next, &state.path)
}

impl Store for Marks {
    fn claim_once(&self, hook: &HookId) -> bool {
        let mut state = self.lock_state();
        let first = Arc::make_mut(&mut state.claimed).insert(hook.clone());
        if first {
            self.save(&state);
        }
        first
    }

    fn claimed(&self) -> Arc<HashSet<HookId>> {
        Arc::clone(&self.lock_state().claimed)
    }

    fn forget_claim(&self, hook: &HookId) {
        let mut state = self.lock_state();
        if Arc::make_mut(&mut state.claimed).remove(hook) {
            self.save(&state);
        }
    }

    fn add_strike(&self, event: &EventName) -> u32 {
        let mut state = self.lock_state();
        let count = state.strikes.entry(event.to_string()).or_default();
        *count = count.saturating_add(1);
        let count = *count;
        self.save(&state);
        count
    }

    fn strikes(&self, event: &EventName) -> u32 {
        self.lock_state().strikes.get(event.as_str()).copied().unwrap_or(0)
    }

    fn reset_strikes(&self, event: &EventName) {
        let mut state = self.lock_state();
        if state.strikes.remove(event.as_str()).is_some() {
            self.save(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_testkit::Sandbox;

    #[test]
    fn marks_outlive_their_process_and_a_broken_file_is_reported() {
        let room = Sandbox::new().unwrap();
        let (updates, mut receiver) = Updates::channel();
        let transcript = room.project().join("a.jsonl");
        let (hook, event) = (HookId::new("once"), EventName::from("Stop"));
        let marks = Marks::open(&transcript, updates.clone());
        assert!(marks.claim_once(&hook));
        assert_eq!((marks.add_strike(&event), marks.add_strike(&event)), (1, 2));
        let again = Marks::open(&transcript, updates.clone());
        assert!(!again.claim_once(&hook), "it ran in the process before");
        assert_eq!(again.strikes(&event), 2);
        again.reset_strikes(&event);
        again.forget_claim(&hook);
        assert!(Marks::open(&transcript, updates.clone()).claim_once(&hook));
        assert!(receiver.try_recv().is_err());
        std::fs::write(marks_path(&transcript), "{\"once\":[").unwrap();
        assert_eq!(Marks::open(&transcript, updates).claimed().len(), 0);
        assert!(receiver.try_recv().is_ok(), "a broken file is reported");
    }
}
