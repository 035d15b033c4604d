//! `fire`: one event in, its hooks run, one outcome out.

use tenterhook::executor::Ambient;
use tenterhook::internal::exemptions;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::EventLabel;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::hook::Layer;

use super::input::{Given, Lost};
use super::{deny_lost, print_json, stream, what};
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
use crate::wait::{Waited, block_on_or};

pub(crate) fn run(
    args: &Fire,
    here: &Here,
    term: Term,
    reply: &CallerReply,
) -> Result<Exit, Problem> {
    let mut loaded = load::load(&args.which, here)?.firing();
    let journal = journal::open(here);
    let dialect = args.which.events();
    let event = match args.stream {
        true => None,
        false => match what::given(&args.what, dialect, &here.roots) {
            Ok(given) => Some(given),
            Err(lost @ Lost::Unreadable { at_stake: true, .. }) => {
                return deny_lost(lost, journal.as_ref(), term, reply);
            }
            Err(lost) => return Err(lost.into()),
        },
    };
    announce(&loaded, here, term);
    let scratch = Scratch::or_none(&here.state, term);
    note_caller(args, here);
    let engine = loaded.engine(|builder| {
        let builder = builder.ambient(ambient(args, here, &scratch)).connect(&here.roots);
        builder.record(journal.clone()).self_protection()
    });
    refuse_nothing(args, &loaded, &engine)?;
    match args.form() {
        // The page shows each error as a fault.
        Form::Page => loaded.warn_of_the_rest(term),
        Form::Object | Form::Line | Form::Agent(..) => loaded.warn(term),
    }
    let Some(Given { event, faults }) = event else {
        return stream::run(&engine, journal, args, here, loaded.faults(), term, reply);
    };
    let session = Session::of_one_event();
    let computing = session.clone();
    let work = async {
        let _ended = stream::Ended(session.clone());
        let running = Progress::begin("running hooks", 0, term.width());
        let mut outcome = engine.fire_within(event.clone(), &session, args.budget).await;
        session.drain_into(&mut outcome).await;
        drop(running);
        outcome.faults.splice(0..0, faults.into_iter().chain(loaded.faults()));
        // Print the outcome as soon as it is known: killing programs must not delay it (V-43).
        let printed = print_outcome(&outcome, &event, args, &engine, &loaded, term);
        // A caller that gets no outcome takes any other code for a harmless failure.
        printed.map_or_else(|problem| deny(&problem, term), |()| Exit::from_outcome(&outcome))
    };
    match block_on_or(work, move || computing.cancel()) {
        Err(starved) => Ok(starved.deny(reply)),
        Ok(Waited::Done(exit)) => Ok(exit),
        Ok(Waited::Signal(signal)) => {
            scratch.discard();
            Ok(Exit::Cancelled(signal))
        }
    }
}

/// An agent writes the event to standard input; a person names it in the arguments.
fn note_caller(args: &Fire, here: &Here) {
    if args.stream || args.what.first().is_none_or(|text| text == "-") {
        exemptions::lineage::note_caller(&here.state);
    }
}

/// Prints which files were found, and what is unusual about the home.
fn announce(loaded: &Loaded, here: &Here, term: Term) {
    loaded.announce(term, &here.roots);
    here.warn_without_home(term);
    if let Some(text) = here.moved_home() {
        term.note_after(WARNING, "warning:", &text);
    }
}

/// An outcome that cannot be written lets nothing pass.
fn deny(problem: &Problem, term: Term) -> Exit {
    term.complain(problem);
    Exit::Blocked
}

/// What hooks get of this process.
fn ambient(args: &Fire, here: &Here, scratch: &Scratch) -> Ambient {
    let mut ambient = here.ambient(args.model.as_deref(), scratch.path());
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
            let label = EventLabel::new(args.which.events(), &event.name);
            let about = (event, &label);
            term.data(&show::outcome::page(about, outcome, &rules, &loaded.texts, term.width()))
        }
    }
}

/// The findings of files that are not what their ending says.
pub(super) const TORN: &[Code] = &[Code::BrokenFile, Code::NotStrictJson];

/// To fire without a single entry of the files that were named would fake an answer, where one of them cannot be read.
/// Followed exactly, that is what the agent does.
fn refuse_nothing(args: &Fire, loaded: &Loaded, engine: &Engine) -> Result<(), Problem> {
    let exact = matches!(args.which.compat, Some(CompatArg::Exact));
    if loaded.found
        || exact
        || !engine
            .ruleset()
            .hooks()
            .iter()
            .all(|hook| hook.is_hold() || hook.layer == Layer::BuiltIn)
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
