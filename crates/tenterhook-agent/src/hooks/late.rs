//! What hooks say that nobody waited for: those in the background, and what is shown while any runs.

use tenterhook::session::StatusWatch;

use super::Hooks;
use crate::conversation::Message;
use crate::session::from_hook;
use crate::update::Update;

/// What a hook in the background says when it ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Late {
    /// It objects, and that wakes an idle agent.
    Wakes(Message),
    /// It has something for the model, when it next listens.
    Tells(Message),
    /// The same, of what a hook has nothing follow, and a line for the person once it is taken in.
    Rests(Message, String),
    /// It has nothing to say.
    Silent,
}

impl Hooks {
    /// The next hook in the background that ends. Pends while none does; cancel safe.
    pub(crate) async fn late(&self) -> Late {
        let Some(finished) = self.session.next_finished().await else {
            return std::future::pending().await;
        };
        let event = finished.event.to_string();
        for fault in &finished.outcome.faults {
            self.updates.warn(&event, fault.message.clone());
        }
        if finished.stale {
            return Late::Silent;
        }
        for message in &finished.outcome.effects.messages {
            self.updates.tell(Update::Notice(message.clone()));
        }
        let context = finished.outcome.labelled_context();
        if finished.wakes {
            let reason = finished.outcome.reason().unwrap_or_default();
            let who = finished.outcome.reasons.first().map(|it| format!(" `{}`", it.hook));
            let who = who.unwrap_or_default();
            self.updates.tell(Update::Notice(format!("hook{who} wakes the agent: {reason}")));
            return Late::Wakes(from_hook(reason, context));
        }
        if context.is_empty() {
            Late::Silent
        } else {
            Late::Tells(from_hook(String::new(), context))
        }
    }

    /// The conversation is another one: what hooks in the background have to say of the one before is for nobody.
    pub(crate) fn begin_anew(&self) {
        self.session.begin_anew();
    }

    /// What to show while hooks run.
    pub(crate) fn status(&self) -> StatusWatch {
        self.session.status()
    }
}
