//! The processes that wait for the next event of their hook: how many there may be, and for which
//! hooks.
//!
//! The session owns them, and ends them with itself. Dropping one ends its process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tenterhook_process as process;

use super::super::Running;
use super::{Likeness, Spare};
use crate::session::{Resident, Session};
use tenterhook_core::answer::Failure;
use tenterhook_core::config::Ruleset;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Hook, HookId};

/// How many spares a session has at most. Each is an interpreter with its memory; the longest lists
/// of hooks that one event selects in public configurations rarely have more.
pub(crate) const MAX_SPARES: usize = 16;

/// How many spares of a hook in a row may be unfit before no more are started: each one would be
/// wasted.
const MAX_UNFIT: u32 = 3;

/// The spares of one session.
#[derive(Debug, Default)]
pub(super) struct Spares {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The one that has waited longest is first.
    spares: Vec<Spare>,
    /// The hooks whose spare is being started.
    claimed: HashSet<HookId>,
    standing: HashMap<HookId, Standing>,
    ended: bool,
}

/// How well the spares of a hook were used.
#[derive(Debug)]
struct Standing {
    hook: Weak<Hook>,
    unfit: u32,
    given_up: bool,
}

/// The result of asking for a spare.
#[derive(Debug)]
pub(super) enum Taken {
    /// A process that waits for it.
    Spare(Running),
    /// There is no spare; if none will come again, the reason.
    Nothing(Option<Failure>),
}

/// The right to start the spare of one hook; dropping it returns the right.
pub(super) struct Claim {
    spares: Arc<Spares>,
    id: HookId,
}

impl Spares {
    /// Takes the spare of a hook, if it is alive and would be started the same way now.
    pub(super) fn take_matching_spare(&self, hook: &Arc<Hook>, wanted: &Likeness) -> Taken {
        let mut state = self.lock();
        let at = state.spares.iter().position(|spare| *spare.hook_id() == hook.id);
        let Some(mut spare) = at.map(|at| state.spares.remove(at)) else {
            return Taken::Nothing(None);
        };
        drop(state);
        let died = spare.how_ended_before_event();
        let fits = spare.equals_process_started_now(wanted);
        let is_fresh = fits && spare.is_young_with_unchanged_files();
        let mut state = self.lock();
        let standing = state.spare_usage_of_hook(hook);
        match died {
            Some(process::End::Exited(code)) => {
                standing.given_up = true;
                Taken::Nothing(Some(spare_exited_early_failure(code)))
            }
            // Killed from outside, or by its own age: the next one may live.
            Some(_) => Taken::Nothing(None),
            None if is_fresh => {
                standing.unfit = 0;
                Taken::Spare(spare.into_running())
            }
            // Its script was rewritten, or it has waited too long.
            None if fits => Taken::Nothing(None),
            None => {
                standing.unfit += 1;
                standing.given_up |= standing.unfit >= MAX_UNFIT;
                Taken::Nothing(standing.given_up.then(spare_never_matched_failure))
            }
        }
    }

    /// Returns the spares of a session.
    pub(super) fn of_session(session: &Session) -> Arc<Self> {
        session.get_resident()
    }

    /// Returns the right to start a spare, if the hook has none and may have one.
    pub(super) fn claim_spare_start(self: &Arc<Self>, hook: &Arc<Hook>) -> Option<Claim> {
        let mut state = self.lock();
        let has_one = state.spares.iter().any(|spare| *spare.hook_id() == hook.id);
        if state.ended || has_one || state.spare_usage_of_hook(hook).given_up {
            return None;
        }
        let id = hook.id.clone();
        state.claimed.insert(id.clone()).then(|| Claim { spares: Arc::clone(self), id })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resident for Spares {
    /// A spare refers to its hook weakly: if the hook left the configuration, the spare ends.
    fn end_unused(&self, _: &[Arc<Ruleset>]) {
        let mut state = self.lock();
        let stale: Vec<_> =
            state.spares.extract_if(.., |spare| spare.is_no_longer_wanted()).collect();
        drop(state);
        drop(stale);
    }

    /// Also starts no more.
    fn end_all(&self) {
        let mut state = self.lock();
        state.ended = true;
        let spares = std::mem::take(&mut state.spares);
        drop(state);
        drop(spares);
    }

    fn spare_processes(&self) -> usize {
        self.lock().spares.len()
    }
}

impl State {
    /// Returns how the spares of this entry were used. A reloaded entry starts anew.
    fn spare_usage_of_hook(&mut self, hook: &Arc<Hook>) -> &mut Standing {
        let fresh = || Standing { hook: Arc::downgrade(hook), unfit: 0, given_up: false };
        let standing = self.standing.entry(hook.id.clone()).or_insert_with(fresh);
        if !Weak::ptr_eq(&standing.hook, &Arc::downgrade(hook)) {
            *standing = fresh();
        }
        standing
    }
}

impl Claim {
    /// Adds the spare to the session. Beyond the limit, the spare that has waited longest is ended.
    pub(super) fn add_spare(self, spare: Spare) {
        let mut state = self.spares.lock();
        let mut gone = None;
        if state.ended {
            gone = Some(spare);
        } else {
            if state.spares.len() >= MAX_SPARES {
                gone = Some(state.spares.remove(0));
            }
            state.spares.push(spare);
        }
        drop(state);
        drop(gone);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.spares.lock().claimed.remove(&self.id);
    }
}

fn spare_exited_early_failure(code: i32) -> Failure {
    let message = format!(
        "its next process ended with exit code {code} before an event came, so none is started early any more in this \
         session: it does not wait for its input, and must not be prewarmed; take `prewarm` out"
    );
    Failure::new(Code::PrewarmEnded, message)
}

fn spare_never_matched_failure() -> Failure {
    let message = format!(
        "{MAX_UNFIT} processes in a row that were started early did not fit their event, because their environment \
         or directory differs; none is started early any more in this session; take `prewarm` out"
    );
    Failure::new(Code::PrewarmUnfit, message)
}
