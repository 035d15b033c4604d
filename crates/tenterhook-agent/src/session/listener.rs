//! Input while a turn runs: it steers the turn, waits for the next one, or ends things.

use std::collections::VecDeque;
use std::sync::Arc;

use super::input_state::{InputState, cycle_mode, wake_message_or_store};
use super::steering_gate::SteeringGate;
use super::{Exit, Next};
use crate::agent::{Agent, Steering};
use crate::hooks::{Hooks, Late};
use crate::permission::Permissions;
use crate::submission::Submission;
use crate::update::{Input, Update, Updates};

/// The input of one turn.
pub(super) struct Listener<'s> {
    /// Work for after it.
    queue: &'s mut VecDeque<Next>,
    input_state: &'s mut InputState,
    pub(super) gate: SteeringGate,
    steering: Steering,
    updates: Updates,
    permissions: Arc<Permissions>,
    hooks: Hooks,
    /// Somebody wants to leave.
    pub(super) leaving: Option<Exit>,
    /// The face is gone.
    pub(super) gone: bool,
}

impl<'s> Listener<'s> {
    pub(super) fn start(
        agent: &Agent,
        queue: &'s mut VecDeque<Next>,
        input_state: &'s mut InputState,
    ) -> Self {
        agent.steering.set_queued_prompt_count(queue.len());
        Self {
            queue,
            input_state,
            gate: SteeringGate::start(agent),
            steering: agent.steering.clone(),
            updates: agent.updates.clone(),
            permissions: agent.permissions.clone(),
            hooks: agent.hooks.clone(),
            leaving: None,
            gone: false,
        }
    }

    /// Adds a background result to the session. A message that would wake an idle agent steers the
    /// current turn.
    pub(super) fn add_late_result(&self, late: Late) {
        if let Some(message) = wake_message_or_store(late, &self.steering, &self.updates) {
            self.steering.add_message(message);
        }
    }

    fn report_queue(&self) {
        self.steering.set_queued_prompt_count(self.queue.len());
        self.updates.send(Update::Queued(queued_submissions(self.queue)));
    }

    /// Returns whether no turn follows this one.
    pub(super) fn is_last_turn(&self) -> bool {
        let is_closed = *self.input_state == InputState::Closed && self.queue.is_empty();
        self.leaving.is_some() || (is_closed && self.steering.pending_message_count() == 0)
    }

    /// Reacts to one input. `None` means that the input is closed.
    pub(super) fn on_input(&mut self, input: Option<Input>) {
        match input {
            Some(Input::Interrupt) => {
                // What observes the end of a turn is stopped only for a text that waits for it (AG-44).
                if self.steering.is_turn_open() || !self.queue.is_empty() {
                    self.steering.cancel_turn();
                }
                self.gate.stop_judging();
            }
            // A command steers nothing: it is for the agent, or a separate prompt.
            Some(Input::Prompt(submission))
                if self.steering.is_turn_open()
                    && !submission.text.trim_start().starts_with('/') =>
            {
                self.gate.queue_for_judging(submission);
            }
            Some(Input::Prompt(submission) | Input::Queue(submission)) => {
                self.queue.push_back(Next::Raw(submission));
                self.report_queue();
            }
            Some(Input::TakeBack) => {
                let last = self.queue.iter().rposition(|next| matches!(next, Next::Raw(_)));
                if let Some(Next::Raw(last)) = last.and_then(|at| self.queue.remove(at)) {
                    self.updates.send(Update::TakenBack(last));
                    self.report_queue();
                }
            }
            Some(Input::NextMode) => cycle_mode(&self.permissions, &self.hooks),
            Some(Input::Typing) => {}
            Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                // The first word says why; a later one may say that no hook is waited for.
                let leave = Exit::from_input(&input);
                let is_hurried = leave.is_some_and(|leave| leave.is_hurried);
                if self.leaving.is_none() || is_hurried {
                    self.leaving = leave;
                    // Hooks that observe the end of a turn are waited for like those in the background.
                    match self.steering.is_turn_open() {
                        true => self.steering.cancel_turn(),
                        false => self.hooks.report_awaited_hooks(),
                    }
                }
            }
            Some(Input::Close) => *self.input_state = InputState::Closed,
            None => (*self.input_state, self.gone) = (InputState::Closed, true),
        }
    }
}

/// Returns the submissions that wait.
pub(super) fn queued_submissions(queue: &VecDeque<Next>) -> Vec<Submission> {
    let submission = |next: &Next| match next {
        Next::Raw(submission) => Some(submission.clone()),
        Next::Judged(_) => None,
    };
    queue.iter().filter_map(submission).collect()
}
