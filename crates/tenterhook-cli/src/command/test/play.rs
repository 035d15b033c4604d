//! Plays cases, each in its own directory and several at once, and returns each result. Judges nothing.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenterhook::executor::Ambient;
use tenterhook::executor::http::Network;
use tenterhook::executor::mcp::{Configured, Servers};
use tenterhook::executor::model::ModelClient;
use tenterhook::internal::discover;
use tenterhook::session::View;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::{self, Added};
use tenterhook_core::dialect::native::{Case, Happens};
use tenterhook_core::dialect::{EventRow, Roots, whole_object};
use tenterhook_core::hook::{Enforcement, Hook, HookId};
use tenterhook_core::outcome::Fault;
use tenterhook_core::plan;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::copies::Copies;
use super::fixture::{
    Fixture, fill_placeholders, fill_placeholders_in_text, replace_paths_by_placeholders,
};
use super::mutant::Mutant;
use super::sandboxes;
use super::suite::Suite;
use crate::ambient::Here;
use crate::command::what;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::term::Term;

/// A case to play.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) suite: Arc<Suite>,
    pub(super) case: Arc<Case>,
    /// One hook of it, changed.
    pub(super) mutant: Option<Arc<Mutant>>,
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub(super) struct Came {
    /// What was decided, as `expect` says it.
    pub(super) decision: &'static str,
    pub(super) reason: Option<String>,
    pub(super) context: Vec<String>,
    pub(super) rewrite: Option<Value>,
    pub(super) faults: Vec<Fault>,
    pub(super) took: Duration,
    /// The hooks that ran.
    pub(super) ran: Vec<HookId>,
    /// The hooks that restrained.
    pub(super) held: Vec<HookId>,
    /// Whether a hook runs in the background in its agent.
    pub(super) background: bool,
    /// Why no hook ran, where none did and one might have.
    pub(super) because: Option<String>,
}

/// What all cases share.
#[derive(Clone, Debug)]
pub(super) struct World {
    env: Arc<[(String, String)]>,
    servers: Arc<Configured>,
    network: Network,
    /// How wide the line is that says how far it is.
    width: usize,
    model: Arc<ModelClient>,
}

impl World {
    /// Creates the world of this run, with the MCP servers that hooks of `suites` call.
    pub(super) fn new(suites: &[Arc<Suite>], here: &Here, term: Term) -> Self {
        let network = Network::default();
        let servers = Configured::new([], here.env.clone()).reached_by(network.clone());
        // An argument that names a file of hooks names no file of servers.
        let trust = here.trust_store();
        let found = suites.iter().flat_map(|suite| {
            let find = || trust.servers(&suite.roots, &suite.sources);
            discover::servers_for_hooks_found_by(&suite.ruleset, find).0
        });
        servers.replace(found.collect::<Vec<_>>());
        Self {
            env: here.env.clone().into(),
            servers: Arc::new(servers),
            network,
            width: term.width(),
            model: Arc::new(ModelClient::new(&here.env, None)),
        }
    }

    fn hook_ambient(&self, place: Option<&Fixture>) -> Ambient {
        let mut ambient = Ambient::default()
            .env(place.map_or_else(|| self.env.to_vec(), |location| location.hook_env(&self.env)))
            .servers(Arc::clone(&self.servers) as Arc<dyn Servers>)
            .model(Arc::clone(&self.model) as Arc<_>)
            .network(self.network.clone());
        ambient.scratch = place.map(Fixture::scratch_dir);
        ambient
    }
}

/// How many places are made at once: every one is a directory on the disk.
const AT_ONCE: usize = 128;

