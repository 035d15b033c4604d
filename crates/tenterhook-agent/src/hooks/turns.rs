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
    /// Fires the event at the start of a turn.
    pub(crate) async fn fire_turn_started(&self, prompt: &str, turn: u64) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.new_event("TurnStart").with("prompt", prompt).with("turn", turn),
        )
        .await
    }

    /// Fires the event before the model is called.
    pub(crate) async fn fire_before_model(&self, prompt: &str, model: &str) -> Verdict {
        self.fire_and_wait_for_hooks(
            self.new_event("PreModelCall").with("prompt", prompt).with("model", model),
        )
        .await
    }

    /// Fires the event after the model answered.
    pub(crate) async fn fire_after_model(&self, text: &str, usage: Usage) {
        let usage = json!({"input_tokens": usage.input, "output_tokens": usage.output});
        self.fire_and_wait_for_hooks(
            self.new_event("PostModelCall").with("text", text).with("usage", usage),
        )
        .await;
    }

    /// Fires the event before the agent ends its turn. `again` says whether a hook kept it at work
    /// before.
    pub(crate) async fn fire_before_turn_end(&self, last: &str, again: bool) -> Verdict {
        let name = if self.agent.is_empty() { "Stop" } else { "SubagentStop" };
        let mut event = self
            .new_event(name)
            .with("stop_hook_active", again)
            .with("last_assistant_message", last);
        if name == "SubagentStop" {
            event = event.with("status", "completed");
        }
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event for a turn that ended because the model could not be reached.
    pub(crate) async fn fire_stop_failed(&self, kind: ErrorKind, message: &str, last: &str) {
        let event = self
            .new_event("StopFailure")
            .with("error", kind.name())
            .with("error_details", message)
            .with("last_assistant_message", last);
        self.fire_and_wait_for_hooks(event).await;
    }

    /// Fires the end of a turn in the background, until `stopped`. The returned future waits for
    /// its hooks. If it is dropped, they continue, and [`Hooks::wait_for_running_hooks`] waits for
    /// them (HO-15).
    pub(crate) fn fire_turn_completed(
        &self,
        end: &TurnEnd<'_>,
        stopped: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let (event, hooks) = (self.turn_completed_event(end), self.clone());
        let (over, is_over) = oneshot::channel::<()>();
        self.asides.spawn(async move {
            let _over = over;
            // `None`: it was stopped.
            let _ = stopped.run_until_cancelled(hooks.fire_and_wait_for_hooks(event)).await;
        });
        async move {
            // The sender is dropped when the hooks are over.
            let _ = is_over.await;
        }
    }

    fn turn_completed_event(&self, end: &TurnEnd<'_>) -> Event {
        let Counts { turn, conversation, session, tools, asked, .. } = end.counts;
        let took = u64::try_from(end.counts.turn_duration().as_millis()).unwrap_or(u64::MAX);
        self.new_event("TurnComplete")
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

    /// Fires the event for a subagent that ended early. Hooks cannot keep it at work.
    pub(crate) async fn fire_subagent_aborted(
        &self,
        status: &str,
        error: Option<&str>,
        last: &str,
    ) {
        self.fire_and_wait_for_hooks(self.subagent_aborted_event(status, error, last)).await;
    }

    /// Fires the event for a subagent that was stopped with the turn of its task. Does not wait for
    /// hooks.
    pub(crate) fn fire_subagent_interrupted(&self) {
        let (event, hooks) =
            (self.subagent_aborted_event("interrupted", Some("interrupted"), ""), self.clone());
        self.asides.spawn(async move { drop(hooks.fire_and_wait_for_hooks(event).await) });
    }

    fn subagent_aborted_event(&self, status: &str, error: Option<&str>, last: &str) -> Event {
        self.new_event("SubagentStop")
            .with("status", status)
            .with("error", error)
            .with("stop_hook_active", false)
            .with("last_assistant_message", last)
    }

    /// Fires the event for an error of the host.
    pub(crate) async fn fire_host_error(&self, message: &str) {
        self.fire_and_wait_for_hooks(self.new_event("HostError").with("error", message)).await;
    }
}
