//! Asks hooks about a task, before it begins and before it is done, and applies their answers; runs no task.

use crate::conversation::{Author, Message};
use crate::hooks::{Hooks, Late};
use crate::tool::{Output, failed_output};

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

/// Has hooks judge whether a task may begin. Returns the context that they add for the model, or
/// the refusal (HO-12).
pub(crate) async fn judge_task_start(
    hooks: &Hooks,
    task: TaskInfo<'_>,
) -> Result<Vec<String>, Came> {
    let verdict = hooks.fire_before_task_creation(task.id, task.subject, task.description).await;
    match verdict.blocked.or_else(|| verdict.stop.clone()) {
        None => Ok(verdict.context),
        Some(reason) => {
            let output = failed_output(format!("the task was not created: {reason}"));
            Err(Came { output, context: verdict.context, stop: verdict.stop })
        }
    }
}

/// Has hooks judge a finished task. Returns its output, or the reason why a hook keeps the task
/// open.
pub(crate) async fn judge_finished_task(hooks: &Hooks, task: TaskInfo<'_>, done: Output) -> Came {
    let verdict = hooks.fire_before_task_completion(task.id, task.subject, task.description).await;
    let output = match (verdict.blocked, done) {
        (Some(reason), Output::Done { text, .. }) => {
            failed_output(format!("a hook keeps the task open: {reason}\n{text}"))
        }
        (_, done) => done,
    };
    Came { output, context: verdict.context, stop: verdict.stop }
}

/// Returns the message to the agent about a background task that ended with this text. If a hook
/// stops everything, the agent is not woken.
pub(crate) async fn background_task_message(
    hooks: &Hooks,
    task: TaskInfo<'_>,
    mut text: String,
) -> Late {
    let verdict = hooks.fire_before_task_completion(task.id, task.subject, task.description).await;
    if let Some(reason) = verdict.blocked {
        text.push_str(&format!("\nA hook keeps the task open: {reason}"));
    }
    let message = Message::User { text, context: verdict.context, author: Author::Agent };
    let Some(reason) = verdict.stop else { return Late::Wakes(message) };
    let subject = task.subject;
    let text = format!("the task `{subject}` is over, and a hook has nothing follow it: {reason}");
    Late::Rests(message, text)
}