/// Plays all jobs and returns the results in the order of the jobs. If it takes long, the progress
/// line shows `what`.
pub(super) async fn play_all(
    what: &'static str,
    jobs: Vec<Job>,
    world: &World,
) -> Vec<Result<Came, Problem>> {
    let mut came = Vec::new();
    let progress = Progress::begin(what, jobs.len(), world.width);
    let turns = available_parallelism().map_or(2, usize::from);
    let turns = Arc::new(Semaphore::new(turns));
    for some in jobs.chunks(AT_ONCE) {
        // All places are made before the first program is started ([`Place::make`]).
        let ready: Vec<_> = some.iter().map(|job| Ready::new(job, world)).collect();
        let mut running = JoinSet::new();
        let mut results: Vec<Option<Result<Came, Problem>>> = Vec::new();
        for (at, ready) in ready.into_iter().enumerate() {
            results.push(None);
            let (turns, steps) = (Arc::clone(&turns), progress.step_counter());
            match ready {
                Err(problem) => {
                    if let Some(slot) = results.get_mut(at) {
                        *slot = Some(Err(problem));
                    }
                }
                Ok(ready) => drop(running.spawn(async move {
                    let _turn = turns.acquire_owned().await;
                    let came = ready.fire().await;
                    steps.count_step();
                    (at, came)
                })),
            }
        }
        while let Some(done) = running.join_next().await {
            let Ok((at, done)) = done else { continue };
            if let Some(slot) = results.get_mut(at) {
                *slot = Some(Ok(done));
            }
        }
        let lost = || Err(Problem::new("the case did not finish: its task panicked"));
        came.extend(results.into_iter().map(|result| result.unwrap_or_else(lost)));
    }
    came
}

/// A case with everything that it needs.
struct Ready {
    engine: Engine,
    event: Event,
    roots: Roots,
    /// Lives as long as the case.
    _place: Option<Fixture>,
}

impl Ready {
    fn new(job: &Job, world: &World) -> Result<Self, Problem> {
        let Job { suite, case, mutant } = job;
        let about = suite.hooks_of_case(case);
        let is_about = |hook: &Hook| about.contains(&hook.id);
        let hooks = suite.ruleset.hooks();
        if let Some(name) = &case.hook
            && about.is_empty()
        {
            return Err(no_such_hook_problem(name, hooks.iter().map(|hook| hook.id.as_str())));
        }
        let is_inside =
            hooks.iter().filter(|hook| is_about(hook)).all(|hook| hook.run.runs_in_process());
        let place = match is_inside && case.files.is_empty() {
            true => None,
            false => Some(create_fixture(suite, case, mutant.as_deref())?),
        };
        let (staged, roots) = match &place {
            None => (None, suite.roots.clone()),
            Some(place) => {
                let read =
                    config::load(&place.sources_moved_into_fixture(suite), &Added::default(), None);
                (Some(read.ruleset), place.roots(suite))
            }
        };
        let hooks = staged.as_ref().map_or(hooks, |ruleset| ruleset.hooks());
        let mut hooks: Vec<Hook> =
            hooks.iter().filter(|hook| is_about(hook)).map(|hook| Hook::clone(hook)).collect();
        if let Some(mutant) = mutant {
            mutant.apply_to_hooks(&mut hooks);
        }
        // A case says what a hook says, not whether that counts today (SH-13).
        hooks.iter_mut().for_each(|hook| hook.enforcement = Enforcement::Usual);
        suite.sandboxes.apply_to_hooks(&mut hooks);
        let event = case_event(case, suite, &roots)?;
        let mut builder = Engine::builder().ambient(world.hook_ambient(place.as_ref()));
        if let Some(row) = suite.ruleset.custom_event_row(&event.name) {
            builder = builder.event(EventRow::clone(row));
        }
        for hook in hooks {
            builder = builder.hook(hook);
        }
        Ok(Self { engine: builder.build().0, event, roots, _place: place })
    }

    async fn fire(self) -> Came {
        let session = Session::of_one_event();
        let began = Instant::now();
        let mut outcome = self.engine.fire(self.event.clone(), &session).await;
        session.drain_into(&mut outcome).await;
        let took = began.elapsed();
        session.end();
        self.case_result(outcome, took)
    }

