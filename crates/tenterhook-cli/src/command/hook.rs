//! `hook`: the one command that agents call. Reads an agent's event, fires the user's hooks, replies in that agent's words.
//!
//! It prints nothing for people on standard output, and reports each failure to the agent as a restraint (BR-10).

mod aside;
mod projects;
mod reply;
mod silenced;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenterhook::answer::Power;
use tenterhook::diagnostic::Code;
use tenterhook::dialect::{DialectId, EventLabel, Reply};
use tenterhook::engine::Shadows;
use tenterhook::event::{EventName, Surroundings};
use tenterhook::exemptions::{self, Exemptions};
use tenterhook::hook::{self as configured, Layer};
use tenterhook::outcome::Fault;
use tenterhook::record::Journal;
use tenterhook::session::Store;
use tenterhook::{Engine, Event, Session};

use super::input::{self, Given, Lost};
use super::{deny_lost, stream};
use crate::ambient::Here;
use crate::args::{Hook, Which};
use crate::exit::Exit;
use crate::journal;
use crate::last_word::{self, Form};
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::scratch::{Scratch, ScratchPath};
use crate::session_store::{SessionStore, Unkept};
use crate::term::Term;
use crate::wait::{Waited, block_on_here};
use reply::About;
use silenced::CallCheck;

/// What of the time is kept for reading, replying and ending what was started.
const KEPT: Duration = Duration::from_millis(300);

/// An agent waits for a reply about this event.
pub(crate) fn arm_fallback_reply(args: &Hook) {
    last_word::arm_fallback_reply(Form::Agent(
        args.agent,
        Box::new(claimed(args.agent, &args.event)),
    ));
}

/// The event that was claimed, before anything of it is read.
fn claimed(agent: DialectId, name: &str) -> Event {
    let rows = agent.dialect().rows();
    let row = rows.iter().find(|row| row.name == name || row.event == name);
    let neutral = row.map_or_else(|| EventName::from(name), |row| EventName::new(&*row.event));
    Event::new(neutral, Surroundings::default())
}

/// A command line that cannot be read and may be an agent's: it restrains as well as it can (BR-10).
pub(crate) fn wrong_call(words: &[String], exit: Exit) -> Exit {
    if exit != Exit::Wrong || words.first().is_none_or(|word| word != "hook") {
        return exit;
    }
    let value = |flag: &str| {
        let at = words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
        at.cloned().or_else(|| {
            words
                .iter()
                .find_map(|word| word.strip_prefix(flag)?.strip_prefix('=').map(str::to_owned))
        })
    };
    let named = value("--agent");
    let agent = DialectId::agents().find(|agent| Some(agent.as_str()) == named.as_deref());
    match (agent, value("--event")) {
        (Some(agent), Some(event)) => {
            last_word::arm_fallback_reply(Form::Agent(agent, Box::new(claimed(agent, &event))));
            last_word::deny(Code::Failed, "`tenterhook hook` was called wrongly")
        }
        // The one code that most agents take for a denial.
        _ => Exit::Blocked,
    }
}

pub(crate) fn run(args: &Hook, here: &Here, term: Term) -> Exit {
    let began = Instant::now();
    if let Some(begun) = args.aside {
        // The agent had its reply: whatever goes wrong here is not reported.
        last_word::send(&Reply::default());
        return ask_aside(args, here, term, begun).unwrap_or(aside::DONE);
    }
    let limit = limit(args);
    if let Err(error) = last_word::within(limit) {
        return last_word::deny(Code::OutOfResources, &format!("no thread can be made: {error}"));
    }
    here.in_project_of(args.agent.dialect().project_variables())
        .and_then(|here| fire(args, &here, term, limit.saturating_sub(began.elapsed())))
        .unwrap_or_else(|problem| last_word::deny(Code::Failed, &problem.message))
}

/// How long the agent waits, less a little.
fn limit(args: &Hook) -> Duration {
    let event = claimed(args.agent, &args.event).name;
    let dialect = args.agent.dialect();
    let usual = || dialect.row(&event).map_or(Duration::from_secs(30), |row| row.timeout);
    args.within.unwrap_or_else(|| usual().mul_f32(0.9))
}

