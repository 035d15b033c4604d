//! Shows the model's words to hooks, one message after the other, and their rewrites to the face. History keeps the original.
//!
//! One worker a session: the first message is shown first, however slow its hooks are. The queue is bounded; where it
//! overflows, a message keeps its own words, and a warning says so.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::hooks::Hooks;
use crate::update::{Update, Updates};

/// How many messages may wait for their hooks.
const WAITING: usize = 16;

/// The way to the worker. Dropped, it lets the worker finish what waits.
#[derive(Debug)]
pub(crate) struct Renderer {
    sender: mpsc::Sender<String>,
    worker: JoinHandle<()>,
    hooks: Hooks,
}

impl Renderer {
    /// Starts the worker that has hooks rewrite shown messages.
    pub(crate) fn start(hooks: Hooks, updates: Updates) -> Self {
        let (sender, mut receiver) = mpsc::channel::<String>(WAITING);
        let own = hooks.clone();
        let worker = tokio::spawn(async move {
            while let Some(text) = receiver.recv().await {
                let said = hooks.fire_before_message_is_shown(&text).await;
                if let Some((rewrite, hooks)) = said.filter(|(name, _)| *name != text) {
                    updates.send(Update::Rewrite { text: rewrite, hooks });
                }
            }
        });
        Self { sender, worker, hooks: own }
    }

    /// Gives a message to the worker. An empty one is skipped.
    pub(crate) fn queue_message(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.sender.try_send(text.to_owned()).is_err() {
            self.hooks.warn_about_event(
                "MessageDisplay",
                "too many messages wait for their hooks: one is shown as it is",
            );
        }
    }

    /// Waits until every queued message was shown.
    pub(crate) async fn finish(self) {
        drop(self.sender);
        // A worker that broke off shows nothing more; the words themselves were shown already.
        let _ = self.worker.await;
    }
}
