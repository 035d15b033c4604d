//! What a host does with a session's background steps: it hears of their end, waits for them or cuts them. Runs none itself.

use std::future::Future;

use super::background::{Finished, Running, join};
use super::{Session, Strike};
use tenterhook_core::outcome::Outcome;

impl Session {
    /// Says that what the session was about is over and that it goes on with something else, as when a conversation is
    /// cleared. Background steps that started before end in their own time and are pushed as stale (N-13).
    pub fn begin_anew(&self) {
        self.inner.background.begin_anew();
    }

    /// How many background steps are under way, waiting ones included; at most `MAX_BACKGROUND`.
    #[must_use]
    pub fn background(&self) -> usize {
        self.inner.background.under_way()
    }

    /// The background steps that have not ended, in the order in which they were started.
    #[must_use]
    pub fn running(&self) -> Vec<Running> {
        self.inner.background.running()
    }

    /// Takes the results of ended background steps; a second call does not return them again. Waits
    /// for none.
    #[must_use]
    pub fn take_finished(&self) -> Vec<Finished> {
        self.inner.background.take_finished()
    }

    /// Waits until no background step is under way. What they left stays to be taken. Cancel safe.
    pub async fn settled(&self) {
        self.inner.background.settled().await;
    }

    /// Ends every background step that is under way, and returns the results that no caller took. A step that is cut
    /// leaves the fault `cancelled`, which says whether it had begun (N-14).
    pub async fn cut(&self) -> Vec<Finished> {
        self.inner.background.cut().await
    }

    /// The next background step that ends. Pends while none does; cancel safe.
    pub async fn next_finished(&self) -> Option<Finished> {
        self.inner.background.next().await
    }

    /// Waits until every background step has ended and returns the results that no caller took. Cancel safe: giving up
    /// the wait ends no step.
    pub async fn drain(&self) -> Vec<Finished> {
        self.inner.background.drain().await
    }

    /// The same, and adds what they left to the outcome of the event that started them. They come too late to decide:
    /// whether it is blocked does not change.
    pub async fn drain_into(&self, outcome: &mut Outcome) {
        join(outcome, self.drain().await);
    }

    /// Takes over a detached step; `false` when there are too many already. What it sets is kept, unless the host began
    /// anew meanwhile (N-10, N-13). `cut` says what it leaves when it is dropped before its end (N-14).
    pub(crate) fn adopt(
        &self,
        running: Running,
        step: impl Future<Output = Finished> + Send + 'static,
        cut: impl FnOnce() -> Finished + Send + 'static,
    ) -> bool {
        let (session, age) = (self.within(), self.inner.background.age());
        let kept = async move {
            let finished = step.await;
            if session.inner.background.age() == age {
                session.keep(&finished.event, Strike::Keep, &finished.outcome);
            }
            finished
        };
        self.inner.background.adopt(running, kept, cut)
    }
}
