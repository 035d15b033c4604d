//! `hook`: the one command that agents call. Reads an agent's event, fires the user's hooks, replies in the form that the agent reads.
//!
//! It prints nothing for people on standard output, and reports each failure to the agent as a restraint (BR-10).

mod aside;
pub(super) mod canary;
mod carry;
mod projects;
mod reply;
mod silenced;

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenterhook::engine::Builder;
use tenterhook::internal::engine::BackgroundHooks;
use tenterhook::internal::exemptions::{self, Exemptions};
use tenterhook::record::Sink;
use tenterhook::session::Store;
use tenterhook::{Engine, Event, Session};
use tenterhook_core::answer::Power;
use tenterhook_core::config::Ruleset;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DialectId, EventLabel, Reply, Whole};
use tenterhook_core::event::{EventName, Surroundings};
use tenterhook_core::hook::{self as configured, Layer, Run};
use tenterhook_core::outcome::Fault;
use tenterhook_core::rule::Part;

use super::input::{self, Given, Lost};
use super::{deny_unreadable_event, status, stream};
use crate::ambient::Here;
use crate::args::{Hook, Which};
use crate::exit::Exit;
use crate::journal;
use crate::last_word::{CallerReply, Form};
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::scratch::{Scratch, ScratchPath};
use crate::session_store::{SessionStore, Unkept};
use crate::term::Term;
use crate::usage;
use crate::wait::{Waited, block_on_current_thread};
use aside::Handover;
use carry::Carried;
use reply::About;
use silenced::CallCheck;

/// The part of the time limit that hooks do not get: it is reserved for reading the event,
/// replying and ending programs.
const KEPT: Duration = Duration::from_millis(300);

/// What the arguments say about a call, before anything of its event is read.
#[derive(Clone, Debug)]
struct Claim {
    /// The agent that calls.
    agent: DialectId,
    /// The event for which the hook is registered.
    event: EventName,
}

impl Claim {
    fn new(agent: DialectId, name: &str) -> Self {
        Self { agent, event: agent.dialect().event_of_entry(name) }
    }

    /// Returns the form in which the agent expects a reply.
    fn reply_form(&self) -> Form {
        let event = Event::new(self.event.clone(), Surroundings::default());
        Form::Agent(self.agent, Box::new(event))
    }
}

/// One call of the command: its arguments, what they claim, and the reply for which the agent waits.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    args: &'a Hook,
    claim: Claim,
    reply: &'a CallerReply,
}

/// Denies if the command line cannot be parsed but may come from an agent (BR-10). The reply is in
/// the agent's form if the arguments name agent and event.
pub(crate) fn deny_invalid_arguments(words: &[String], exit: Exit, reply: &CallerReply) -> Exit {
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
    let is_known = |agent: DialectId, event: &str| {
        let mut rows = agent.dialect().event_rows().iter();
        rows.any(|row| row.name == event || row.event == event)
    };
    match (agent, value("--event")) {
        (Some(agent), Some(event)) if is_known(agent, &event) => {
            reply.set_fallback_form(Claim::new(agent, &event).reply_form());
            reply.deny(Code::Failed, "`tenterhook hook` was called wrongly")
        }
        // The one code that most agents take for a denial.
        _ => Exit::Blocked,
    }
}

impl<'a> Call<'a> {
    /// Creates the call. From now on the agent gets a reply, in the form of the claimed event.
    pub(crate) fn new(args: &'a Hook, reply: &'a CallerReply) -> Self {
        let claim = Claim::new(args.agent, &args.event);
        reply.set_fallback_form(claim.reply_form());
        Self { args, claim, reply }
    }

    /// Fires the event and sends the reply.
    pub(crate) fn run(&self, here: &Here, term: Term) -> Exit {
        let began = Instant::now();
        if let Some(begun) = self.args.aside {
            // The agent had its reply: whatever goes wrong here is not reported.
            self.reply.send(&Reply::default());
            return self.run_deferred_hooks(here, term, begun).unwrap_or(aside::DONE);
        }
        let limit = self.time_limit();
        if let Err(error) = self.reply.start_deadline_thread(limit) {
            let message = format!("no thread can be made: {error}");
            return self.reply.deny(Code::OutOfResources, &message);
        }
        here.with_project_from_env(self.claim.agent.dialect().project_variables())
            .and_then(|here| self.fire(&here, term, limit.saturating_sub(began.elapsed())))
            .unwrap_or_else(|problem| self.reply.deny(Code::Failed, &problem.message))
    }

