//! What is heard while a turn runs, and what becomes of it: it steers the turn, waits for the next one, or ends things.

use std::collections::VecDeque;

use super::steering_gate::SteeringGate;
use super::{Heard, Leave, Next};
use crate::agent::Steering;
use crate::update::{Input, Update, Updates};

/// Who listens during one turn.
pub(super) struct Listener<'s> {
    /// What is to be done after it.
    pub(super) queue: &'s mut VecDeque<Next>,
    pub(super) heard: &'s mut Heard,
    pub(super) gate: SteeringGate,
    pub(super) steering: Steering,
    pub(super) updates: Updates,
    /// Somebody wants to leave.
    pub(super) leaving: Option<Leave>,
    /// Nobody is left who could say anything.
    pub(super) gone: bool,
}

impl Listener<'_> {
    /// Does what was said. `None`: nobody says anything any more.
    pub(super) fn hear(&mut self, input: Option<Input>) {
        match input {
            Some(Input::Interrupt) => {
                self.steering.stop();
                self.gate.stop();
            }
            // A command steers nothing: it is for the agent, or a prompt of its own.
            Some(Input::Prompt(text))
                if self.steering.is_open() && !text.trim_start().starts_with('/') =>
            {
                self.gate.steer(text);
            }
            Some(Input::Prompt(text) | Input::Queue(text)) => {
                self.queue.push_back(Next::Raw(text));
                self.steering.queue(self.queue.len());
                self.updates.tell(Update::Queued(self.queue.len()));
            }
            Some(Input::Typing) => {}
            Some(Input::Quit(reason)) if self.leaving.is_none() => {
                self.leaving = Some(Leave(reason));
                self.steering.stop();
            }
            Some(Input::Quit(_)) => {}
            Some(Input::Close) => *self.heard = Heard::Closed,
            None => (*self.heard, self.gone) = (Heard::Closed, true),
        }
    }
}
