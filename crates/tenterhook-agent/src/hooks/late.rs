//! What hooks say that nobody waited for: those in the background, and what is shown while any runs.

use std::sync::PoisonError;

use tenterhook::session::StatusWatch;

use super::Hooks;
use crate::conversation::Message;
use crate::session::from_hook;
use crate::update::{Deed, Update};

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
        let past = self.past.lock();
        past.unwrap_or_else(PoisonError::into_inner).ran(&finished.outcome.steps);
        for fault in &finished.outcome.faults {
            let hook = fault.hook.as_ref().map(|it| format!("hook `{it}`: ")).unwrap_or_default();
            self.updates.warn(&event, format!("{hook}{}", fault.message));
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
            let hooks = finished.outcome.steps.iter().map(|it| it.hook.to_string()).collect();
            let (did, why) = ("wakes the agent".to_owned(), reason.clone());
            self.updates.tell(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
            return Late::Wakes(from_hook(reason, context));
        }
        if context.is_empty() {
            return Late::Silent;
        }
        for step in finished.outcome.steps.iter().filter(|it| !it.context.is_empty()) {
            let (event, hooks) = (event.clone(), vec![step.hook.to_string()]);
            let (did, why) = ("tells the model".to_owned(), step.context.join("\n"));
            self.updates.tell(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
        }
        Late::Tells(from_hook(String::new(), context))
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
