//! Asks hooks about a task, before it begins and before it is done, and applies their answers; runs no task.

use crate::conversation::{Author, Message};
use crate::hooks::{Hooks, Late};
use crate::tool::{Output, failed};

/// A task as hooks receive it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskInfo<'a> {
    pub(crate) id: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) description: &'a str,
}

/// What came of a call, and what hooks want beside it.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) output: Output,
    /// What they add for the model.
    pub(crate) context: Vec<String>,
    /// Everything is to end: why.
    pub(crate) stop: Option<String>,
}

impl From<Output> for Came {
    fn from(output: Output) -> Self {
        Self { output, context: Vec::new(), stop: None }
    }
}

/// Whether a task may begin; what hooks add for the model, where it may (HO-12).
pub(crate) async fn may_begin(hooks: &Hooks, task: TaskInfo<'_>) -> Result<Vec<String>, Came> {
    let verdict = hooks.task_created(task.id, task.subject, task.description).await;
    match verdict.blocked.or_else(|| verdict.stop.clone()) {
        None => Ok(verdict.context),
        Some(reason) => {
            let output = failed(format!("the task was not created: {reason}"));
            Err(Came { output, context: verdict.context, stop: verdict.stop })
        }
    }
}

/// What came of a task that is done with these words, if hooks count it as done.
pub(crate) async fn counts_as_done(hooks: &Hooks, task: TaskInfo<'_>, done: Output) -> Came {
    let verdict = hooks.task_completed(task.id, task.subject, task.description).await;
    let output = match (verdict.blocked, done) {
        (Some(reason), Output::Done { text, .. }) => {
            failed(format!("a hook keeps the task open: {reason}\n{text}"))
        }
        (_, done) => done,
    };
    Came { output, context: verdict.context, stop: verdict.stop }
}

/// The message to the agent about a background task that ended with this text. Where hooks end everything, the agent is not woken.
pub(crate) async fn ended(hooks: &Hooks, task: TaskInfo<'_>, mut text: String) -> Late {
    let verdict = hooks.task_completed(task.id, task.subject, task.description).await;
    if let Some(reason) = verdict.blocked {
        text.push_str(&format!("\nA hook keeps the task open: {reason}"));
    }
    let message = Message::User { text, context: verdict.context, author: Author::Agent };
    let Some(reason) = verdict.stop else { return Late::Wakes(message) };
    let subject = task.subject;
    let text = format!("the task `{subject}` is over, and a hook has nothing follow it: {reason}");
    Late::Rests(message, text)
}
