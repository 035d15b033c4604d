//! Input while a turn runs: it steers the turn, waits for the next one, or ends things.

use std::collections::VecDeque;
use std::sync::Arc;

use super::input_state::{InputState, next_mode, wakes};
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
        agent.steering.queue(queue.len());
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

    /// Takes in what ended in the background: what would wake an idle agent steers the turn.
    pub(super) fn take(&self, late: Late) {
        if let Some(message) = wakes(late, &self.steering, &self.updates) {
            self.steering.add(message);
        }
    }

    fn tell_queue(&self) {
        self.steering.queue(self.queue.len());
        self.updates.send(Update::Queued(submissions(self.queue)));
    }

    /// Whether no turn follows this one.
    pub(super) fn is_last(&self) -> bool {
        let is_closed = *self.input_state == InputState::Closed && self.queue.is_empty();
        self.leaving.is_some() || (is_closed && self.steering.waiting() == 0)
    }

    /// Handles one input. `None`: the input is closed.
    pub(super) fn on_input(&mut self, input: Option<Input>) {
        match input {
            Some(Input::Interrupt) => {
                // What observes the end of a turn is stopped only for a text that waits for it (AG-44).
                if self.steering.is_open() || !self.queue.is_empty() {
                    self.steering.stop();
                }
                self.gate.stop();
            }
            // A command steers nothing: it is for the agent, or a separate prompt.
            Some(Input::Prompt(submission))
                if self.steering.is_open() && !submission.text.trim_start().starts_with('/') =>
            {
                self.gate.steer(submission);
            }
            Some(Input::Prompt(submission) | Input::Queue(submission)) => {
                self.queue.push_back(Next::Raw(submission));
                self.tell_queue();
            }
            Some(Input::TakeBack) => {
                let last = self.queue.iter().rposition(|next| matches!(next, Next::Raw(_)));
                if let Some(Next::Raw(last)) = last.and_then(|at| self.queue.remove(at)) {
                    self.updates.send(Update::TakenBack(last));
                    self.tell_queue();
                }
            }
            Some(Input::NextMode) => next_mode(&self.permissions, &self.hooks),
            Some(Input::Typing) => {}
            Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                // The first word says why; a later one may say that no hook is waited for.
                let leave = Exit::read(&input);
                let is_hurried = leave.is_some_and(|leave| leave.is_hurried);
                if self.leaving.is_none() || is_hurried {
                    self.leaving = leave;
                    // Hooks that observe the end of a turn are waited for like those in the background.
                    match self.steering.is_open() {
                        true => self.steering.stop(),
                        false => self.hooks.name_awaited(),
                    }
                }
            }
            Some(Input::Close) => *self.input_state = InputState::Closed,
            None => (*self.input_state, self.gone) = (InputState::Closed, true),
        }
    }
}

/// The submissions that wait.
pub(super) fn submissions(queue: &VecDeque<Next>) -> Vec<Submission> {
    let submission = |next: &Next| match next {
        Next::Raw(submission) => Some(submission.clone()),
        Next::Judged(_) => None,
    };
    queue.iter().filter_map(submission).collect()
}
