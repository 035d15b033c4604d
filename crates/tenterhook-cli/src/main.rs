//! The command line of Tenterhook: parses what was typed, hands it to one command, ends with its exit code.

mod ambient;
mod args;
mod book;
mod call_notes;
mod command;
mod deliveries;
mod executable;
mod exit;
mod grants;
mod history_file;
mod journal;
mod last_word;
mod load;
mod openings;
mod pack;
mod person;
mod problem;
mod progress;
mod reach;
mod readers;
mod repository;
mod scratch;
mod scripts;
mod servers;
mod session_store;
mod sessions;
mod show;
mod silence;
mod term;
mod usage;
mod validated;
mod wait;
mod wants;
mod watch;

use std::process::ExitCode;
use tenterhook_core::diagnostic::Code;

use anstream::ColorChoice;
use clap::error::ErrorKind;

use args::{Cli, Color, Command};
use exit::Exit;
use last_word::CallerReply;
use problem::Problem;
use term::Term;

fn main() -> ExitCode {
    // What a parent ignored or blocked is not meant for a program that waits for hooks.
    tenterhook_process::reset_inherited_signals();
    let words = ambient::program_arguments();
    // Scripts separate candidates by a control character, which no filter may remove.
    let unfiltered = Term::new(ColorChoice::Always, None);
    if let Some(exit) = command::completions::answer_completion_script(&words, unfiltered) {
        return exit.into();
    }
    let reply = last_word::prepare_fallback_reply(&words);
    let cli = match Cli::from_process_arguments(&words) {
        Ok(cli) => cli,
        Err(error) => {
            let exit = print_usage_error(&error, &words);
            return command::hook::deny_invalid_arguments(&words, exit, &reply).into();
        }
    };
    let color = match cli.color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let term = Term::new(color, ambient::columns_from_env()).with_verbose(cli.verbose);
    match run_command(&cli.command, term, &reply) {
        Ok(exit) => exit.into(),
        Err(problem) => {
            term.print_problem(&problem);
            Exit::Wrong.into()
        }
    }
}

fn run_command(command: &Command, term: Term, reply: &CallerReply) -> Result<Exit, Problem> {
    let call = match command {
        Command::Hook(args) => {
            // No agent waits for it, so a keeper's start delays nothing (BR-166).
            if args.aside.is_some() {
                let _ = tenterhook_process::kill_descendants_on_exit();
            }
            Some(command::hook::Call::new(args, reply))
        }
        _ => None,
    };
    if let Command::Fire(args) = command {
        reply.set_fallback_form(args.outcome_form());
        // A second process is worth its start only to a program that lives as long as its host.
        // Without it, a killed program leaves what its hooks started.
        if args.stream {
            let _ = tenterhook_process::kill_descendants_on_exit();
        }
    }
    let here = match ambient::Here::from_env() {
        // A caller that waits for an outcome gets one.
        Err(problem) if matches!(command, Command::Fire(_) | Command::Hook(_)) => {
            return Ok(reply.deny(Code::NoDirectory, &problem.message));
        }
        here => here?,
    };
    match command {
        Command::Check(args) => command::check::run(args, &here, term),
        Command::List(args) => command::list::run(args, &here, term),
        Command::Explain(args) => command::explain::run(args, &here, term),
        Command::Fire(args) => command::fire::run(args, &here, term, reply),
        Command::Hook(_) => Ok(call.map_or(Exit::Blocked, |call| call.run(&here, term))),
        Command::Log(args) => command::log::run(args, &here, term),
        Command::Backtest(args) => command::backtest::run(args, &here, term),
        Command::Reconcile(args) => command::reconcile::run(args, &here, term),
        Command::Transcripts(args) => command::transcripts::run(args, &here, term),
        Command::Promote(args) => command::promote::run(args, &here, term),
        Command::Probe(args) => command::probe::run(args, &here, term),
        Command::Test(args) => command::test::run(args, &here, term),
        Command::Trust(args) => command::trust::run(args, &here, term),
        Command::Untrust(args) => command::trust::untrust_sources(args, &here, term),
        Command::Convert(args) => command::convert::run(args, &here, term),
        Command::Events(args) => command::events::run(args, &here, term),
        Command::Allow(args) => command::allow::run_allow(args, &here, term),
        Command::Pause(args) => command::allow::run_pause(args, &here, term),
        Command::Install(args) => command::install::run_install(args, &here, term),
        Command::Uninstall(args) => command::install::run_uninstall(args, &here, term),
        Command::Status(args) => command::status::run(args, &here, term),
        Command::Doctor(args) => command::doctor::run(args, &here, term),
        Command::Rules(args) => command::rules::run(args, &here, term),
        Command::Schema(args) => command::schema::run(args, term),
        Command::Init => command::init::run(&here, term),
        Command::Manual(args) => command::completions::write_manual(args),
        Command::Completions(args) => command::completions::run(args, term),
        Command::Demo(args) => command::demo::run(args, &here, term),
    }
}

/// Prints an error of the arguments. Clap would exit with 2, but here 2 means that an event is
/// blocked.
fn print_usage_error(error: &clap::Error, words: &[String]) -> Exit {
    let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    match args::known_mistake(words).filter(|_| !is_asked_for) {
        Some(problem) => {
            Term::new(ColorChoice::Auto, ambient::columns_from_env()).print_problem(&problem);
        }
        // A closed stream has no reader.
        None => drop(error.print()),
    }
    if is_asked_for { Exit::Good } else { Exit::Wrong }
}