    /// Returns how long the agent waits, with a safety margin subtracted.
    fn time_limit(&self) -> Duration {
        let row = self.claim.agent.dialect().event_row(&self.claim.event);
        let usual = || row.map_or(Duration::from_secs(30), |row| row.timeout);
        self.args.within.unwrap_or_else(|| usual().mul_f32(0.9))
    }

    /// Reads the event. Its form and its fields decide which event it is, not the arguments
    /// (BR-13).
    fn read_event(&self, here: &Here) -> Result<Called, Lost> {
        self.decode_event(input::read_object_from_stdin()?, here)
    }

    fn decode_event(&self, mut whole: Whole, here: &Here) -> Result<Called, Lost> {
        let claim = &self.claim;
        let agent = DialectId::from_event_form(&whole.fields, claim.agent).unwrap_or(claim.agent);
        let mut warnings = Vec::new();
        if agent != claim.agent {
            self.reply.set_fallback_form(Claim::new(agent, &self.args.event).reply_form());
            let names = [agent, claim.agent]
                .map(|agent| agent.dialect().calling_agent_title().unwrap_or_default());
            if names.first() != names.last() {
                warnings.push(self.wrong_agent_warning(agent, here));
            }
        }
        let is_nameless = !NAMES.iter().any(|key| whole.fields.contains_key(*key));
        let mut judged = None;
        if is_nameless {
            // Some agents name the event in a separate field. Decode without the claimed name
            // first: once added, that name would win over the agent's field.
            judged = self.read_as_claimed_event(agent, &whole.fields, here)?;
            // Use the neutral name, because the agent that the arguments name may not be the one that calls.
            whole.fields.insert(ADDED.to_owned(), claim.event.as_str().into());
        }
        let Given { mut event, mut faults } = input::decode_object(&whole, agent, &here.roots)?;
        if is_nameless {
            // Remove the added field: the record's reader recognises the agent by the event's
            // fields, and this one belongs to another agent.
            whole.fields.remove(ADDED);
        }
        if judged.is_none() && agent.dialect().event_row(&event.name).is_none() {
            judged = self.read_as_claimed_event(agent, &whole.fields, here)?;
        }
        if let Some(fault) = agent.dialect().missing_subject_of_gate(&event) {
            return Err(Lost::from_unreadable(Problem::new(fault.to_string())));
        }
        if let Some((registered, message)) = judged {
            event = registered;
            faults.push(Fault { code: Code::UnknownEvent, hook: None, message });
        }
        if claim.event != event.name {
            // Only now is it known which event this is, and so whether it can be denied: set the
            // fallback reply again.
            self.reply.set_fallback_form(Form::Agent(agent, Box::new(event.clone())));
            warnings.push(format!(
                "the arguments say `--event {}`, but the agent sent `{}`; the latter is used",
                self.args.event,
                EventLabel::new(agent, &event.name).own()
            ));
        }
        event.within.facts.insert("host".to_owned(), caller_info(agent, &event));
        Ok(Called { agent, event, faults, warnings, fields: whole.fields })
    }

    /// Decodes an event with an unknown name as the event for which the agent's entry is registered.
    /// Returns `None` if that event cannot be denied, or if the agent has an event of this name.
    ///
    /// # Errors
    ///
    /// Where it cannot be judged as that event: then it is denied (BR-17).
    fn read_as_claimed_event(
        &self,
        agent: DialectId,
        fields: &Map<String, Value>,
        here: &Here,
    ) -> Result<Option<(Event, String)>, Lost> {
        let judged =
            agent.dialect().decode_as_claimed_event(fields, &self.claim.event, &here.roots);
        judged.map_err(|fault| Lost::from_unreadable(Problem::new(fault.to_string())))
    }

    /// Returns the warning that another agent reads a file that was written for the claimed one.
    fn wrong_agent_warning(&self, agent: DialectId, here: &Here) -> String {
        let agent = agent.dialect().calling_agent_title().unwrap_or_default();
        let places = self.claim.agent.dialect().candidate_files(&here.roots);
        let files = places.iter().filter(|candidate| candidate.path.exists());
        let files: Vec<String> = files
            .map(|file| load::shorten_path(&file.path.to_string_lossy(), &here.roots))
            .collect();
        let file = if files.is_empty() { "its own file".to_owned() } else { files.join(" or ") };
        format!(
            "the arguments say `--agent {}`, but the event comes from {agent}, which also reads {file}; the reply \
             is in {agent}'s format",
            self.claim.agent,
        )
    }