    fn case_result(&self, outcome: Outcome, took: Duration) -> Came {
        let say = |text: &str| replace_paths_by_placeholders(text, &self.roots);
        let ran = outcome.steps.iter().filter(|step| step.ended.was_attempted());
        let held = |step: &&tenterhook_core::outcome::Step| step.verdict > Restraint::Allow;
        let effects = &outcome.effects;
        let input = effects.updated_input.clone();
        let rewrite = input.or_else(|| effects.updated_prompt.clone().map(Value::from));
        Came {
            decision: match &effects.stop {
                Some(_) => "stop",
                None => outcome.restraint.name().unwrap_or("silent"),
            },
            reason: outcome
                .reason()
                .or_else(|| effects.stop.as_ref()?.reason.clone())
                .map(|reason| say(&reason)),
            context: effects.context.iter().map(|text| say(text)).collect(),
            rewrite,
            held: outcome.steps.iter().filter(held).map(|step| step.hook.clone()).collect(),
            ran: ran.map(|step| step.hook.clone()).collect(),
            background: outcome.steps.iter().any(|step| step.ended.is_in_background()),
            because: outcome.steps.is_empty().then(|| self.why_hook_did_not_run()).flatten(),
            faults: outcome
                .faults
                .into_iter()
                .filter(|fault| !sandboxes::is_machine_limitation(fault))
                .collect(),
            took,
        }
    }

    /// Returns why the hook that a case is about did not run.
    fn why_hook_did_not_run(&self) -> Option<String> {
        let ruleset = self.engine.ruleset();
        let said = plan::explain(&ruleset, &View::default(), &self.event);
        match said.as_slice() {
            [(_, only)] => Some(only.because.clone()),
            _ => None,
        }
    }
}

fn create_fixture(suite: &Suite, case: &Case, mutant: Option<&Mutant>) -> Result<Fixture, Problem> {
    let copies: &Copies = mutant.and_then(Mutant::changed_files).unwrap_or(&suite.copies);
    Fixture::create(copies, &case.files)
        .map_err(|error| Problem::new(format!("no directory can be made for the case: {error}")))
}

fn no_such_hook_problem<'a>(name: &HookId, known: impl Iterator<Item = &'a str>) -> Problem {
    let near = tenterhook_core::diagnostic::nearest_word(name.as_str(), known);
    let help = near.map_or_else(
        || "`tenterhook list` names the hooks".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Problem::new(format!("no hook is called `{name}`")).with_help(help)
}

/// Returns the event of a case, as it happens in a fixture.
fn case_event(case: &Case, suite: &Suite, roots: &Roots) -> Result<Event, Problem> {
    let form = match &case.event {
        Happens::Words(words) if words.trim_start().starts_with('{') => {
            let whole = whole_object(words.as_bytes());
            whole.map_err(|why| Problem::new(format!("the event {why}")))?.fields
        }
        Happens::Words(words) => {
            let words = fill_placeholders_in_text(words, roots);
            return what::parse_event_line(&words, case.on.as_deref(), suite.dialect, roots);
        }
        Happens::Form(form) => form.clone(),
    };
    let mut form = form;
    if let Some(on) = &case.on {
        form.entry("event").or_insert_with(|| on.as_str().into());
    }
    let Value::Object(form) = fill_placeholders(&form.into(), roots) else {
        return Err(Problem::new(""));
    };
    let event = suite.dialect.dialect().decode_event(&form, roots).map_err(|fault| {
        Problem::new(format!("the event cannot be read as {}: {fault}", suite.dialect))
            .with_help("write it in words, such as `Bash git push -f`, or say its `dialect`")
    })?;
    let is_there = Path::new(&event.within.cwd).is_dir();
    // Where a recording was made is no place here.
    let mut event = event;
    if !is_there {
        event.within.cwd.clone_from(&roots.cwd);
        event.within.project.clone_from(&roots.cwd);
    }
    Ok(event)
}
