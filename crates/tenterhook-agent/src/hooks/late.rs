//! The answers of hooks that were not awaited: those in the background, and a status while any runs.

use std::sync::PoisonError;

use tenterhook::session::{Finished, StatusWatch};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::outcome::Step;

use super::Hooks;
use crate::agent::Steering;
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
        match self.session.next_finished().await {
            Some(finished) => self.take(finished),
            None => std::future::pending().await,
        }
    }

    /// What hooks in the background have to say that ended already. Waits for none.
    pub(crate) fn take_finished(&self) -> Vec<Late> {
        self.session.take_finished().into_iter().map(|finished| self.take(finished)).collect()
    }

    /// Whether a hook in the background may still wake the agent.
    pub(crate) fn may_be_woken(&self) -> bool {
        self.session.running().iter().any(|step| step.may_wake)
    }

    /// Reports what a hook in the background left, and delivers what it has for a subagent that works.
    fn take(&self, finished: Finished) -> Late {
        self.report(&finished, "");
        if finished.stale {
            return Late::Silent;
        }
        let context = finished.outcome.labelled_context();
        let mailbox = self.mailboxes.find(finished.agent.as_deref());
        if finished.wakes {
            let reason = finished.outcome.reason().unwrap_or_default();
            let hooks = finished.outcome.steps.iter().map(|step| step.hook.to_string()).collect();
            let (did, why) = ("wakes the agent".to_owned(), reason.clone());
            let steps = &finished.outcome.steps;
            let label = self.label_of(&finished.event, steps.iter().map(|step| &step.hook));
            let event = label.into();
            self.updates.send(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
            let message = from_hook(reason, context);
            return deliver(mailbox, message, Late::Wakes);
        }
        if context.is_empty() {
            return Late::Silent;
        }
        self.tell_context(&finished, "tells the model");
        deliver(mailbox, from_hook(String::new(), context), Late::Tells)
    }

    /// A line for each hook that has something for the model.
    pub(super) fn tell_context(&self, finished: &Finished, did: &str) {
        for step in finished.outcome.steps.iter().filter(|step| !step.context.is_empty()) {
            let event = self.label_of(&finished.event, [&step.hook]).into();
            let (did, why) = (did.to_owned(), step.context.join("\n"));
            let hooks = vec![step.hook.to_string()];
            self.updates.send(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
        }
    }

    /// What a person may see of a hook that ended in the background: what went wrong, and what it says to them. `cut` is why hooks
    /// that had not ended were cut, where that happened.
    pub(super) fn report(&self, finished: &Finished, cut: &str) {
        let Finished { outcome, event, .. } = finished;
        self.past.lock().unwrap_or_else(PoisonError::into_inner).ran(outcome);
        for fault in &outcome.faults {
            let hook = fault.hook.as_ref().map(|id| format!("hook `{id}`: ")).unwrap_or_default();
            let name = match &fault.hook {
                Some(id) => self.label_of(event, [id]),
                None => self.label_of(event, outcome.steps.iter().map(|step| &step.hook)),
            };
            let name = name.own();
            let why = match fault.code {
                Code::Cancelled if !cut.is_empty() => format!("; {cut}"),
                _ => String::new(),
            };
            self.updates.warn(&name, format!("{hook}{}{why}", fault.message));
        }
        if !finished.stale {
            outcome.steps.iter().flat_map(notices).for_each(|(_, line)| {
                self.updates.send(Update::Notice(line));
            });
        }
    }

    /// A new conversation began: answers of background hooks to the previous one are dropped.
    pub(crate) fn begin_anew(&self) {
        self.session.begin_anew();
    }

    /// What to show while hooks run.
    pub(crate) fn status(&self) -> StatusWatch {
        self.session.status()
    }
}

/// The messages of a hook for the user, each with the line that shows it.
pub(super) fn notices(step: &Step) -> impl Iterator<Item = (&String, String)> {
    step.messages.iter().map(|text| (text, format!("hook `{}`: {text}", step.hook)))
}

/// Puts a message into the mailbox of its subagent; without one it is for the main agent.
fn deliver(mailbox: Option<Steering>, message: Message, late: fn(Message) -> Late) -> Late {
    match mailbox {
        Some(mailbox) => {
            mailbox.add_later(message);
            Late::Silent
        }
        None => late(message),
    }
}
