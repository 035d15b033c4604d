//! Shell commands that go on while the agent does something else. Each tells its end once; none outlives the session.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::hooks::Late;

/// How many may run at once.
const MOST: usize = 16;

/// The background tasks of one session. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Tasks {
    running: Arc<Mutex<JoinSet<()>>>,
    sender: mpsc::UnboundedSender<Late>,
    ended: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<Late>>>,
}

impl Default for Tasks {
    fn default() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { running: Arc::default(), sender, ended: Arc::new(tokio::sync::Mutex::new(receiver)) }
    }
}

impl Tasks {
    /// Runs `work` in the background and sends its result to the agent. Returns `false` if too many
    /// tasks run already.
    pub(crate) fn spawn_task(&self, work: impl Future<Output = Late> + Send + 'static) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        if running.len() >= MOST {
            return false;
        }
        let sender = self.sender.clone();
        running.spawn(async move {
            let end = work.await;
            // A session that has ended wants to know nothing.
            let _ = sender.send(end);
        });
        true
    }

    /// Waits for the next task that ends. Pends while none does; cancel safe.
    pub(crate) async fn next_finished(&self) -> Late {
        match self.ended.lock().await.recv().await {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }
}
