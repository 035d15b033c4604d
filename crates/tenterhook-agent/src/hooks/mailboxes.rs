//! Where what background hooks say late goes, when the event was one of a subagent: to that subagent, as long as it works. Holds
//! addresses alone; what is delivered, `late` decides.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Hooks;
use crate::agent::Steering;

/// The subagents that work, by their ids. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailboxes(Arc<Mutex<HashMap<String, Steering>>>);

impl Mailboxes {
    fn lock_mailboxes(&self) -> MutexGuard<'_, HashMap<String, Steering>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the mailbox of a subagent that is working.
    pub(super) fn find_mailbox(&self, agent: Option<&str>) -> Option<Steering> {
        self.lock_mailboxes().get(agent?).cloned()
    }
}

/// The mailbox of one subagent; dropped, it is closed.
pub(crate) struct Mailbox {
    all: Mailboxes,
    agent: String,
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.all.lock_mailboxes().remove(&self.agent);
    }
}

impl Hooks {
    /// Opens a mailbox for this subagent, to which late context of its events is delivered.
    pub(crate) fn open_mailbox(&self, agent: &str, steering: &Steering) -> Mailbox {
        self.mailboxes.lock_mailboxes().insert(agent.to_owned(), steering.clone());
        Mailbox { all: self.mailboxes.clone(), agent: agent.to_owned() }
    }
}
