//! `fire`: one event in, its hooks run, one outcome out.

use tenterhook::executor::Ambient;
use tenterhook::internal::exemptions;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::EventLabel;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::hook::Layer;

use super::input::{Given, Lost};
use super::{deny_unreadable_event, print_json, stream, what};
use crate::ambient::Here;
use crate::args::{CompatArg, Fire, Format};
use crate::exit::Exit;
use crate::journal;
use crate::last_word::{CallerReply, Form};
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::scratch::Scratch;
use crate::show;
use crate::show::paint::WARNING;
use crate::term::Term;
use crate::wait::{Waited, block_on_interruptible};

pub(crate) fn run(
    args: &Fire,
    here: &Here,
    term: Term,
    reply: &CallerReply,
) -> Result<Exit, Problem> {
    match load::load_hooks(&args.which, here) {
        // The file may be what it should be: then the caller made no mistake, and waits for an outcome.
        Err(problem) if lacks_file_descriptors() => {
            Ok(reply.deny(Code::OutOfResources, &problem.message))
        }
        loaded => run_loaded_hooks(args, loaded?.prepare_for_firing(), here, term, reply),
    }
}

fn run_loaded_hooks(
    args: &Fire,
    mut loaded: Loaded,
    here: &Here,
    term: Term,
    reply: &CallerReply,
) -> Result<Exit, Problem> {
    let journal = journal::open_journal(here);
    let dialect = args.which.event_dialect();
    let event = match args.stream {
        true => None,
        false => match what::parse_event(&args.what.event_arguments(), dialect, &here.roots) {
            Ok(given) => Some(given),
            Err(lost @ Lost::Unreadable { at_stake: true, .. }) => {
                return deny_unreadable_event(lost, journal.as_ref(), term, reply);
            }
            Err(lost) => return Err(lost.into()),
        },
    };
    announce_sources(&loaded, here, term);
    let scratch = Scratch::create_or_warn(&here.state, term);
    record_agent_caller(args, here);
    let engine = loaded.build_engine(|builder| {
        let builder = builder.ambient(hook_ambient(args, here, &scratch)).connect(&here.roots);
        builder.record(journal.clone()).self_protection()
    });
    require_hooks(args, &loaded, &engine)?;
    print_load_warnings(args, &loaded, term);
    let rejected = loaded.faults_of_rejected_hooks();
    let Some(Given { event, faults }) = event else {
        return stream::run_stream(&engine, journal, args, here, rejected, term, reply);
    };
    let session = Session::of_one_event();
    let computing = session.clone();
    let work = async {
        let _ended = stream::Ended(session.clone());
        let running = Progress::begin("running hooks", 0, term.width());
        let mut outcome = engine.fire_within(event.clone(), &session, args.budget).await;
        session.drain_into(&mut outcome).await;
        drop(running);
        outcome.faults.splice(0..0, faults.into_iter().chain(rejected));
        // Print the outcome as soon as it is known: killing programs must not delay it (V-43).
        let printed = print_outcome(&outcome, &event, args, &engine, &loaded, term);
        // A caller that gets no outcome takes every code except that of `Exit::Blocked` for a
        // harmless failure.
        printed.map_or_else(
            |problem| deny_unwritable_outcome(&problem, term),
            |()| Exit::from_outcome(&outcome),
        )
    };
    match block_on_interruptible(work, move || computing.cancel()) {
        Err(starved) => Ok(starved.deny_to_caller(reply)),
        Ok(Waited::Done(exit)) => Ok(exit),
        Ok(Waited::Signal(signal)) => {
            scratch.discard();
            Ok(Exit::Cancelled(signal))
        }
    }
}

/// Returns whether this process cannot open any file.
fn lacks_file_descriptors() -> bool {
    /// `EMFILE` and `ENFILE`, everywhere.
    const NONE_LEFT: [i32; 2] = [24, 23];
    let opened = std::fs::File::open("/");
    opened.is_err_and(|error| error.raw_os_error().is_some_and(|code| NONE_LEFT.contains(&code)))
}

/// Notes a caller that is an agent: an agent writes the event to standard input, a person names it
/// in the arguments.
fn record_agent_caller(args: &Fire, here: &Here) {
    if args.stream || args.what.event_arguments().first().is_none_or(|text| text == "-") {
        exemptions::lineage::record_caller_as_agent(&here.state);
    }
}

/// Prints which files were found, and what is unusual about the home directory.
fn announce_sources(loaded: &Loaded, here: &Here, term: Term) {
    loaded.announce_files(term, &here.roots);
    here.warn_if_home_missing(term);
    if let Some(text) = here.home_inside_project_warning() {
        term.print_labelled_note(WARNING, "warning:", &text);
    }
}

/// Prints what is wrong with the files of hooks, except what the outcome will show.
fn print_load_warnings(args: &Fire, loaded: &Loaded, term: Term) {
    match args.outcome_form() {
        // The page shows each error as a fault.
        Form::Page => loaded.print_approval_warnings_and_count(term),
        Form::Object | Form::Line | Form::Agent(..) => loaded.print_warnings(term),
    }
}

/// Denies the event: an outcome that cannot be written must not let anything pass.
fn deny_unwritable_outcome(problem: &Problem, term: Term) -> Exit {
    term.print_problem(problem);
    Exit::Blocked
}

/// Returns the surroundings that hooks get from this process.
fn hook_ambient(args: &Fire, here: &Here, scratch: &Scratch) -> Ambient {
    let mut ambient = here.hook_ambient(args.model.as_deref(), scratch.path());
    ambient.explains_denials = args.explain_denials;
    ambient
}

fn print_outcome(
    outcome: &Outcome,
    event: &Event,
    args: &Fire,
    engine: &Engine,
    loaded: &Loaded,
    term: Term,
) -> Result<(), Problem> {
    match args.output.format {
        Format::Json => print_json(&encode_outcome(outcome), term),
        Format::Text => {
            let rules = engine.ruleset();
            let label = EventLabel::new(args.which.event_dialect(), &event.name);
            let about = (event, &label);
            term.print_data(&show::outcome::outcome_page(
                about,
                outcome,
                &rules,
                &loaded.texts,
                term.width(),
            ))
        }
    }
}

/// The findings about a file that is malformed or is not strict JSON.
pub(super) const TORN: &[Code] = &[Code::BrokenFile, Code::NotStrictJson];

/// Returns an error if one of the named files cannot be read and no hook is left: firing without
/// hooks would fake an answer. With `--compat exact` it is no error, because the agent continues
/// without hooks, too.
fn require_hooks(args: &Fire, loaded: &Loaded, engine: &Engine) -> Result<(), Problem> {
    let exact = matches!(args.which.compat, Some(CompatArg::Exact));
    if loaded.found
        || exact
        || !engine
            .ruleset()
            .hooks()
            .iter()
            .all(|hook| hook.is_hold_for_unread_file() || hook.layer == Layer::BuiltIn)
    {
        return Ok(());
    }
    let broken = loaded.diagnostics.iter().find(|diagnostic| TORN.contains(&diagnostic.code));
    broken.map_or(Ok(()), |diagnostic| {
        let place = diagnostic.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        Err(Problem {
            message: format!("{place}{}", diagnostic.message),
            help: diagnostic.help.clone(),
        })
    })
}
