//! The hook points on the way of a prompt, from the person to the model.

use super::{Hooks, Verdict};

/// The event whose rewrites are shown as what they are: words in place of words.
pub(super) const SHOWN: &str = "MessageDisplay";

impl Hooks {
    /// Fires the event for a prompt that the user sent and that nothing has used yet.
    pub(crate) async fn fire_prompt_submitted(&self, text: &str) -> Verdict {
        self.fire_and_wait_for_hooks(self.new_event("UserPromptSubmit").with("prompt", text)).await
    }

    /// Fires the event before the final text of a prompt goes to the model.
    pub(crate) async fn fire_before_prompt_reaches_model(&self, text: &str) {
        self.fire_and_wait_for_hooks(self.new_event("UserPromptCommitted").with("prompt", text))
            .await;
    }

    /// Fires the event before a typed command becomes a prompt.
    pub(crate) async fn fire_before_prompt_expansion(
        &self,
        command: &str,
        args: &str,
        prompt: &str,
    ) -> Verdict {
        let event = self
            .new_event("UserPromptExpansion")
            .with("expansion_type", "slash_command")
            .with("command_name", command)
            .with("command_args", args)
            .with("prompt", prompt);
        self.fire_and_wait_for_hooks(event).await
    }

    /// Fires the event before a message of the model is shown. Returns the text that hooks replaced
    /// it with, if any, and the hooks.
    pub(crate) async fn fire_before_message_is_shown(
        &self,
        text: &str,
    ) -> Option<(String, Vec<String>)> {
        let verdict = self.fire_and_wait_for_hooks(self.new_event(SHOWN).with("delta", text)).await;
        let hooks = verdict.rewritten.map(|r| r.hooks).unwrap_or_default();
        verdict.output.map(|output| {
            (output.as_str().map_or_else(|| output.to_string(), str::to_owned), hooks)
        })
    }
}