    /// Fires the event and replies within the remaining time.
    fn fire(&self, here: &Here, term: Term, left: Duration) -> Result<Exit, Problem> {
        let began = Instant::now();
        let mut called = match self.read_event(here) {
            Ok(called) => called,
            Err(lost) => return self.answer_lost_event(lost, here, term),
        };
        let journal = journal::open_agent_journal(called.agent, &called.fields, here);
        if called.agent.dialect().is_noise_event(&called.event) {
            self.reply.send(&called.agent.dialect().silent_reply(&called.event.name));
            return Ok(Exit::Replied(0));
        }
        let state = &here.state;
        let kept = called.open_store_setting_stop_flag(state);
        let (agent, event) = (called.agent, &called.event);
        let mut warnings = called.warnings.clone();
        let check = kept.as_deref().and_then(|kept| CallCheck::new(event, agent, kept));
        let found = check.iter().flat_map(CallCheck::note_and_find_faults).collect();
        let Prepared { here, loaded, place } =
            self.load_hooks_for_event(event, here, kept.as_deref())?;
        let mut loaded = loaded.prepare_for_firing();
        warnings.extend(warnings_about_directories(&loaded, &here, kept.as_deref(), term));
        exemptions::lineage::record_caller_as_agent(state);
        let begun = journal.map(|journal| Arc::new(aside::Begun::new(journal)));
        let sink = begun.clone().map(|begun| begun as Arc<dyn Sink>);
        let runs = (BackgroundHooks::Deferred, sink);
        let engine = build_engine(&mut loaded, &here, place.path(), agent, runs);
        // The program ends with this call: to take its hooks apart would only take time.
        let ruleset = ManuallyDrop::new(engine.ruleset());
        let may_write = may_hooks_write_files(&ruleset, event);
        let scratch = if may_write { place.create(term) } else { Scratch::NONE };
        let budget = left.saturating_sub(began.elapsed()).saturating_sub(KEPT.min(left / 4));
        let asked = event_with_usage(event, agent, &engine, kept.as_deref());
        let session = restore_session(agent, event, kept.as_ref());
        session.add_faults(found);
        let carried = Carried::add_to_session(&called, kept.as_deref(), &session, &mut warnings);
        let computing = session.clone();
        let rejected = loaded.faults_of_rejected_hooks();
        let work = async {
            let _ended = stream::Ended(session.clone());
            let mut outcome = engine.fire_within(asked, &session, Some(budget)).await;
            session.drain_into(&mut outcome).await;
            outcome.faults.splice(0..0, called.faults.iter().cloned().chain(rejected));
            let (kept, check) = (kept.as_deref(), check.as_ref());
            let (ruleset, exemptions) = (&*ruleset, &Exemptions::in_directory(state));
            let about = About { agent, event, ruleset, kept, check, exemptions };
            let by = (ruleset.as_ref(), begun.as_deref());
            let handover = Handover::prepare(&outcome, by, &called, state, &mut warnings);
            // Print the reply as soon as it is known: killing programs must not delay it.
            let send = |outcome| about.send_reply(outcome, warnings, term, self.reply);
            (carried.finish_with_reply(outcome, send), handover)
        };
        match block_on_current_thread(work, move || computing.cancel()) {
            Err(starved) => Ok(starved.deny_to_caller(self.reply)),
            Ok(Waited::Done((exit, handover))) => {
                handover.into_iter().for_each(|hooks| hooks.spawn(self.args, &called.fields));
                Ok(exit)
            }
            Ok(Waited::Signal(_)) => Ok(self.deny_cancelled_run(scratch)),
        }
    }

    /// Answers a call whose event cannot be read.
    fn answer_lost_event(&self, lost: Lost, here: &Here, term: Term) -> Result<Exit, Problem> {
        match find_agent_that_sent_no_event(&lost, self.claim.agent, here) {
            Some(agent) => self.answer_agent_without_event(agent, here, term),
            None => self.deny_unreadable_event(lost, here, term),
        }
    }

    fn deny_unreadable_event(&self, lost: Lost, here: &Here, term: Term) -> Result<Exit, Problem> {
        let journal = journal::open_agent_journal(self.claim.agent, &Map::new(), here);
        deny_unreadable_event(lost, journal.as_ref(), term, self.reply)
    }

