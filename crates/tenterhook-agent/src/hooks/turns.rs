//! The hook points of a turn: its start, each call of the model, its end.

use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use tenterhook::Event;

use super::{Hooks, Verdict};
use crate::model::{ErrorKind, Usage};
use crate::tally::Counts;

/// A turn that is over, as hooks receive it.
#[derive(Debug)]
pub(crate) struct TurnEnd<'a> {
    /// Which one of the session, from 1.
    pub(crate) turn: u64,
    /// How it ended, in one word.
    pub(crate) status: &'static str,
    /// What went wrong.
    pub(crate) error: Option<&'a str>,
    /// What it used.
    pub(crate) counts: Counts,
    /// How many prompts wait.
    pub(crate) queued: usize,
    /// The model's last words.
    pub(crate) last: &'a str,
}

impl Hooks {
    /// A turn begins.
    pub(crate) async fn turn_started(&self, prompt: &str, turn: u64) -> Verdict {
        self.fire(self.event("TurnStart").with("prompt", prompt).with("turn", turn)).await
    }

    /// The model is about to be called.
    pub(crate) async fn before_model(&self, prompt: &str, model: &str) -> Verdict {
        self.fire(self.event("PreModelCall").with("prompt", prompt).with("model", model)).await
    }

    /// The model answered.
    pub(crate) async fn after_model(&self, text: &str, usage: Usage) {
        let usage = json!({"input_tokens": usage.input, "output_tokens": usage.output});
        self.fire(self.event("PostModelCall").with("text", text).with("usage", usage)).await;
    }

    /// The agent is about to end its turn; `again` when a hook kept it at work before.
    pub(crate) async fn about_to_stop(&self, last: &str, again: bool) -> Verdict {
        let name = if self.agent.is_empty() { "Stop" } else { "SubagentStop" };
        let mut event =
            self.event(name).with("stop_hook_active", again).with("last_assistant_message", last);
        if name == "SubagentStop" {
            event = event.with("status", "completed");
        }
        self.fire(event).await
    }

    /// The turn ended because the model could not be reached.
    pub(crate) async fn stop_failed(&self, kind: ErrorKind, message: &str, last: &str) {
        let event = self
            .event("StopFailure")
            .with("error", kind.name())
            .with("error_details", message)
            .with("last_assistant_message", last);
        self.fire(event).await;
    }

    /// Fires the end of a turn beside the agent, until `stopped`. The returned future waits for its hooks; dropped, it ends none, and
    /// [`Hooks::finish`] waits for them (HO-15).
    pub(crate) fn turn_completed(
        &self,
        end: &TurnEnd<'_>,
        stopped: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let (event, hooks) = (self.turn_complete(end), self.clone());
        let (over, is_over) = oneshot::channel::<()>();
        self.asides.run(async move {
            let _over = over;
            // `None`: it was stopped.
            let _ = stopped.run_until_cancelled(hooks.fire(event)).await;
        });
        async move {
            // The sender is dropped when the hooks are over.
            let _ = is_over.await;
        }
    }

    fn turn_complete(&self, end: &TurnEnd<'_>) -> Event {
        let Counts { turn, conversation, session, tools, asked, .. } = end.counts;
        let took = u64::try_from(end.counts.took().as_millis()).unwrap_or(u64::MAX);
        self.event("TurnComplete")
            .with("turn", end.turn)
            .with("turn_id", format!("turn_{}", end.turn))
            .with("status", end.status)
            .with("error", end.error)
            .with("duration_ms", took)
            .with("usage", json!({"input_tokens": turn.input, "output_tokens": turn.output}))
            .with(
                "totals",
                json!({
                    "session_tokens": session.input + session.output,
                    "conversation_tokens": conversation.input + conversation.output,
                    "input_tokens": session.input,
                    "output_tokens": session.output,
                }),
            )
            .with("tool_count", tools)
            .with("queued_message_count", end.queued)
            .with("model_backed", asked)
            .with("stop_hook_active", false)
            .with("last_assistant_message", end.last)
    }

    /// A subagent broke off: nothing can keep it at work any more.
    pub(crate) async fn subagent_broke_off(&self, status: &str, error: Option<&str>, last: &str) {
        self.fire(self.broken_off(status, error, last)).await;
    }

    /// A subagent was stopped with the turn that gave it its task. The answers of its hooks are not awaited.
    pub(crate) fn subagent_interrupted(&self) {
        let (event, hooks) =
            (self.broken_off("interrupted", Some("interrupted"), ""), self.clone());
        self.asides.run(async move { drop(hooks.fire(event).await) });
    }

    fn broken_off(&self, status: &str, error: Option<&str>, last: &str) -> Event {
        self.event("SubagentStop")
            .with("status", status)
            .with("error", error)
            .with("stop_hook_active", false)
            .with("last_assistant_message", last)
    }

    /// The host met an error.
    pub(crate) async fn host_error(&self, message: &str) {
        self.fire(self.event("HostError").with("error", message)).await;
    }
}
