//! Takes texts that are to steer the turn under way through their hooks, one after the other, and holds nobody up.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::agent::Agent;
use crate::prompt;

/// The way of steering texts, for one turn.
pub(super) struct Helm {
    texts: mpsc::UnboundedSender<String>,
    worker: JoinHandle<()>,
}

impl Helm {
    pub(super) fn start(agent: &Agent) -> Self {
        let (texts, mut receiver) = mpsc::unbounded_channel();
        let (hooks, updates) = (agent.hooks.clone(), agent.updates.clone());
        let steering = agent.steering.clone();
        let worker = tokio::spawn(async move {
            while let Some(text) = receiver.recv().await {
                prompt::steer(&hooks, &updates, &steering, text).await;
            }
        });
        Self { texts, worker }
    }

    pub(super) fn steer(&self, text: String) {
        // The worker ends only when this end of the channel is dropped.
        let _ = self.texts.send(text);
    }

    /// Waits until every text was judged.
    pub(super) async fn finish(self) {
        drop(self.texts);
        let _ = self.worker.await;
    }

    /// Judges nothing more.
    pub(super) fn drop_all(self) {
        self.worker.abort();
    }
}
