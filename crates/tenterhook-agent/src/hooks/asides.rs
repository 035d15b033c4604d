//! Firings that the agent goes on beside, and that its end is not to cut: they are waited for once, at the end.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};

use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::Hooks;

/// What goes on beside the agent. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides(Arc<Mutex<JoinSet<()>>>);

impl Asides {
    /// Runs `work` in the background.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        // A program that is being torn down has no runtime for it.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut all = self.lock_tasks();
        while all.try_join_next().is_some() {}
        all.spawn_on(work, &runtime);
    }

    fn lock_tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks {
    /// Runs `work` in the background.
    pub(crate) fn spawn_background_work(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.asides.spawn(work);
    }

    /// Waits for the events that were fired in the background. If the caller stops waiting, they
    /// continue.
    pub(super) async fn wait_for_background_events(&self) {
        poll_fn(|context| {
            let mut all = self.asides.lock_tasks();
            while ready!(all.poll_join_next(context)).is_some() {}
            Poll::Ready(())
        })
        .await;
    }

    /// Ends the events that were fired in the background.
    pub(super) async fn abort_background_events(&self) {
        self.asides.lock_tasks().abort_all();
        self.wait_for_background_events().await;
    }
}
