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
use super::{Task, function, not_started};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Prompt;
use tenterhook_core::report::{End, Output, Report, StepOutput};
use tenterhook_core::strict::out_of_prose;

#[cfg(test)]
mod tests;

/// How a question ended: the end of the step, and the text of the answer.
type Ended = (End, String);

pub(super) async fn run(task: &Task, prompt: &Prompt) -> Report {
    let started = Instant::now();
    let Some(model) = &task.ambient.model else {
        return not_started(format!(
            "this host gives `{}` hooks no model to ask; give it one, or use another kind of hook",
            task.hook.run.executor()
        ));
    };
    let asked = function::catch(ask(task, prompt, model));
    let (end, words) = match tokio::time::timeout(task.budget(), asked).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(words)) => return function::panicked("the host's model", &words, started),
        Err(_) => (End::TimedOut, String::new()),
    };
    let words = question::unfenced(&words);
    let stdout = Output::from(out_of_prose(words).as_deref().unwrap_or(words).as_bytes());
    let said = StepOutput::Bytes { stdout, stderr: Output::default() };
    Report { said, ..Report::silent(end, started.elapsed()) }
}

/// Asks the question, makes the calls that the model asks for, and asks again, until there is an
/// answer or a limit is reached.
async fn ask(task: &Task, prompt: &Prompt, model: &Arc<dyn Model>) -> Ended {
    let tools = if prompt.turns.is_some() { look::tools() } else { Vec::new() };
    let shape = task.dialect().shape(prompt, &task.row);
    let mut question = question::first(prompt, &task.envelope.body, &shape, tools);
    let mut left = question::tokens(prompt);
    let mut turns = prompt.turns.unwrap_or(0);
    loop {
        question.max_tokens = Some(left);
        let reply = match model.ask(&question).await {
            Ok(reply) => reply,
            Err(fault) => return failed(&fault),
        };
        let spent = u32::try_from(reply.usage.output).unwrap_or(u32::MAX);
        left = left.saturating_sub(spent);
        if reply.calls.is_empty() || question.tools.is_empty() {
            return answered(reply);
        }
        if turns == 0 {
            return (
                End::Failed { code: Code::ModelTurns, why: too_many_turns(prompt) },
                reply.text,
            );
        }
        if left == 0 {
            return (End::Failed { code: Code::ModelTokens, why: too_many_tokens() }, reply.text);
        }
        turns -= 1;
        look_around(task, &mut question, reply, turns).await;
    }
}

/// Makes the calls of a reply and adds their results to the conversation.
async fn look_around(task: &Task, question: &mut Question, reply: Reply, turns: u32) {
    let mut results = look::calls(&task.event.within.project, &reply.calls).await;
    if let (0, Some(last)) = (turns, results.last_mut()) {
        last.text.push_str("\n[you have no more turns to look around: answer now]");
    }
    question.messages.push(Message::Model(reply));
    question.messages.push(Message::Results(results));
}

/// The text of an answer, or why there is no answer.
fn answered(reply: Reply) -> Ended {
    match reply.stop {
        Stop::Length => {
            (End::Failed { code: Code::ModelTokens, why: too_many_tokens() }, reply.text)
        }
        Stop::Refused => {
            let fault = ModelFault::new(FaultKind::Refused, "the model would not answer");
            (failed(&fault).0, reply.text)
        }
        Stop::Done | Stop::Calls | Stop::Other(_) => (End::Exited(0), reply.text),
    }
}

fn failed(fault: &ModelFault) -> Ended {
    (End::Failed { code: fault.kind.code(), why: fault.to_string() }, String::new())
}

fn too_many_tokens() -> String {
    "the model had no tokens left before it had answered; raise `tokens`, or ask for less"
        .to_owned()
}

fn too_many_turns(prompt: &Prompt) -> String {
    let turns = prompt.turns.unwrap_or(0);
    format!(
        "the model looked around {turns} times and wanted to go on; raise `turns`, or ask for less"
    )
}
