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
    /// Does `work` beside the agent.
    pub(super) fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        // A program that is being torn down has no runtime for it.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut all = self.all();
        while all.try_join_next().is_some() {}
        all.spawn_on(work, &runtime);
    }

    fn all(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks {
    /// Does `work` beside the agent.
    pub(crate) fn beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.asides.run(work);
    }

    /// Waits for what was fired beside the agent. A caller that gives up waiting ends none of it.
    pub(super) async fn finish_asides(&self) {
        poll_fn(|context| {
            let mut all = self.asides.all();
            while ready!(all.poll_join_next(context)).is_some() {}
            Poll::Ready(())
        })
        .await;
    }

    /// Ends what was fired beside the agent.
    pub(super) async fn cut_asides(&self) {
        self.asides.all().abort_all();
        self.finish_asides().await;
    }
}