/// A call as it was read: who makes it, and what it is about.
struct Called {
    agent: DialectId,
    event: Event,
    faults: Vec<Fault>,
    warnings: Vec<String>,
    /// The event as it came.
    fields: Map<String, Value>,
}

impl Called {
    /// What earlier calls of its session left.
    fn session_store(&self, state: &Path) -> Option<Arc<SessionStore>> {
        SessionStore::open(state, self.agent.as_str(), &self.event.within.session_id).map(Arc::new)
    }

    /// Loads what earlier calls of its session left, and says whether they put off the end of the turn.
    fn recall(&mut self, state: &Path) -> Option<Arc<SessionStore>> {
        let kept = self.session_store(state);
        self.say_stopped_before(kept.as_deref());
        kept
    }

    /// Says whether the end of the turn was put off before, where its agent cannot be believed about that.
    fn say_stopped_before(&mut self, kept: Option<&SessionStore>) {
        let dialect = self.agent.dialect();
        let ends = dialect.row(&self.event.name).is_some_and(|row| row.cap.is_some());
        if ends && !dialect.says_stopped_before() {
            let before = kept.is_some_and(|store| store.strikes(&self.event.name) > 0);
            self.event.payload.insert("stop_hook_active".to_owned(), before.into());
            self.fields.insert("stop_hook_active".to_owned(), before.into());
        }
    }
}

/// Reads the event: what its form and its fields say counts, whatever was claimed (BR-13).
fn called(args: &Hook, here: &Here) -> Result<Called, Lost> {
    let mut whole = input::whole()?;
    let agent = DialectId::by_form(&whole.fields, args.agent).unwrap_or(args.agent);
    let mut warnings = Vec::new();
    if agent != args.agent {
        last_word::arm_fallback_reply(Form::Agent(agent, Box::new(claimed(agent, &args.event))));
        let names = [agent, args.agent].map(|agent| agent.dialect().agent().unwrap_or_default());
        if names.first() != names.last() {
            warnings.push(misled(args, agent, here));
        }
    }
    let is_nameless = !NAMES.iter().any(|key| whole.fields.contains_key(*key));
    let mut judged = None;
    if is_nameless {
        // Some agents name it elsewhere, and the name of the entry would hide that.
        judged = as_claimed(args, agent, &whole.fields, here)?;
        // Use the neutral name, because the agent that the arguments name may not be the one that calls.
        let name = claimed(args.agent, &args.event).name;
        whole.fields.insert(ADDED.to_owned(), name.as_str().into());
    }
    let Given { mut event, mut faults } = input::decode_whole(&whole, agent, &here.roots)?;
    if is_nameless {
        // A reader of the record detects the agent by the form of the event, and this name comes from another agent.
        whole.fields.remove(ADDED);
    }
    if judged.is_none() && agent.dialect().row(&event.name).is_none() {
        judged = as_claimed(args, agent, &whole.fields, here)?;
    }
    if let Some((registered, message)) = judged {
        event = registered;
        faults.push(Fault { code: Code::UnknownEvent, hook: None, message });
    }
    if claimed(args.agent, &args.event).name != event.name {
        // Whether the event is a gate is known only now.
        last_word::arm_fallback_reply(Form::Agent(agent, Box::new(event.clone())));
        warnings.push(format!(
            "`--event {}` was claimed, and the event is `{}`: that one counts",
            args.event,
            EventLabel::new(agent, &event.name).own()
        ));
    }
    event.within.facts.insert("host".to_owned(), host(agent, &event));
    Ok(Called { agent, event, faults, warnings, fields: whole.fields })
}

/// The event as the one for which its entry is registered, where that is a gate and the agent's table does not have the event.
///
/// # Errors
///
/// Where it cannot be judged as that event: then it is denied (BR-17).
fn as_claimed(
    args: &Hook,
    agent: DialectId,
    fields: &Map<String, Value>,
    here: &Here,
) -> Result<Option<(Event, String)>, Lost> {
    let registered = claimed(args.agent, &args.event).name;
    let judged = agent.dialect().decode_claimed(fields, &registered, &here.roots);
    judged.map_err(|fault| Lost::unreadable(Problem::new(fault.to_string())))
}

