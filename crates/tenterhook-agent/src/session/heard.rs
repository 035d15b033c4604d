//! How is input taken while no turn runs: idle, or at work on something else? During a turn the listener takes it.

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Leave, Next, Session, quit};
use crate::agent::{Settings, Steering};
use crate::conversation::Message;
use crate::hooks::{Hooks, Late};
use crate::permission::Permissions;
use crate::tasks::Tasks;
use crate::update::{Input, Update, Updates};

/// Whether somebody may still say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A turn ended, and whoever is there says nothing: hooks may call them, once.
    Waiting,
    /// Nothing is waited for.
    Listening,
    /// Nobody says anything more.
    Closed,
}

impl Session {
    /// Does what is no turn, while somebody may stop it or leave; what is said meanwhile comes after it.
    pub(super) async fn attend(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
        work: impl AsyncFnOnce(&mut Self) -> Result<(), Leave>,
    ) -> Result<(), Leave> {
        let (mut said, mut heard, mut gone) = (Vec::new(), self.heard, false);
        let (permissions, hooks) = (self.agent.permissions.clone(), self.agent.hooks.clone());
        let told = self.agent.updates.clone();
        let done = {
            let work = work(self);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    done = &mut work => break done,
                    input = inputs.recv(), if !gone => match input {
                        Some(Input::Prompt(submission) | Input::Queue(submission)) => {
                            said.push(Next::Raw(submission));
                        }
                        Some(Input::Interrupt) => break Ok(()),
                        Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                            if let Some(leave) = Leave::read(&input) {
                                break Err(leave);
                            }
                        }
                        Some(Input::TakeBack) => {
                            if let Some(Next::Raw(last)) = said.pop() {
                                told.tell(Update::TakenBack(last));
                            }
                        }
                        Some(Input::NextMode) => next_mode(&permissions, &hooks),
                        Some(Input::Typing) => {}
                        Some(Input::Close) => heard = Heard::Closed,
                        None => (heard, gone) = (Heard::Closed, true),
                    },
                }
            }
        };
        self.heard = heard;
        self.queue.extend(said);
        done
    }

    /// Waits, idle, for what is to be done next: a person's words, or those of a hook that wakes the agent. `None` when nobody
    /// says anything more.
    pub(super) async fn wait(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<Option<Next>, Leave> {
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
                    Some(Input::NextMode) => next_mode(&self.agent.permissions, &self.agent.hooks),
                    Some(Input::Typing) => idle.as_mut().reset(Instant::now() + patience.idle),
                    Some(input @ (Input::Quit(_) | Input::QuitNow)) => {
                        if let Some(leave) = Leave::read(&input) {
                            return Err(leave);
                        }
                    }
                    Some(Input::Close) | None => {
                        self.heard = Heard::Closed;
                        return Ok(None);
                    }
                },
                () = &mut idle, if attended && self.heard == Heard::Waiting => {
                    self.heard = Heard::Listening;
                    self.agent.hooks.notify("idle_prompt", "the agent waits for you");
                }
                late = late(&self.agent.tasks, &self.agent.hooks) => {
                    // What wakes nobody is told with the next prompt.
                    if let Some(message) = wakes(late, &self.agent.steering, &self.agent.updates) {
                        return Ok(Some(Next::Judged(message)));
                    }
                }
            }
        }
    }
}

impl Session {
    /// Waits, when no more input comes, for hooks in the background that may still wake the agent: the next message of one.
    /// `None` when none can, or when their time is over (AG-34).
    pub(super) async fn wake(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<Option<Next>, Leave> {
        let began = Instant::now();
        let until = began + self.wake_wait();
        let next = loop {
            let may_be_woken = self.agent.hooks.may_be_woken();
            let (steering, updates) = (&self.agent.steering, &self.agent.updates);
            let ended = self.agent.hooks.ended().into_iter();
            self.queue
                .extend(ended.filter_map(|late| wakes(late, steering, updates)).map(Next::Judged));
            if let Some(next) = self.queue.pop_front() {
                break Ok(Some(next));
            }
            if !may_be_woken {
                break Ok(None);
            }
            tokio::select! {
                late = self.agent.hooks.late() => {
                    self.queue.extend(wakes(late, steering, updates).map(Next::Judged));
                }
                () = sleep_until(until) => break Ok(None),
                leave = quit(inputs) => break Err(leave),
            }
        };
        self.exit_wait = self.exit_wait.saturating_sub(began.elapsed());
        next
    }
}

/// What ends next in the background, a task or a hook, and what it has to say. Cancel safe.
pub(super) async fn late(tasks: &Tasks, hooks: &Hooks) -> Late {
    tokio::select! {
        late = tasks.ended() => late,
        late = hooks.late() => late,
    }
}

/// Takes in what ended in the background. Gives what wakes an idle agent; the rest waits for the model to listen.
pub(super) fn wakes(late: Late, steering: &Steering, updates: &Updates) -> Option<Message> {
    let (message, told) = match late {
        Late::Wakes(message) => return Some(message),
        Late::Tells(message) => (message, None),
        Late::Rests(message, told) => (message, Some(told)),
        Late::Silent => return None,
    };
    steering.add_later(message);
    if let Some(told) = told {
        updates.tell(Update::Notice(told));
    }
    None
}

/// Goes to the next mode; nobody waits for the hooks that are told.
pub(super) fn next_mode(permissions: &Permissions, hooks: &Hooks) {
    let before = permissions.mode();
    let mode = before.next();
    permissions.set_mode(mode);
    let told = hooks.clone();
    hooks.beside(async move { told.mode_changed(before.word(), mode.word()).await });
}
