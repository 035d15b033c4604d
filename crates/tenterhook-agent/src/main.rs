//! A small terminal coding agent in which every hook point lives: the reference host of the engine.

mod agent;
mod args;
mod command;
mod compact;
mod conversation;
mod expand;
mod face;
mod file;
mod gate;
mod hooks;
mod instructions;
mod model;
mod permission;
mod prompt;
mod render;
mod sandbox;
mod scratch_project;
mod session;
mod setup;
mod subagent;
mod submission;
mod tally;
mod task_gate;
mod tasks;
mod tool;
mod toolbox;
mod transcript;
mod turn;
mod underway;
mod update;
mod watch;

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tokio::sync::mpsc;

use crate::args::Args;
use crate::face::exit_signals::Left;
use crate::face::headless::Source;
use crate::update::Updates;

/// What goes wrong before a session begins: a wrong call.
const USAGE: u8 = 2;
/// What shells say of a program that was interrupted.
const ABANDONED: u8 = 130;
/// How long the end waits for threads: what a system call holds up may hold it for ever.
const THREADS: Duration = Duration::from_millis(500);
/// Longer than any process takes to end: its grace, and the search for what it left.
const PROCESSES: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    // What a parent ignored or blocked is not meant for a program that waits for children.
    // Before there is a second thread. Where the system cannot do it, what runs still hears of the program's death.
    let _ = tenterhook_process::kill_descendants_on_exit();
    tenterhook_process::reset_inherited_signals();
    // Where the system cannot do it, hooks run all the same, and survivors are reported.
    let _ = tenterhook_process::adopt_orphans();
    let args = Args::parse();
    let code = match run_with_args(args) {
        Ok(code) => code,
        Err(error) => {
            // Where even that cannot be said, the exit code says it.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            USAGE
        }
    };
    ExitCode::from(code)
}

/// Why the program cannot go on.
#[derive(Debug, thiserror::Error)]
enum MainError {
    #[error("standard input cannot be read: {0}")]
    ReadPrompt(#[source] std::io::Error),
    #[error("this is not a terminal: say what to do with `--print`")]
    NoTerminal,
    #[error("the prompt is empty: say what to do after `--print`, or on standard input")]
    EmptyPrompt,
    #[error("no threads can be started: {0}")]
    Threads(#[source] std::io::Error),
    #[error(transparent)]
    Setup(#[from] setup::SetupError),
    #[error("the session broke off: {0}")]
    Session(#[from] tokio::task::JoinError),
    #[error("the output cannot be written: {0}")]
    Output(#[source] std::io::Error),
}

fn run_with_args(args: Args) -> Result<u8, MainError> {
    let source = match args.print.as_deref() {
        Some("-") => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(MainError::ReadPrompt)?;
            Some(Source::Prompt(text))
        }
        Some(prompt) => Some(Source::Prompt(prompt.to_owned())),
        None if args.stdin => Some(Source::Lines),
        None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => None,
        None => return Err(MainError::NoTerminal),
    };
    if let Some(Source::Prompt(text)) = &source
        && text.trim().is_empty()
    {
        return Err(MainError::EmptyPrompt);
    }
    let runtime = build_runtime().map_err(MainError::Threads)?;
    let (updates, shown) = Updates::channel();
    let (inputs, said) = mpsc::unbounded_channel();
    let format = args.output_format;
    let code = runtime.block_on(async {
        let session = setup::build_session(args, updates)?;
        let home = session.home_path();
        let work = tokio::spawn(session.run(said));
        let left = match source {
            Some(source) => face::headless::run_headless(source, format, inputs, shown).await,
            None => face::terminal::run_terminal_session(&home, inputs, shown).await,
        };
        match left {
            Ok(Left::Ended(code)) => match work.await {
                Ok(()) => Ok(code),
                // The exit code reports a panic in the session.
                Err(error) => Err(error.into()),
            },
            Ok(Left::Abandoned) => {
                // It may be where nothing interrupts it.
                work.abort();
                Ok(ABANDONED)
            }
            Err(error) => {
                // The session ends when its face does.
                let _ = work.await;
                Err(MainError::Output(error))
            }
        }
    });
    // What tools and hooks started ends with the program, and also what hid from them; what does not is stuck in the kernel.
    runtime.shutdown_timeout(THREADS);
    let _ = tenterhook_process::wait_for_all_runs(PROCESSES);
    code
}

/// Makes the threads that everything runs on. Where one is missing, their maker panics and then waits for ever for those that
/// it did get: the program ends there instead.
#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "to unwind would wait for ever, and nothing has begun yet that could be left in disorder"
)]
fn build_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    std::panic::set_hook(Box::new(|panic| {
        let words = panic.payload_as_str().unwrap_or("their maker gave up");
        // Where even that cannot be said, the exit code says it.
        let _ = writeln!(std::io::stderr(), "error: no threads can be started: {words}");
        std::process::exit(USAGE.into());
    }));
    let made = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    drop(std::panic::take_hook());
    made
}