/// Where agents write what happened.
const NAMES: &[&str] = &[ADDED, "event"];
/// Where it is added to an event that does not say it.
const ADDED: &str = "hook_event_name";

/// Another agent reads a file that was meant for the one that is claimed.
fn misled(args: &Hook, agent: DialectId, here: &Here) -> String {
    let name = |dialect_id: DialectId| dialect_id.dialect().agent().unwrap_or_default();
    let places = args.agent.dialect().candidates(&here.roots);
    let files = places.iter().filter(|candidate| candidate.path.exists());
    let files: Vec<String> =
        files.map(|file| load::shorten(&file.path.to_string_lossy(), &here.roots)).collect();
    let file = if files.is_empty() { "its own file".to_owned() } else { files.join(" or ") };
    format!(
        "`--agent {}` was claimed, and the event is one of {}, which reads the entry in {file}, too; it is answered in its \
         own words",
        args.agent,
        name(agent)
    )
}

fn fire(args: &Hook, here: &Here, term: Term, left: Duration) -> Result<Exit, Problem> {
    let began = Instant::now();
    let journal = journal::open(here);
    let mut called = match called(args, here) {
        Ok(called) => called,
        Err(lost) => return deny_lost(lost, journal.as_ref(), term),
    };
    if called.agent.dialect().is_noise(&called.event) {
        last_word::send(&Reply::default());
        return Ok(Exit::Replied(0));
    }
    let state = &here.state;
    let kept = called.recall(state);
    let Called { agent, event, faults, mut warnings, fields } = called;
    let check = kept.as_deref().and_then(|kept| CallCheck::new(&event, agent, kept));
    let found = check.iter().flat_map(CallCheck::find).collect();
    let here = &projects::having_left(here.beside(&event.within.cwd)?, kept.as_deref())?;
    let mut loaded = load::load(&which(args), here)?.firing();
    warnings.extend(projects::remember(&loaded, here, kept.as_deref()));
    warnings.extend(here.moved_home());
    here.warn_without_home(term);
    let place = ScratchPath::new(state);
    exemptions::lineage::note_caller(state);
    let begun = journal.map(|journal| Arc::new(aside::Begun::new(journal)));
    let engine = engine(&mut loaded, here, place.path(), begun.as_ref(), agent);
    // Where nothing is asked that writes files, nothing has to be made and removed.
    let scratch = if asks(&engine, &event) { place.make(term) } else { Scratch::NONE };
    let budget = left.saturating_sub(began.elapsed()).saturating_sub(KEPT.min(left / 4));
    let session = session(agent, &event, kept.as_ref());
    session.add_faults(found);
    let computing = session.clone();
    let put_off = AtomicBool::new(false);
    let work = async {
        let _ended = stream::Ended(session.clone());
        let mut outcome = engine.fire_within(event.clone(), &session, Some(budget)).await;
        session.drain_into(&mut outcome).await;
        put_off.store(aside::is_wanted(&outcome), Ordering::Relaxed);
        outcome.faults.splice(0..0, faults.into_iter().chain(loaded.faults()));
        let (kept, check) = (kept.as_deref(), check.as_ref());
        let about = About { agent, event: &event, kept, check, exemptions: &Exemptions::at(state) };
        // Print the reply as soon as it is known: killing programs must not delay it.
        about.send(outcome, warnings, term)
    };
    match block_on_here(work, move || computing.cancel()) {
        Err(starved) => Ok(starved.deny()),
        Ok(Waited::Done(exit)) => {
            // Without a record, running these hooks would have no effect.
            if let Some(begun) = begun.filter(|_| put_off.load(Ordering::Relaxed)) {
                aside::start(args, &fields, begun.number());
            }
            Ok(exit)
        }
        Ok(Waited::Signal(_)) => {
            scratch.discard();
            Ok(last_word::deny(Code::Cancelled, "the run was cancelled"))
        }
    }
}

