//! The answers of hooks that were not awaited: those in the background, and a status while any runs.

use std::sync::PoisonError;

use tenterhook::session::{Finished, StatusWatch};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::outcome::Step;

use super::Hooks;
use crate::agent::Steering;
use crate::conversation::Message;
use crate::session::hook_message;
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
    /// Waits for the next background hook that ends, and returns its result. Pends while none does;
    /// cancel safe.
    pub(crate) async fn next_late_result(&self) -> Late {
        match self.session.next_finished().await {
            Some(finished) => self.deliver_finished(finished),
            None => std::future::pending().await,
        }
    }

    /// Returns the results of the background hooks that have ended. Does not wait.
    pub(crate) fn take_finished(&self) -> Vec<Late> {
        self.session
            .take_finished()
            .into_iter()
            .map(|finished| self.deliver_finished(finished))
            .collect()
    }

    /// Returns whether a background hook may still wake the agent.
    pub(crate) fn may_hook_wake_agent(&self) -> bool {
        self.session.running().iter().any(|step| step.may_wake)
    }

    /// Reports the result of a background hook, and delivers its context to the subagent that it is
    /// for.
    fn deliver_finished(&self, finished: Finished) -> Late {
        self.report_finished(&finished, "");
        if finished.stale {
            return Late::Silent;
        }
        let context = finished.outcome.labelled_context();
        let mailbox = self.mailboxes.find_mailbox(finished.agent.as_deref());
        if finished.wakes {
            let reason = finished.outcome.reason().unwrap_or_default();
            let hooks = finished.outcome.steps.iter().map(|step| step.hook.to_string()).collect();
            let (did, why) = ("wakes the agent".to_owned(), reason.clone());
            let steps = &finished.outcome.steps;
            let label = self.label_for_hooks(&finished.event, steps.iter().map(|step| &step.hook));
            let event = label.into();
            self.updates.send(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
            let message = hook_message(reason, context);
            return deliver_to_mailbox(mailbox, message, Late::Wakes);
        }
        if context.is_empty() {
            return Late::Silent;
        }
        self.report_context_for_model(&finished, "tells the model");
        deliver_to_mailbox(mailbox, hook_message(String::new(), context), Late::Tells)
    }

    /// Reports a line for each hook that has context for the model.
    pub(super) fn report_context_for_model(&self, finished: &Finished, did: &str) {
        for step in finished.outcome.steps.iter().filter(|step| !step.context.is_empty()) {
            let event = self.label_for_hooks(&finished.event, [&step.hook]).into();
            let (did, why) = (did.to_owned(), step.context.join("\n"));
            let hooks = vec![step.hook.to_string()];
            self.updates.send(Update::Did(Deed { event, hooks, did, why, ..Deed::default() }));
        }
    }

    /// Shows the user the faults and the messages of a hook that ended in the background. `cut`
    /// says why hooks that had not ended were cut, if they were.
    pub(super) fn report_finished(&self, finished: &Finished, cut: &str) {
        let Finished { outcome, event, .. } = finished;
        self.past.lock().unwrap_or_else(PoisonError::into_inner).record_steps_that_ran(outcome);
        for fault in &outcome.faults {
            let hook = fault.hook.as_ref().map(|id| format!("hook `{id}`: ")).unwrap_or_default();
            let name = match &fault.hook {
                Some(id) => self.label_for_hooks(event, [id]),
                None => self.label_for_hooks(event, outcome.steps.iter().map(|step| &step.hook)),
            };
            let name = name.own();
            let why = match fault.code {
                Code::Cancelled if !cut.is_empty() => format!("; {cut}"),
                _ => String::new(),
            };
            self.updates.warn(&name, format!("{hook}{}{why}", fault.message));
        }
        if !finished.stale {
            outcome.steps.iter().flat_map(user_messages).for_each(|(_, line)| {
                self.updates.send(Update::Notice(line));
            });
        }
    }

    /// Drops the answers of background hooks to the previous conversation, because a new one
    /// begins.
    pub(crate) fn drop_background_answers(&self) {
        self.session.begin_anew();
    }

    /// Returns a watch of the status line to show while hooks run.
    pub(crate) fn watch_status(&self) -> StatusWatch {
        self.session.status()
    }
}

/// Returns the messages of a hook for the user, each with the line that shows it.
pub(super) fn user_messages(step: &Step) -> impl Iterator<Item = (&String, String)> {
    step.messages.iter().map(|text| (text, format!("hook `{}`: {text}", step.hook)))
}

/// Puts a message into the mailbox of its subagent; without one it goes to the main agent.
fn deliver_to_mailbox(
    mailbox: Option<Steering>,
    message: Message,
    late: fn(Message) -> Late,
) -> Late {
    match mailbox {
        Some(mailbox) => {
            mailbox.add_message_without_model_call(message);
            Late::Silent
        }
        None => late(message),
    }
}
