//! What a host does with a session's background steps: it hears of their end, waits for them or cuts them. Runs none itself.

use std::future::Future;

use super::background::{Finished, Running, merge_finished};
use super::{Session, Strike};
use tenterhook_core::outcome::Outcome;

impl Session {
    /// Tells the session that its subject is over and that it continues with something else, as
    /// when a conversation is cleared. Background steps that started before end in their own time,
    /// and their results are marked as stale (N-13).
    pub fn begin_anew(&self) {
        self.inner.background.mark_running_steps_stale();
    }

    /// Returns how many background steps are running or waiting to run; at most `MAX_BACKGROUND`.
    #[must_use]
    pub fn background(&self) -> usize {
        self.inner.background.count_running()
    }

    /// The background steps that have not ended, in the order in which they were started.
    #[must_use]
    pub fn running(&self) -> Vec<Running> {
        self.inner.background.running_steps()
    }

    /// Takes the results of ended background steps; a second call does not return them again. Does
    /// not wait.
    #[must_use]
    pub fn take_finished(&self) -> Vec<Finished> {
        self.inner.background.take_finished()
    }

    /// Waits until no background step is running. The results can still be taken afterwards. Cancel
    /// safe.
    pub async fn settled(&self) {
        self.inner.background.wait_until_none_runs().await;
    }

    /// Aborts every background step that is running, and returns the results that no caller took.
    /// An aborted step leaves the fault `cancelled`, which says whether the step had begun (N-14).
    pub async fn cut(&self) -> Vec<Finished> {
        self.inner.background.abort_and_take_finished().await
    }

    /// Waits for the next background step to end and returns its result. Pends while no step ends;
    /// cancel safe.
    pub async fn next_finished(&self) -> Option<Finished> {
        self.inner.background.next_finished().await
    }

    /// Waits until every background step has ended and returns the results that no caller took.
    /// Cancel safe: dropping the future ends no step.
    pub async fn drain(&self) -> Vec<Finished> {
        self.inner.background.wait_and_take_finished().await
    }

    /// Waits as [`drain`](Self::drain) does, and adds the results to the outcome of the event that
    /// started the steps. The results come too late to decide: they do not change whether the event
    /// is blocked.
    pub async fn drain_into(&self, outcome: &mut Outcome) {
        merge_finished(outcome, self.drain().await);
    }

    /// Takes over a detached step; returns `false` if there are too many already. What the step
    /// sets is stored, unless the host began anew meanwhile (N-10, N-13). `cut` returns its result
    /// if it is dropped before its end (N-14).
    pub(crate) fn adopt_step(
        &self,
        running: Running,
        step: impl Future<Output = Finished> + Send + 'static,
        cut: impl FnOnce() -> Finished + Send + 'static,
    ) -> bool {
        let (session, age) = (self.unowned_handle(), self.inner.background.times_host_began_anew());
        let kept = async move {
            let finished = step.await;
            if session.inner.background.times_host_began_anew() == age {
                session.store_outcome_changes(&finished.event, Strike::Keep, &finished.outcome);
            }
            finished
        };
        self.inner.background.adopt_step(running, kept, cut)
    }
}