/// The engine behind an agent, whose shadow hooks are asked later and whose firings `begun` records.
fn engine(
    loaded: &mut Loaded,
    here: &Here,
    scratch: &Path,
    begun: Option<&Arc<aside::Begun<Journal>>>,
    agent: DialectId,
) -> Engine {
    let ambient = here.ambient(None, Some(scratch));
    loaded.engine(|builder| {
        let builder = builder.ambient(ambient).connect(&here.roots).shadows(Shadows::PutOff);
        let builder = begun.cloned().into_iter().fold(builder, |builder, sink| builder.sink(sink));
        builder.self_protection().behind(agent)
    })
}

/// Asks what was put off when the agent had its reply, and reports to the record alone.
fn ask_aside(args: &Hook, here: &Here, term: Term, begun: u64) -> Result<Exit, Problem> {
    let here = &here.in_project_of(args.agent.dialect().project_variables())?;
    let Some(journal) = journal::open(here) else { return Ok(aside::DONE) };
    let Ok(called) = called(args, here) else { return Ok(aside::DONE) };
    let state = &here.state;
    let kept = called.session_store(state);
    let Called { agent, event, .. } = called;
    let mut loaded = load::load(&which(args), &here.beside(&event.within.cwd)?)?;
    let place = ScratchPath::new(state);
    let ambient = here.ambient(None, Some(place.path()));
    let scratch = place.make(term);
    let sink = Arc::new(aside::Behind { to: journal, begun });
    let engine = loaded.engine(|builder| {
        let builder = builder.ambient(ambient).connect(&here.roots).shadows(Shadows::Alone);
        builder.sink(sink).self_protection().behind(agent)
    });
    let session = aside::session(kept.map(|store| store as Arc<dyn Store>));
    let computing = session.clone();
    let work = async {
        let _ended = stream::Ended(session.clone());
        drop(engine.fire(event, &session).await);
        session.drain().await;
    };
    if let Ok(Waited::Signal(_)) = block_on_here(work, move || computing.cancel()) {
        scratch.discard();
    }
    Ok(aside::DONE)
}

/// Where hooks stand.
fn which(args: &Hook) -> Which {
    Which { config: args.config.clone(), dialect: None, compat: None }
}

/// Whether an event has hooks, beside the built-in ones.
fn asks(engine: &Engine, event: &Event) -> bool {
    let call = event.as_tool_call();
    let is_for = |name: &EventName| {
        *name == event.name || call.as_ref().is_some_and(|call| call.name == *name)
    };
    let is_asked =
        |hook: &Arc<configured::Hook>| is_for(&hook.event) && hook.layer != Layer::BuiltIn;
    engine.ruleset().hooks().iter().any(is_asked)
}

/// What hooks receive about the agent that calls (BR-14, BR-15).
fn host(agent: DialectId, event: &Event) -> Value {
    let can = agent.dialect().can(&event.name).unwrap_or_default();
    let words: Vec<&str> = can.iter().map(Power::as_str).collect();
    let row = tenterhook::agents::caller(agent.as_str());
    let unhooked = row.into_iter().flat_map(|row| row.installation.unhooked);
    let unhooked: Vec<&str> = unhooked.map(|u| u.tool.as_str()).collect();
    json!({ "agent": agent.as_str(), "can": words, "unhooked": unhooked })
}

/// A session that remembers what earlier calls did (BR-40).
fn session(agent: DialectId, event: &Event, kept: Option<&Arc<SessionStore>>) -> Session {
    let counts = agent.dialect().row(&event.name).is_some_and(|row| row.cap.is_some());
    match kept {
        Some(kept) if !counts || kept.can_keep() => {
            Session::of_one_event_in(Arc::clone(kept) as Arc<dyn Store>)
        }
        None if !counts => Session::of_one_event(),
        _ => Session::of_one_event_in(Arc::new(Unkept::default())),
    }
}
