//! Passes texts that steer the turn under way through their hooks, one after the other, in the background.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::prompt;
use crate::submission::Submission;

/// The way of steering texts, for one turn.
pub(super) struct SteeringGate {
    texts: mpsc::UnboundedSender<(Submission, CancellationToken)>,
    /// How many texts are not judged yet.
    left: Arc<watch::Sender<usize>>,
    /// Ends the hooks of the texts that came before it was pulled.
    stop: CancellationToken,
    worker: JoinHandle<()>,
}

impl SteeringGate {
    pub(super) fn start(agent: &Agent) -> Self {
        let (texts, mut receiver) = mpsc::unbounded_channel::<(Submission, CancellationToken)>();
        let left = Arc::new(watch::Sender::new(0_usize));
        let judged = Arc::clone(&left);
        let (hooks, updates) = (agent.hooks.clone(), agent.updates.clone());
        let steering = agent.steering.clone();
        let worker = tokio::spawn(async move {
            while let Some((submission, stop)) = receiver.recv().await {
                prompt::judge_and_add_steering_text(&hooks, &updates, &steering, submission, &stop)
                    .await;
                judged.send_modify(|left| *left = left.saturating_sub(1));
            }
        });
        Self { texts, left, stop: CancellationToken::new(), worker }
    }

    pub(super) fn queue_for_judging(&self, submission: Submission) {
        self.left.send_modify(|left| *left += 1);
        // The worker ends only when this end of the channel is dropped.
        let _ = self.texts.send((submission, self.stop.clone()));
    }

    /// Waits until hooks have judged every queued text.
    pub(super) fn wait_until_judged(&self) -> impl Future<Output = ()> + use<> {
        let mut left = self.left.subscribe();
        async move {
            // The session is gone: that is its end, too.
            let _ = left.wait_for(|left| *left == 0).await;
        }
    }

    /// Stops the judging, and returns the texts that are not judged yet to the user.
    pub(super) fn stop_judging(&mut self) {
        std::mem::take(&mut self.stop).cancel();
    }
}

impl Drop for SteeringGate {
    fn drop(&mut self) {
        self.worker.abort();
    }
}
