//! The hook points on the way of a prompt, from the person to the model.

use super::{Hooks, Verdict};

/// The event whose rewrites are shown as what they are: words in place of words.
pub(super) const SHOWN: &str = "MessageDisplay";

impl Hooks {
    /// The user sent a prompt: nothing has used it yet.
    pub(crate) async fn prompt_submitted(&self, text: &str) -> Verdict {
        self.fire(self.event("UserPromptSubmit").with("prompt", text)).await
    }

    /// The final text of a prompt is about to go to the model.
    pub(crate) async fn prompt_committed(&self, text: &str) {
        self.fire(self.event("UserPromptCommitted").with("prompt", text)).await;
    }

    /// A typed command is about to become a prompt.
    pub(crate) async fn prompt_expanded(&self, command: &str, args: &str, prompt: &str) -> Verdict {
        let event = self
            .event("UserPromptExpansion")
            .with("expansion_type", "slash_command")
            .with("command_name", command)
            .with("command_args", args)
            .with("prompt", prompt);
        self.fire(event).await
    }

    /// A message of the model is about to be shown: what is shown instead, if hooks say so, and which.
    pub(crate) async fn message_shown(&self, text: &str) -> Option<(String, Vec<String>)> {
        let verdict = self.fire(self.event(SHOWN).with("delta", text)).await;
        let hooks = verdict.rewritten.map(|r| r.hooks).unwrap_or_default();
        verdict.output.map(|output| {
            (output.as_str().map_or_else(|| output.to_string(), str::to_owned), hooks)
        })
    }
}
