//! How is input taken while no turn runs: idle, or at work on something else? During a turn the listener takes it.

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Exit, Next, Session, wait_for_exit_request};
use crate::agent::{Settings, Steering};
use crate::conversation::Message;
use crate::hooks::{Hooks, Late};
use crate::permission::Permissions;
use crate::tasks::Tasks;
use crate::update::{Input, Update, Updates};

/// Whether somebody may still say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputState {
    /// A turn ended, and the person is silent: hooks may call them, once.
    Waiting,
    /// Nothing is waited for.
    Listening,
    /// The input is closed.
    Closed,
}

impl Session {
    /// Runs work that is not a turn while the user may stop it or leave. Other input waits.
    pub(super) async fn run_while_reading_inputs(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
        work: impl AsyncFnOnce(&mut Self) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        let (mut queued, mut input_state, mut gone) = (Vec::new(), self.input_state, false);
        let (permissions, hooks) = (self.agent.permissions.clone(), self.agent.hooks.clone());
        let updates = self.agent.updates.clone();
        let done = {
            let work = work(self);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    done = &mut work => break done,
                    input = inputs.recv(), if !gone => match input {
                        Some(Input::Prompt(submission) | Input::Queue(submission)) => {
                            queued.push(Next::Raw(submission));
                        }
                        Some(Input::Interrupt) => break Ok(()),
                        Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                            if let Some(leave) = Exit::from_input(&input) {
                                break Err(leave);
                            }
                        }
                        Some(Input::TakeBack) => {
                            if let Some(Next::Raw(last)) = queued.pop() {
                                updates.send(Update::TakenBack(last));
                            }
                        }
                        Some(Input::NextMode) => cycle_mode(&permissions, &hooks),
                        Some(Input::Typing) => {}
                        Some(Input::Close) => input_state = InputState::Closed,
                        None => (input_state, gone) = (InputState::Closed, true),
                    },
                }
            }
        };
        self.input_state = input_state;
        self.queue.extend(queued);
        done
    }

    /// Waits, idle, for the next prompt of the user or message of a hook that wakes the agent.
    /// Returns `None` when the input is closed.
    pub(super) async fn wait_for_prompt(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<Option<Next>, Exit> {
        let Settings { patience, attended, .. } = self.agent.settings;
        let idle = sleep(patience.idle);
        tokio::pin!(idle);
        loop {
            tokio::select! {
                input = inputs.recv() => match input {
                    Some(Input::Prompt(submission) | Input::Queue(submission)) => {
                        return Ok(Some(Next::Raw(submission)));
                    }
                    Some(Input::Interrupt | Input::TakeBack) => {}
                    Some(Input::NextMode) => cycle_mode(&self.agent.permissions, &self.agent.hooks),
                    Some(Input::Typing) => idle.as_mut().reset(Instant::now() + patience.idle),
                    Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                        if let Some(leave) = Exit::from_input(&input) {
                            return Err(leave);
                        }
                    }
                    Some(Input::Close) | None => {
                        self.input_state = InputState::Closed;
                        return Ok(None);
                    }
                },
                () = &mut idle, if attended && self.input_state == InputState::Waiting => {
                    self.input_state = InputState::Listening;
                    self.agent.hooks.fire_notification("idle_prompt", "the agent waits for you");
                }
                late = next_late_result(&self.agent.tasks, &self.agent.hooks) => {
                    // Messages that do not wake the agent join the next prompt.
                    if let Some(message) = wake_message_or_store(late, &self.agent.steering, &self.agent.updates) {
                        return Ok(Some(Next::Judged(message)));
                    }
                }
            }
        }
    }
}

impl Session {
    /// Waits for the next message of a background hook that wakes the agent, after the input was
    /// closed. Returns `None` if no hook can, or when their time is over (AG-34).
    pub(super) async fn wait_for_wake(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<Option<Next>, Exit> {
        let began = Instant::now();
        let until = began + self.max_wait_for_wake();
        let next = loop {
            let may_be_woken = self.agent.hooks.may_hook_wake_agent();
            let (steering, updates) = (&self.agent.steering, &self.agent.updates);
            let ended = self.agent.hooks.take_finished().into_iter();
            self.queue.extend(
                ended
                    .filter_map(|late| wake_message_or_store(late, steering, updates))
                    .map(Next::Judged),
            );
            if let Some(next) = self.queue.pop_front() {
                break Ok(Some(next));
            }
            if !may_be_woken {
                break Ok(None);
            }
            tokio::select! {
                late = self.agent.hooks.next_late_result() => {
                    self.queue.extend(wake_message_or_store(late, steering, updates).map(Next::Judged));
                }
                () = sleep_until(until) => break Ok(None),
                leave = wait_for_exit_request(inputs) => break Err(leave),
            }
        };
        self.exit_wait = self.exit_wait.saturating_sub(began.elapsed());
        next
    }
}

/// Waits for the next background task or hook that ends, and returns its result. Cancel safe.
pub(super) async fn next_late_result(tasks: &Tasks, hooks: &Hooks) -> Late {
    tokio::select! {
        late = tasks.next_finished() => late,
        late = hooks.next_late_result() => late,
    }
}

/// Returns the message of a background result that wakes an idle agent. Other messages are stored
/// for the next call of the model.
pub(super) fn wake_message_or_store(
    late: Late,
    steering: &Steering,
    updates: &Updates,
) -> Option<Message> {
    let (message, notice) = match late {
        Late::Wakes(message) => return Some(message),
        Late::Tells(message) => (message, None),
        Late::Rests(message, notice) => (message, Some(notice)),
        Late::Silent => return None,
    };
    steering.add_message_without_model_call(message);
    if let Some(notice) = notice {
        updates.send(Update::Notice(notice));
    }
    None
}

/// Switches to the next mode without waiting for hooks.
pub(super) fn cycle_mode(permissions: &Permissions, hooks: &Hooks) {
    let before = permissions.mode();
    let mode = before.next();
    permissions.set_mode(mode);
    let later_hooks = hooks.clone();
    hooks.spawn_background_work(async move {
        later_hooks.fire_mode_changed(before.name(), mode.name()).await
    });
}
