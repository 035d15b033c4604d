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

/// Takes a prompt through its hooks. The text that comes out is the only one that anybody uses.
pub(crate) async fn judge(hooks: &Hooks, text: String) -> Taken {
    let verdict = hooks.prompt_submitted(&text).await;
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

/// Announces a final text. A stop at this point removes nothing: the text is in.
async fn announce(hooks: &Hooks, text: &str, stop: &CancellationToken) {
    let _ = stop.run_until_cancelled(hooks.prompt_committed(text)).await;
}

/// The error for a text whose hooks were interrupted: they have not agreed.
fn given_back(Submission { id, text }: Submission) -> Update {
    Update::Refused { id: Some(id), text, reason: "interrupted".to_owned() }
}

/// Judges a text that is to steer a turn under way, and adds it: a refused one is dropped with a warning, and the turn goes
/// on. A hook that is notified of it can rely on that it is there.
pub(crate) async fn steer(
    hooks: &Hooks,
    updates: &Updates,
    steering: &Steering,
    submission: Submission,
    stop: &CancellationToken,
) {
    match stop.run_until_cancelled(judge(hooks, submission.text.clone())).await {
        Some(Taken::In { text, context }) => {
            announce(hooks, &text, stop).await;
            steering.add(Message::user(text.clone(), context));
            updates.send(Update::Prompt { id: submission.id, text });
        }
        Some(Taken::Refused(PromptRefused { reason, event })) => {
            updates.warn(&event, format!("the text was not sent: {reason}"));
            let Submission { id, text } = submission;
            updates.send(Update::Refused { id: Some(id), text, reason });
        }
        None => updates.send(given_back(submission)),
    }
}

impl Agent {
    /// Takes a prompt in; what the model is asked, or nothing where it was refused, or stopped while hooks judged it.
    pub(crate) async fn take_in(
        &mut self,
        submission: Submission,
        stop: &CancellationToken,
    ) -> Option<String> {
        let (id, typed) = (submission.id, submission.text.clone());
        let accepted = match stop.run_until_cancelled(self.accept(typed.clone())).await {
            Some(Ok(accepted)) => accepted,
            Some(Err(PromptRefused { reason, .. })) => {
                self.updates.send(Update::Refused { id: Some(id), text: typed, reason });
                return None;
            }
            None => {
                self.updates.send(given_back(submission));
                return None;
            }
        };
        let (last, Expanded { prompt, context }) = accepted;
        announce(&self.hooks, &last, stop).await;
        self.updates.send(Update::Prompt { id, text: last });
        self.keep(Message::user(prompt.clone(), context));
        self.typed = Some((prompt.clone(), typed));
        Some(prompt)
    }

    /// Has a prompt judged, and then what it refers to put in place: its final text, and what the model is asked.
    async fn accept(&self, text: String) -> Result<(String, Expanded), PromptRefused> {
        match judge(&self.hooks, text).await {
            Taken::Refused(refused) => Err(refused),
            Taken::In { text, mut context } => {
                let expanded = self.expand(text.clone()).await?;
                context.extend(expanded.context);
                Ok((text, Expanded { context, ..expanded }))
            }
        }
    }
}
