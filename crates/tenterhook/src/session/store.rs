//! The storage of a session's state, by atomic operations instead of load and save. Knows events by
//! their names only.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenterhook_core::event::EventName;
use tenterhook_core::hook::HookId;
#[cfg(feature = "rule")]
use tenterhook_core::rule::{SessionHistory, UnusableHistory};

/// A place that keeps the state of one session. Every verb is atomic, so that processes may share a store (N-1).
pub trait Store: Send + Sync + fmt::Debug {
    /// Claims the one run of `hook`; `false` when it was claimed before.
    fn claim_once(&self, hook: &HookId) -> bool;

    /// The hooks whose one run is claimed.
    fn claimed(&self) -> Arc<HashSet<HookId>>;

    /// Makes `hook` claimable again.
    fn forget_claim(&self, hook: &HookId);

    /// Counts one more denial of `event` in a row and returns the count.
    fn add_strike(&self, event: &EventName) -> u32;

    /// The denials of `event` in a row.
    fn strikes(&self, event: &EventName) -> u32;

    /// Resets the count of denials of `event` in a row.
    fn reset_strikes(&self, event: &EventName);

    /// The text of the session's history; empty before anything was added.
    ///
    /// # Errors
    ///
    /// Fails if the history cannot be read, or the store keeps none: then rules that ask for it
    /// have no value (SS-21).
    fn history(&self) -> io::Result<String> {
        Err(no_history_error())
    }

    /// Adds lines to the history, all or none.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be stored: then the failure policy of the rules decides (SS-22).
    fn add_to_history(&self, _lines: &str) -> io::Result<()> {
        Err(no_history_error())
    }
}

fn no_history_error() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this host keeps no history of its sessions")
}

/// From which length on a history is shortened, whenever it has grown by this step.
#[cfg(feature = "rule")]
const LONG_HISTORY: usize = 64 << 10;
#[cfg(feature = "rule")]
const GROWTH_STEP: usize = 16 << 10;

/// Adds lines to the text of a history. Shortens the text if it is long; labels, counters and the
/// last calls stay.
///
/// # Errors
///
/// Fails if the text is damaged.
#[cfg(feature = "rule")]
fn append_to_history(text: &mut String, lines: &str) -> io::Result<()> {
    if text.is_empty() {
        text.push_str(SessionHistory::head());
    }
    let steps = text.len() / GROWTH_STEP;
    text.push_str(lines);
    if text.len() > LONG_HISTORY && text.len() / GROWTH_STEP > steps {
        let damaged = |why: UnusableHistory| io::Error::new(io::ErrorKind::InvalidData, why.0);
        let history = SessionHistory::read(text.as_str());
        *text = history.and_then(|history| history.to_text()).map_err(damaged)?;
    }
    Ok(())
}

/// Keeps a session in memory, for as long as its process lives.
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    claimed: Arc<HashSet<HookId>>,
    strikes: HashMap<EventName, u32>,
    #[cfg(feature = "rule")]
    history: String,
}

impl Memory {
    fn lock_state(&self) -> MutexGuard<'_, State> {
        // No verb can panic half-way, so a poisoned lock still guards a whole state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn claim_once(&self, hook: &HookId) -> bool {
        Arc::make_mut(&mut self.lock_state().claimed).insert(hook.clone())
    }

    fn claimed(&self) -> Arc<HashSet<HookId>> {
        Arc::clone(&self.lock_state().claimed)
    }

    fn forget_claim(&self, hook: &HookId) {
        Arc::make_mut(&mut self.lock_state().claimed).remove(hook);
    }

    fn add_strike(&self, event: &EventName) -> u32 {
        let mut state = self.lock_state();
        let count = state.strikes.entry(event.clone()).or_default();
        *count = count.saturating_add(1);
        *count
    }

    fn strikes(&self, event: &EventName) -> u32 {
        self.lock_state().strikes.get(event).copied().unwrap_or(0)
    }

    fn reset_strikes(&self, event: &EventName) {
        self.lock_state().strikes.remove(event);
    }

    #[cfg(feature = "rule")]
    fn history(&self) -> io::Result<String> {
        Ok(self.lock_state().history.clone())
    }

    #[cfg(feature = "rule")]
    fn add_to_history(&self, lines: &str) -> io::Result<()> {
        append_to_history(&mut self.lock_state().history, lines)
    }
}
