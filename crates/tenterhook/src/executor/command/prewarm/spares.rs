//! The processes that wait for the next event of their hook: how many there may be, and who may have one.
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

/// How many spares a session holds. Each is an interpreter with its memory; the longest lists of hooks that one event
/// selects in public configurations rarely have more.
pub const MAX_SPARES: usize = 16;

/// How many spares of a hook in a row may not fit before no more are started: each one would be a process for nothing.
const MAX_UNFIT: u32 = 3;

/// The spares of one session.
#[derive(Debug, Default)]
pub(super) struct Spares {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// The one that has waited longest is first.
    spares: Vec<Spare>,
    /// The hooks whose spare is being started.
    claimed: HashSet<HookId>,
    standing: HashMap<HookId, Standing>,
    ended: bool,
}

/// How the spares of a hook have fared.
#[derive(Debug)]
struct Standing {
    hook: Weak<Hook>,
    unfit: u32,
    given_up: bool,
}

/// What there is for an event.
#[derive(Debug)]
pub(super) enum Taken {
    /// A process that waits for it.
    Spare(Running),
    /// None, and where none will come again, why.
    Nothing(Option<Failure>),
}

/// The right to start the spare of one hook; dropping it gives the right back.
pub(super) struct Claim {
    spares: Arc<Spares>,
    id: HookId,
}

impl Spares {
    /// Takes the spare of a hook, if it lives and is what is wanted.
    pub(super) fn take(&self, hook: &Arc<Hook>, wanted: &Likeness) -> Taken {
        let mut held = self.held();
        let at = held.spares.iter().position(|spare| *spare.id() == hook.id);
        let Some(mut spare) = at.map(|at| held.spares.remove(at)) else {
            return Taken::Nothing(None);
        };
        drop(held);
        let died = spare.died();
        let fits = spare.fits(wanted);
        let is_fresh = fits && spare.is_fresh();
        let mut held = self.held();
        let standing = held.standing(hook);
        match died {
            Some(process::End::Exited(code)) => {
                standing.given_up = true;
                Taken::Nothing(Some(ended_early(code)))
            }
            // Killed by somebody, or by its own age: the next one may live.
            Some(_) => Taken::Nothing(None),
            None if is_fresh => {
                standing.unfit = 0;
                Taken::Spare(spare.into_running())
            }
            // Its script was written anew, or it has waited too long.
            None if fits => Taken::Nothing(None),
            None => {
                standing.unfit += 1;
                standing.given_up |= standing.unfit >= MAX_UNFIT;
                Taken::Nothing(standing.given_up.then(never_fits))
            }
        }
    }

    /// Those of a session.
    pub(super) fn of(session: &Session) -> Arc<Self> {
        session.resident()
    }

    /// The right to start a spare, where the hook has none and may have one.
    pub(super) fn claim(self: &Arc<Self>, hook: &Arc<Hook>) -> Option<Claim> {
        let mut held = self.held();
        let has_one = held.spares.iter().any(|spare| *spare.id() == hook.id);
        if held.ended || has_one || held.standing(hook).given_up {
            return None;
        }
        let id = hook.id.clone();
        held.claimed.insert(id.clone()).then(|| Claim { spares: Arc::clone(self), id })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resident for Spares {
    /// A spare holds its hook weakly: one that is gone from the configuration is gone.
    fn prune(&self, _: &[Arc<Ruleset>]) {
        let mut held = self.held();
        let stale: Vec<_> = held.spares.extract_if(.., |spare| spare.is_stale()).collect();
        drop(held);
        drop(stale);
    }

    /// Starts no more, either.
    fn end(&self) {
        let mut held = self.held();
        held.ended = true;
        let spares = std::mem::take(&mut held.spares);
        drop(held);
        drop(spares);
    }

    fn waiting(&self) -> usize {
        self.held().spares.len()
    }
}

impl Held {
    /// How the spares of this very entry have fared: one that was configured anew begins anew.
    fn standing(&mut self, hook: &Arc<Hook>) -> &mut Standing {
        let fresh = || Standing { hook: Arc::downgrade(hook), unfit: 0, given_up: false };
        let standing = self.standing.entry(hook.id.clone()).or_insert_with(fresh);
        if !Weak::ptr_eq(&standing.hook, &Arc::downgrade(hook)) {
            *standing = fresh();
        }
        standing
    }
}

impl Claim {
    /// Gives the session its spare. Where there are too many, the one that has waited longest goes.
    pub(super) fn fill(self, spare: Spare) {
        let mut held = self.spares.held();
        let mut gone = None;
        if held.ended {
            gone = Some(spare);
        } else {
            if held.spares.len() >= MAX_SPARES {
                gone = Some(held.spares.remove(0));
            }
            held.spares.push(spare);
        }
        drop(held);
        drop(gone);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.spares.held().claimed.remove(&self.id);
    }
}

fn ended_early(code: i32) -> Failure {
    let message = format!(
        "its next process ended with exit code {code} before an event came, so none is started early any more in this \
         session: it does not wait for its input, and must not be prewarmed; take `prewarm` out"
    );
    Failure::new(Code::PrewarmEnded, message)
}

fn never_fits() -> Failure {
    let message = format!(
        "{MAX_UNFIT} processes in a row that were started early did not fit their event, because their environment \
         or directory differs; none is started early any more in this session; take `prewarm` out"
    );
    Failure::new(Code::PrewarmUnfit, message)
}
