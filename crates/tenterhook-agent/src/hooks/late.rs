//! What hooks say that nobody waited for: those in the background, and what is shown while any runs.

use tenterhook::session::StatusWatch;
use tenterhook::text;

use super::Hooks;
use crate::conversation::Message;
use crate::session::from_hook;

/// What a hook in the background says when it ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Late {
    /// It objects, and that wakes an idle agent.
    Wakes(Message),
    /// It has something for the model, when it next listens.
    Tells(Message),
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
        for fault in &finished.verdict.faults {
            self.updates.warn(&event, fault.message.clone());
        }
        if finished.stale {
            return Late::Silent;
        }
        let hook = finished.step.hook.as_str();
        let context = finished
            .verdict
            .effects
            .context
            .iter()
            .map(|it| text::label(hook, it))
            .collect::<Vec<_>>();
        let reason = finished.verdict.reason.map(|it| it.text);
        if finished.wakes {
            return Late::Wakes(from_hook(reason.unwrap_or_default(), context));
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
