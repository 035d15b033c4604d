//! Firings that the agent goes on beside, and that its end is not to cut: they are waited for once, at the end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Hooks;

/// What goes on beside the agent. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides(Arc<Mutex<JoinSet<()>>>);

impl Asides {
    /// Does `work` beside the agent.
    pub(super) fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        // A program that is being torn down has nobody who could do it.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while all.try_join_next().is_some() {}
        all.spawn_on(work, &runtime);
    }
}

impl Hooks {
    /// Does `work` beside the agent.
    pub(crate) fn beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.asides.run(work);
    }

    /// Waits for what was fired beside the agent, and ends what takes longer than this.
    pub(crate) async fn aside(&self, budget: Duration) {
        let mut all =
            std::mem::take(&mut *self.asides.0.lock().unwrap_or_else(PoisonError::into_inner));
        // What is left when the time is over is dropped with the set.
        let _ = timeout(budget, async { while all.join_next().await.is_some() {} }).await;
    }
}
