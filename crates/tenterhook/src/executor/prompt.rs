//! Asks a model the question of a hook and reports its words. Knows no dialect and judges nothing.

use super::{Task, left_out};
use crate::hook::Prompt;
use crate::report::Report;

pub(super) async fn run(task: &Task, prompt: &Prompt) -> Report {
    let _ = (task.ambient.model.as_ref(), prompt);
    left_out("prompt")
}
