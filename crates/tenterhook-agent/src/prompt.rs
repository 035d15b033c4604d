//! The way of a prompt: hooks first, then everything that uses its text. Nothing here starts a turn.

use crate::agent::{Agent, Steering};
use crate::conversation::Message;
use crate::hooks::Hooks;
use crate::update::{Update, Updates};

/// What became of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Taken {
    /// Its final text, with what hooks add for the model.
    In { text: String, context: Vec<String> },
    /// It was refused: nothing of it is kept.
    Refused { reason: String },
}

/// Takes a prompt through its hooks. The text that comes out is the only one that anybody uses.
pub(crate) async fn judge(hooks: &Hooks, text: String) -> Taken {
    let said = hooks.prompt_submitted(&text).await;
    if let Some(reason) = said.blocked.or(said.stop) {
        return Taken::Refused { reason };
    }
    Taken::In { text: said.prompt.unwrap_or(text), context: said.context }
}

/// Judges a text that is to steer a turn under way, and adds it: a refused one is dropped with a warning, and the turn goes
/// on. Who is told of it can rely on that it is there.
pub(crate) async fn steer(hooks: &Hooks, updates: &Updates, steering: &Steering, text: String) {
    match judge(hooks, text.clone()).await {
        Taken::In { text, context } => {
            hooks.prompt_committed(&text).await;
            steering.add(Message::user(text.clone(), context));
            updates.tell(Update::Prompt { text });
        }
        Taken::Refused { reason } => {
            updates.warn("UserPromptSubmit", format!("the text was not sent: {reason}"));
            updates.tell(Update::Refused { text, reason });
        }
    }
}

impl Agent {
    /// Takes a prompt in; what the model is asked, or nothing where it was refused.
    pub(crate) async fn take_in(&mut self, text: String) -> Option<String> {
        match judge(&self.hooks, text.clone()).await {
            Taken::Refused { reason } => {
                self.updates.tell(Update::Refused { text, reason });
                None
            }
            Taken::In { text: last, mut context } => {
                let expanded = match self.expand(last.clone()).await {
                    Ok(expanded) => expanded,
                    Err(reason) => {
                        self.updates.tell(Update::Refused { text, reason });
                        return None;
                    }
                };
                self.hooks.prompt_committed(&last).await;
                self.updates.tell(Update::Prompt { text: last });
                context.extend(expanded.context);
                self.keep(Message::user(expanded.prompt.clone(), context));
                Some(expanded.prompt)
            }
        }
    }
}
