//! The way of a prompt: hooks first, then everything that uses its text. Nothing here starts a turn.

use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Steering};
use crate::conversation::Message;
use crate::expand::Expanded;
use crate::hooks::Hooks;
use crate::submission::Submission;
use crate::update::{Update, Updates};

/// What became of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Taken {
    /// Its final text, with what hooks add for the model.
    In { text: String, context: Vec<String> },
    /// It was refused: nothing of it is stored.
    Refused(PromptRefused),
}

/// A hook refused a prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct PromptRefused {
    pub(crate) reason: String,
    /// The event, by the name that the hook uses.
    pub(crate) event: String,
}

/// Has hooks judge a prompt. Only the text that they return is used.
pub(crate) async fn judge_prompt(hooks: &Hooks, text: String) -> Taken {
    let verdict = hooks.fire_prompt_submitted(&text).await;
    if let Some(reason) = verdict.blocked.or(verdict.stop) {
        return Taken::Refused(PromptRefused { reason, event: verdict.event });
    }
    match verdict.prompt {
        Some(made) if made.trim().is_empty() => {
            let reason = "a hook left nothing of it".to_owned();
            Taken::Refused(PromptRefused { reason, event: verdict.event })
        }
        made => Taken::In { text: made.unwrap_or(text), context: verdict.context },
    }
}

/// Announces a final text to hooks. A stop at this point does not remove the text.
async fn announce_prompt(hooks: &Hooks, text: &str, stop: &CancellationToken) {
    let _ = stop.run_until_cancelled(hooks.fire_before_prompt_reaches_model(text)).await;
}

/// Returns the update for a text whose hooks were interrupted, so that they have not agreed to it.
fn interrupted_update(Submission { id, text }: Submission) -> Update {
    Update::Refused { id: Some(id), text, reason: "interrupted".to_owned() }
}

/// Has hooks judge a text for the current turn, and adds it. A refused text is dropped with a
/// warning, and the turn continues.
pub(crate) async fn judge_and_add_steering_text(
    hooks: &Hooks,
    updates: &Updates,
    steering: &Steering,
    submission: Submission,
    stop: &CancellationToken,
) {
    match stop.run_until_cancelled(judge_prompt(hooks, submission.text.clone())).await {
        Some(Taken::In { text, context }) => {
            announce_prompt(hooks, &text, stop).await;
            steering.add_message(Message::from_user(text.clone(), context));
            updates.send(Update::Prompt { id: submission.id, text });
        }
        Some(Taken::Refused(PromptRefused { reason, event })) => {
            updates.warn(&event, format!("the text was not sent: {reason}"));
            let Submission { id, text } = submission;
            updates.send(Update::Refused { id: Some(id), text, reason });
        }
        None => updates.send(interrupted_update(submission)),
    }
}

impl Agent {
    /// Has hooks judge a prompt and adds it to the conversation. Returns what the model is asked,
    /// or `None` if the prompt was refused, or stopped while hooks judged it.
    pub(crate) async fn accept_prompt(
        &mut self,
        submission: Submission,
        stop: &CancellationToken,
    ) -> Option<String> {
        let (id, typed) = (submission.id, submission.text.clone());
        let accepted = match stop.run_until_cancelled(self.judge_and_expand(typed.clone())).await {
            Some(Ok(accepted)) => accepted,
            Some(Err(PromptRefused { reason, .. })) => {
                self.updates.send(Update::Refused { id: Some(id), text: typed, reason });
                return None;
            }
            None => {
                self.updates.send(interrupted_update(submission));
                return None;
            }
        };
        let (last, Expanded { prompt, context }) = accepted;
        announce_prompt(&self.hooks, &last, stop).await;
        self.updates.send(Update::Prompt { id, text: last });
        self.push_message(Message::from_user(prompt.clone(), context));
        self.typed = Some((prompt.clone(), typed));
        Some(prompt)
    }

    /// Has hooks judge a prompt, and expands what it refers to. Returns the final text and the
    /// expanded prompt for the model.
    async fn judge_and_expand(&self, text: String) -> Result<(String, Expanded), PromptRefused> {
        match judge_prompt(&self.hooks, text).await {
            Taken::Refused(refused) => Err(refused),
            Taken::In { text, mut context } => {
                let expanded = self.expand_prompt(text.clone()).await?;
                context.extend(expanded.context);
                Ok((text, Expanded { context, ..expanded }))
            }
        }
    }
}
