//! The hook points of a turn: its start, each call of the model, its end.

use serde_json::json;

use super::{Hooks, Said};
use crate::model::{ErrorKind, Usage};

impl Hooks {
    /// A turn begins.
    pub(crate) async fn turn_started(&self, prompt: &str, turn: u64) -> Said {
        self.fire(self.event("TurnStart").with("prompt", prompt).with("turn", turn)).await
    }

    /// The model is about to be called.
    pub(crate) async fn before_model(&self, prompt: &str, model: &str) -> Said {
        self.fire(self.event("PreModelCall").with("prompt", prompt).with("model", model)).await
    }

    /// The model answered.
    pub(crate) async fn after_model(&self, text: &str, usage: Usage) {
        let usage = json!({"input_tokens": usage.input, "output_tokens": usage.output});
        self.fire(self.event("PostModelCall").with("text", text).with("usage", usage)).await;
    }

    /// The agent is about to end its turn; `again` when a hook kept it at work before.
    pub(crate) async fn about_to_stop(&self, last: &str, again: bool) -> Said {
        let name = if self.agent.is_empty() { "Stop" } else { "SubagentStop" };
        let event =
            self.event(name).with("stop_hook_active", again).with("last_assistant_message", last);
        self.fire(event).await
    }

    /// The turn ended because the model could not be reached.
    pub(crate) async fn stop_failed(&self, kind: ErrorKind, message: &str, last: &str) {
        let event = self
            .event("StopFailure")
            .with("error", kind.word())
            .with("error_details", message)
            .with("last_assistant_message", last);
        self.fire(event).await;
    }

    /// A turn is over and all state tells so: `status` says how.
    pub(crate) async fn turn_completed(&self, turn: u64, status: &str, error: Option<&str>) {
        let mut event = self.event("TurnComplete").with("turn", turn).with("status", status);
        if let Some(error) = error {
            event = event.with("error", error);
        }
        self.fire(event).await;
    }

    /// The host met an error.
    pub(crate) async fn host_error(&self, message: &str) {
        self.fire(self.event("HostError").with("error", message)).await;
    }
}
