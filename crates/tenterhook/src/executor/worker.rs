//! Sends the envelope to a program that lives as long as the session. Knows no dialect and judges
//! nothing.
//!
//! `frame` is the format on the pipes, `link` one process, `slot` a hook's worker over all its
//! restarts. The session owns the `workers`.

pub(crate) mod frame;
mod link;
mod slot;
mod workers;

use std::sync::Arc;

use tenterhook_process as process;
use tokio::time::Instant;

use link::Received;
use slot::Exchange;
use slot::WorkerKey;
use workers::Workers;

use super::confine::{Confined, apply_hook_sandbox, tier_of_long_lived_process};
use super::{Task, command};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Worker;
use tenterhook_core::report::{End, Output, Report, StepOutput};

#[cfg(test)]
mod tests;

/// How much of a worker's standard error is kept, for the message about its end.
const STDERR: usize = 64 << 10;

/// Sends the event of a step to its worker and reports the answer.
pub(super) async fn run_worker(task: &Task, worker: &Worker) -> Report {
    let began = Instant::now();
    let deadline = began + task.remaining_time();
    let workers: Arc<Workers> = task.session.get_resident();
    let key = WorkerKey {
        hook: task.hook.id.clone(),
        worker: worker.clone(),
        cwd: worker_cwd(task, worker),
    };
    let (slot, id) = (workers.slot_of_hook(&task.hook, &key), workers.next_request_number());
    let asked =
        slot.send_event_and_wait(id, &task.envelope.body, deadline, || worker_command(task, &key));
    match tokio::time::timeout_at(deadline, asked).await {
        Ok(exchange) => {
            Report { tier: tier_of_long_lived_process(task), ..report_of_exchange(exchange, began) }
        }
        Err(_) => Report::without_output(End::TimedOut, began.elapsed()),
    }
}

/// Returns the working directory of a worker. A worker serves the whole session, so it starts in
/// the session's project, not in the directory of one event.
fn worker_cwd(task: &Task, worker: &Worker) -> std::path::PathBuf {
    let within = &task.event.within;
    let project =
        Some(&within.project).filter(|project| project.is_absolute()).unwrap_or(&within.cwd);
    worker.command.cwd.as_ref().unwrap_or(project).clone()
}

/// Returns the command that starts a worker. It has no timeout: each event has its own, and the end
/// of the session ends the worker.
fn worker_command(task: &Task, key: &WorkerKey) -> (process::Command, Option<Box<Confined>>) {
    let command = &key.worker.command;
    let mut described = command::process_for_command(command, key.cwd.clone());
    // An envelope's variables are about one event; a worker reads them from the event's line.
    described.env = command::environment_for_process(task, command, std::iter::empty());
    described.limits.stderr = STDERR;
    let confined = apply_hook_sandbox(task, None, &mut described);
    (described, confined)
}

fn report_of_exchange(exchange: Exchange, began: Instant) -> Report {
    let (end, stdout) = match exchange.received {
        Received::Reply(frame::WorkerReply::Answer(answer)) => (End::Exited(0), answer),
        Received::Reply(frame::WorkerReply::Error(error)) => {
            let why = format!("its worker could not judge the event: {error}");
            (End::Failed { code: Code::WorkerError, why }, Vec::new())
        }
        // A denial that can be recognized in an invalid reply is kept.
        Received::Broken { why, line } => {
            let why = format!("{why}; it was ended, and the next event starts another");
            (End::Failed { code: Code::WorkerProtocol, why }, line)
        }
        Received::Ended(why) | Received::NotTaken(why) => {
            let why = format!("{why}; the next event starts another");
            (End::Failed { code: Code::WorkerEnded, why }, Vec::new())
        }
        Received::NotStarted(why) => (End::NotStarted { why }, Vec::new()),
    };
    let said = StepOutput::Bytes {
        stdout: Output { bytes: stdout, ..Output::default() },
        stderr: Output::default(),
    };
    let notes = exchange.note.into_iter().collect();
    Report { said, notes, ..Report::without_output(end, began.elapsed()) }
}
