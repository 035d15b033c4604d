//! Asks a model the question of a hook and reports its answer. Knows no dialect and judges nothing:
//! the dialect describes the form of the answer to the model, and reads it.
//!
//! A hook with turns may read the project first: its model calls tools that read, until it answers.
//! All of it is within the step's deadline and one budget of tokens, and no question is asked
//! twice.

mod look;
mod question;

use std::sync::Arc;

use tokio::time::Instant;

use super::model::{FaultKind, Message, Model, ModelFault, Question, Reply, Stop};
use super::{Task, function, not_started_report};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Prompt;
use tenterhook_core::report::{End, Output, Report, StepOutput};
use tenterhook_core::strict::put_objects_on_own_lines;

#[cfg(test)]
mod tests;

/// How a question ended: the end of the step, and the text of the answer.
type Ended = (End, String);

pub(super) async fn run_prompt(task: &Task, prompt: &Prompt) -> Report {
    let started = Instant::now();
    let Some(model) = &task.ambient.model else {
        return not_started_report(format!(
            "this host gives `{}` hooks no model to ask; give it one, or use another kind of hook",
            task.hook.run.executor_name()
        ));
    };
    let asked = function::await_catching_panics(ask_until_answer(task, prompt, model));
    let (end, words) = match tokio::time::timeout(task.remaining_time(), asked).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(words)) => return function::panic_report("the host's model", &words, started),
        Err(_) => (End::TimedOut, String::new()),
    };
    let words = question::strip_code_fence(&words);
    let stdout =
        Output::from(put_objects_on_own_lines(words).as_deref().unwrap_or(words).as_bytes());
    let said = StepOutput::Bytes { stdout, stderr: Output::default() };
    Report { said, ..Report::without_output(end, started.elapsed()) }
}

/// Asks the question, makes the calls that the model asks for, and asks again, until there is an
/// answer or a limit is reached.
async fn ask_until_answer(task: &Task, prompt: &Prompt, model: &Arc<dyn Model>) -> Ended {
    let tools = if prompt.turns.is_some() { look::project_tool_descriptions() } else { Vec::new() };
    let shape = task.dialect().answer_instructions(prompt, &task.row);
    let mut question = question::first_question(prompt, &task.envelope.body, &shape, tools);
    let mut left = question::token_limit(prompt);
    let mut turns = prompt.turns.unwrap_or(0);
    loop {
        question.max_tokens = Some(left);
        let reply = match model.ask(&question).await {
            Ok(reply) => reply,
            Err(fault) => return end_from_fault(&fault),
        };
        let spent = u32::try_from(reply.usage.output).unwrap_or(u32::MAX);
        left = left.saturating_sub(spent);
        if reply.calls.is_empty() || question.tools.is_empty() {
            return end_from_reply(reply);
        }
        if turns == 0 {
            return (
                End::Failed { code: Code::ModelTurns, why: too_many_turns_message(prompt) },
                reply.text,
            );
        }
        if left == 0 {
            return (
                End::Failed { code: Code::ModelTokens, why: too_many_tokens_message() },
                reply.text,
            );
        }
        turns -= 1;
        make_tool_calls(task, &mut question, reply, turns).await;
    }
}

/// Makes the tool calls of a reply and adds their results to the conversation.
async fn make_tool_calls(task: &Task, question: &mut Question, reply: Reply, turns: u32) {
    let mut results = look::run_tool_calls(&task.event.within.project, &reply.calls).await;
    if let (0, Some(last)) = (turns, results.last_mut()) {
        last.text.push_str("\n[you have no more turns to look around: answer now]");
    }
    question.messages.push(Message::Model(reply));
    question.messages.push(Message::Results(results));
}

/// Returns the text of an answer, or the failure that prevented it.
fn end_from_reply(reply: Reply) -> Ended {
    match reply.stop {
        Stop::Length => {
            (End::Failed { code: Code::ModelTokens, why: too_many_tokens_message() }, reply.text)
        }
        Stop::Refused => {
            let fault = ModelFault::new(FaultKind::Refused, "the model would not answer");
            (end_from_fault(&fault).0, reply.text)
        }
        Stop::Done | Stop::Calls | Stop::Other(_) => (End::Exited(0), reply.text),
    }
}

fn end_from_fault(fault: &ModelFault) -> Ended {
    (End::Failed { code: fault.kind.code(), why: fault.to_string() }, String::new())
}

fn too_many_tokens_message() -> String {
    "the model had no tokens left before it had answered; raise `tokens`, or ask for less"
        .to_owned()
}

fn too_many_turns_message(prompt: &Prompt) -> String {
    let turns = prompt.turns.unwrap_or(0);
    format!(
        "the model looked around {turns} times and wanted to go on; raise `turns`, or ask for less"
    )
}