    /// Answers an agent that runs the entry of another agent and gives it no event (BR-171). If its
    /// own entry calls, that one judges the same action, and this one is silent.
    fn answer_agent_without_event(
        &self,
        agent: DialectId,
        here: &Here,
        term: Term,
    ) -> Result<Exit, Problem> {
        let claim = Claim::new(agent, &self.args.event);
        if status::is_tenterhook_called_by_agent(agent.as_str(), here) {
            self.reply.send(&agent.dialect().silent_reply(&claim.event));
            return Ok(Exit::Replied(0));
        }
        self.reply.set_fallback_form(claim.reply_form());
        let title = agent.dialect().calling_agent_title().unwrap_or_default();
        let owner = self.claim.agent.dialect().calling_agent_title().unwrap_or_default();
        let problem = Problem::new(format!(
            "{title} runs an entry of {owner}'s settings without the event, so no hook can judge it; \
             `tenterhook install {agent} --experimental` makes {title} call Tenterhook itself"
        ));
        self.deny_unreadable_event(Lost::from_unreadable(problem), here, term)
    }

    fn deny_cancelled_run(&self, scratch: Scratch) -> Exit {
        scratch.discard();
        self.reply.deny(Code::Cancelled, "the run was cancelled")
    }

    /// Loads the hooks that apply where the event happened, and the gates of the projects that the
    /// session was in before (BR-19).
    fn load_hooks_for_event(
        &self,
        event: &Event,
        here: &Here,
        kept: Option<&SessionStore>,
    ) -> Result<Prepared, Problem> {
        let here = projects::with_gates_of_projects_left(
            projects::with_projects_of_event(here, event)?,
            kept,
        )?;
        let which = Which { config: self.args.config.clone(), dialect: None, compat: None };
        let mut loaded = load::load_hooks(&which, &here)?;
        loaded.sources.extend(canary::rule_for_canary_event(event));
        let place = ScratchPath::new(&here.state);
        Ok(Prepared { here, loaded, place })
    }

    /// Runs the hooks that were deferred until the agent had its reply.
    fn run_deferred_hooks(&self, here: &Here, term: Term, begun: u64) -> Result<Exit, Problem> {
        let here = &here.with_project_from_env(self.claim.agent.dialect().project_variables())?;
        let Ok(mut whole) = input::read_object_from_stdin() else { return Ok(aside::DONE) };
        let (own, slot) = aside::take_hooks_and_slot(&mut whole.fields);
        let Ok(called) = self.decode_event(whole, here) else { return Ok(aside::DONE) };
        let kept = called.open_session_store(&here.state);
        let Called { agent, event, fields, .. } = called;
        let to = journal::open_agent_journal(agent, &fields, here);
        let deliveries = kept.as_deref().map(SessionStore::deliveries);
        let Prepared { here, mut loaded, place } =
            self.load_hooks_for_event(&event, here, kept.as_deref())?;
        let sink = Arc::new(aside::Behind { to, begun, agent, deliveries }) as Arc<dyn Sink>;
        let runs = (BackgroundHooks::Only(own), Some(sink));
        let engine = build_engine(&mut loaded, &here, place.path(), agent, runs);
        let scratch = place.create(term);
        let asked = event_with_usage(&event, agent, &engine, kept.as_deref());
        let runs = kept.as_deref().map(SessionStore::deliveries);
        let session = aside::background_session(kept.map(|store| store as Arc<dyn Store>));
        let computing = session.clone();
        let work = async {
            let _ended = stream::Ended(session.clone());
            drop(engine.fire(asked, &session).await);
            session.drain().await;
        };
        match block_on_current_thread(work, move || computing.cancel()) {
            Ok(Waited::Signal(_)) => scratch.discard(),
            // The next event reports hooks whose process does not come this far.
            _ => {
                runs.iter().for_each(|runs| runs.end_run(&slot));
                tenterhook_process::leave_descendants_on_exit();
            }
        }
        Ok(aside::DONE)
    }
}

/// Returns the agent that ran an entry of `owner` without an event, by the variable that it sets for
/// its hooks.
fn find_agent_that_sent_no_event(lost: &Lost, owner: DialectId, here: &Here) -> Option<DialectId> {
    let is_set = |name: &str| here.env.iter().any(|(key, _)| key.as_str() == name);
    let sets = |agent: &DialectId| agent.dialect().own_variable().is_some_and(is_set);
    let found = lost.is_empty_event().then(|| DialectId::agents().find(sets)).flatten();
    // An agent's own entry judges the call, so nothing else does where it gets no event.
    found.filter(|agent| *agent != owner)
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
    /// Opens the state that earlier calls of this session stored.
    fn open_session_store(&self, state: &Path) -> Option<Arc<SessionStore>> {
        SessionStore::open(state, self.agent.as_str(), &self.event.within.session_id).map(Arc::new)
    }

    /// Opens the state that earlier calls of this session stored, and sets `stop_hook_active` from
    /// it.
    fn open_store_setting_stop_flag(&mut self, state: &Path) -> Option<Arc<SessionStore>> {
        let kept = self.open_session_store(state);
        self.set_stop_hook_active(kept.as_deref());
        kept
    }

    /// Sets `stop_hook_active` from our own state, for agents that do not report it reliably.
    fn set_stop_hook_active(&mut self, kept: Option<&SessionStore>) {
        let dialect = self.agent.dialect();
        let ends = dialect.event_row(&self.event.name).is_some_and(|row| row.cap.is_some());
        if ends && !dialect.reports_stop_hook_active() {
            let before = kept.is_some_and(|store| store.strikes(&self.event.name) > 0);
            self.event.payload.insert("stop_hook_active".to_owned(), before.into());
            self.fields.insert("stop_hook_active".to_owned(), before.into());
        }
    }
}

/// The fields in which agents name the event.
const NAMES: &[&str] = &[ADDED, "event"];
/// The field that is added to an event that has no name.
const ADDED: &str = "hook_event_name";

/// What a call is fired with.
struct Prepared {
    /// Where the event happened.
    here: Here,
    /// The hooks.
    loaded: Loaded,
    /// The path of the directory for the files of hooks; it is created when a hook needs it.
    place: ScratchPath,
}

/// Builds the engine for an agent's call, with what runs its background hooks and where it records.
fn build_engine(
    loaded: &mut Loaded,
    here: &Here,
    scratch: &Path,
    agent: DialectId,
    (background, sink): (BackgroundHooks, Option<Arc<dyn Sink>>),
) -> Engine {
    let ambient = here.hook_ambient(None, Some(scratch));
    loaded.retain_own_hooks(agent, here);
    loaded.build_engine(|builder| {
        let builder = builder.ambient(ambient).connect(&here.roots).background_hooks(background);
        let builder = sink.into_iter().fold(builder, Builder::sink);
        builder.self_protection().behind(agent)
    })
}

/// Stores the project of the call, and returns the warnings about its projects and its home.
fn warnings_about_directories(
    loaded: &Loaded,
    here: &Here,
    kept: Option<&SessionStore>,
    term: Term,
) -> Vec<String> {
    let mut warnings = projects::store_projects_and_get_warnings(loaded, here, kept);
    warnings.extend(here.home_inside_project_warning());
    here.warn_if_home_missing(term);
    warnings
}

/// Returns whether files may be written for the hooks of an event, so that they need a scratch
/// directory. Built-in hooks write none; for a rule, only a context that is too long is written.
fn may_hooks_write_files(ruleset: &Ruleset, event: &Event) -> bool {
    let call = event.as_tool_call();
    let is_for = |name: &EventName| {
        *name == event.name || call.as_ref().is_some_and(|call| call.name == *name)
    };
    let is_silent_rule =
        |run: &Run| matches!(run, Run::Rule(rule) if rule.part_text(Part::Context).is_none());
    let may_write = |hook: &Arc<configured::Hook>| {
        is_for(&hook.event) && hook.layer != Layer::BuiltIn && !is_silent_rule(&hook.run)
    };
    ruleset.hooks().iter().any(may_write)
}

/// Returns the event as hooks get it: with the tokens of its session, where they are known.
fn event_with_usage(
    event: &Event,
    agent: DialectId,
    engine: &Engine,
    kept: Option<&SessionStore>,
) -> Event {
    let mut event = event.clone();
    usage::add_usage(&mut event, agent, &engine.ruleset(), kept);
    event
}

/// Returns what hooks receive about the agent that calls (BR-14, BR-15).
fn caller_info(agent: DialectId, event: &Event) -> Value {
    let can = agent.dialect().accepted_powers(&event.name).unwrap_or_default();
    let words: Vec<&str> = can.iter().map(Power::as_str).collect();
    let row = tenterhook_core::agents::agent_with_hook_installation(agent.as_str());
    let unhooked = row.into_iter().flat_map(|row| row.installation.unhooked);
    let unhooked: Vec<&str> = unhooked.map(|u| u.tool.as_str()).collect();
    json!({ "agent": agent.as_str(), "can": words, "unhooked": unhooked })
}

/// Creates a session that continues from what earlier calls stored (BR-40).
fn restore_session(agent: DialectId, event: &Event, kept: Option<&Arc<SessionStore>>) -> Session {
    let counts = agent.dialect().event_row(&event.name).is_some_and(|row| row.cap.is_some());
    match kept {
        Some(kept) if !counts || kept.can_store_state() => {
            Session::of_one_event_in(Arc::clone(kept) as Arc<dyn Store>)
        }
        _ => Session::of_one_event_in(Arc::new(Unkept::default())),
    }
}
