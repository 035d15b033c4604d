//! The agent's interface to the engine: each hook point is one method in the agent's own terms.
//! Only this module uses the engine; it decides nothing beyond an outcome.

mod agents;
mod asides;
mod files;
mod findings;
mod guarded;
mod holds;
mod label;
mod late;
mod leaving;
mod mailboxes;
mod means;
mod panel;
mod past;
mod points;
mod prompts;
mod report;
mod rules;
mod servers;
mod sessions;
mod shell;
mod store;
mod tools;
mod turns;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value};
/// The services that models run on: one table for hooks and for the agent itself.
pub(crate) use tenterhook::internal::executor::services::{self, MODEL};
use tenterhook::internal::{discover, exemptions};
use tenterhook::record::Journal;
use tenterhook::trust::Trust;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::agents::CLAUDE;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DialectId, Dispatch, Roots};
use tenterhook_core::event::{EventName, Surroundings};
use tenterhook_core::hook::HookId;

use asides::Asides;
use files::Loaded;
use holds::AwaitedNow;
pub(crate) use late::Late;
use mailboxes::Mailboxes;
use means::Means;
use past::Past;
pub(crate) use rules::{BadRule, Doubt, FilesTouched, PermissionRule, Skips, Tree};
#[cfg(test)]
pub(crate) use servers::ServerError;
pub(crate) use servers::{ServerOffer, ServerTool};
pub(crate) use shell::CommandSandbox;
use store::Marks;
pub(crate) use turns::TurnEnd;
pub(crate) use verdict::Verdict;

use crate::underway::Underway;
use crate::update::{Rewritten, Trace, TraceStep, Update, Updates};

/// The result of hooks that were not awaited: the turn was stopped, or the person was quicker (HO-14).
const GIVEN_UP: &str = "given up";

/// Where the agent works and what it is called, for every event.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentContext {
    /// The session's name.
    pub(crate) session: String,
    /// Where the agent works now.
    pub(crate) cwd: PathBuf,
    /// Where the session was started.
    pub(crate) project: PathBuf,
    /// The user's home.
    pub(crate) home: PathBuf,
    /// Whether the project is the person's own by how it was named: that of a script that they play.
    pub(crate) is_named: bool,
    /// The transcript.
    pub(crate) transcript: PathBuf,
    /// The permission mode, the model and the like.
    pub(crate) facts: Map<String, Value>,
}

/// The hooks of one session, as one agent of it fires them. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Hooks {
    engine: Engine,
    session: Session,
    marks: Arc<Marks>,
    means: Arc<Means>,
    /// The sources of the hooks that are loaded.
    loaded: Arc<Mutex<Loaded>>,
    place: Arc<Mutex<AgentContext>>,
    env: Arc<Vec<(String, String)>>,
    /// What the person approved of what came with the project.
    trust: Option<Trust>,
    /// How often other hooks took the place of those that were loaded.
    generation: Arc<AtomicU64>,
    /// What was fired, for `/hooks`.
    past: Arc<Mutex<Past>>,
    /// Hooks in the background.
    asides: Asides,
    /// The hooks that events wait for now.
    awaited_now: AwaitedNow,
    /// Why the end of the program waits for hooks no longer.
    cut_reason: Arc<OnceLock<String>>,
    /// Where late context of each subagent goes while it works.
    mailboxes: Mailboxes,
    /// The originals of what was rewritten, until the transcript has them.
    rewritten: Arc<Mutex<Vec<Rewritten>>>,
    /// Which subagent fires, if one does.
    agent: Map<String, Value>,
    /// Where that one works, if elsewhere.
    elsewhere: Option<PathBuf>,
    updates: Updates,
}

impl Hooks {
    /// Loads the hooks that apply at `place`. Their mistakes become warnings.
    pub(crate) fn load(place: AgentContext, env: &[(String, String)], updates: Updates) -> Self {
        let roots = discovery_roots(&place, env);
        let trust = (!place.is_named).then(|| load_trust(&roots, env));
        let found =
            trust.as_ref().map_or_else(|| discover::find(&roots), |trust| trust.find(&roots));
        let means = Means::new(env, &updates);
        let builder = Engine::builder().sources(found.sources.iter().cloned());
        let builder = builder
            .ambient(means.engine_ambient())
            .self_protection()
            .record(open_journal(&roots, env));
        let builder = match &trust {
            // Somebody else's programs: what they need beside the project is granted by name.
            Some(trust) => builder.trust(trust.clone()).confine_repositories(),
            None => builder.trust_repositories_unasked(),
        };
        let (engine, diagnostics) = builder.build();
        let findings =
            means.connect_servers(&engine.ruleset(), trust.as_ref(), &roots, &found.sources);
        let reported = diagnostics.iter().chain(&findings);
        for line in findings::warning_lines(reported, engine.ruleset().hooks()) {
            updates.warn("hooks", line);
        }
        let marks = Arc::new(Marks::open(&place.transcript, updates.clone()));
        Self {
            engine,
            session: Session::new(marks.clone()),
            marks,
            means: Arc::new(means),
            loaded: Arc::new(Mutex::new(Loaded::new(found.sources))),
            place: Arc::new(Mutex::new(place)),
            env: Arc::new(env.to_vec()),
            trust,
            generation: Arc::default(),
            past: Arc::default(),
            asides: Asides::default(),
            awaited_now: AwaitedNow::default(),
            cut_reason: Arc::default(),
            mailboxes: Mailboxes::default(),
            rewritten: Arc::default(),
            agent: Map::new(),
            elsewhere: None,
            updates,
        }
    }

    /// Returns the same hooks, fired by a subagent that may work in another directory.
    pub(crate) fn for_subagent(&self, id: &str, kind: &str, elsewhere: Option<&Path>) -> Self {
        let mut agent = Map::new();
        agent.insert("agent_id".to_owned(), id.into());
        agent.insert("agent_type".to_owned(), kind.into());
        let elsewhere = elsewhere.map(Path::to_owned);
        let updates = self.updates.for_subagent(id);
        Self { agent, elsewhere, updates, rewritten: Arc::default(), ..self.clone() }
    }

    /// Removes and returns what hooks rewrote since the last call, for the transcript, which keeps
    /// the originals.
    pub(crate) fn take_rewrites(&self) -> Vec<Rewritten> {
        std::mem::take(&mut self.rewritten.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns a number that changes when other hooks are loaded or switched on.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Changes the generation, because the loaded hooks are different now.
    fn bump_generation(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Sets a fact of the session.
    pub(crate) fn set_session_fact(&self, name: &str, value: impl Into<Value>) {
        self.update_context(|place| drop(place.facts.insert(name.to_owned(), value.into())));
    }

    /// Changes the context in which the agent works.
    pub(crate) fn update_context(&self, change: impl FnOnce(&mut AgentContext)) {
        change(&mut self.place.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the id of the session.
    pub(crate) fn session_id(&self) -> String {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).session.clone()
    }

    /// Continues as the session with this id and transcript, and with the marks of what its hooks
    /// did once.
    pub(crate) fn switch_session(&self, session: &str, transcript: &Path) {
        self.marks.switch_session(transcript);
        self.update_context(|place| {
            session.clone_into(&mut place.session);
            transcript.clone_into(&mut place.transcript);
        });
    }

    /// Loads the hooks of a test sandbox.
    #[cfg(test)]
    pub(crate) fn from_test_sandbox(room: &tenterhook_testkit::Sandbox) -> Self {
        let place = AgentContext {
            home: room.home(),
            cwd: room.project(),
            transcript: room.project().join("t.jsonl"),
            ..AgentContext::default()
        };
        Self::load(place, &room.env(), Updates::channel().0)
    }

    fn new_event(&self, name: &str) -> Event {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let mut facts = place.facts.clone();
        facts.extend(self.agent.clone());
        let within = Surroundings {
            session_id: place.session.clone(),
            cwd: self.elsewhere.clone().unwrap_or_else(|| place.cwd.clone()),
            project: place.project.clone(),
            home: place.home.clone(),
            transcript: Some(place.transcript.clone()),
            facts,
        };
        Event::new(name, within)
    }

    async fn fire_and_wait_for_hooks(&self, event: Event) -> Verdict {
        self.dispatch_event(event, Dispatch::Awaited).await
    }

    async fn dispatch_event(&self, event: Event, dispatch: Dispatch) -> Verdict {
        self.past.lock().unwrap_or_else(PoisonError::into_inner).push_event(&event);
        let fired = event.clone();
        let waits = match dispatch {
            Dispatch::Awaited => self.awaited_hooks(&event),
            Dispatch::FireAndForget => Vec::new(),
        };
        let held = self.announce_wait_for_hooks(&event, &waits);
        let (updates, label, cut_reason) =
            (self.updates.clone(), self.event_label(&fired.name), Arc::clone(&self.cut_reason));
        let began = Instant::now();
        let underway = Underway::new(move || {
            if let Some(why) = cut_reason.get() {
                leaving::report_cut_hooks(&updates, &waits, began.elapsed(), why);
            }
            let came = GIVEN_UP.to_owned();
            let trace = Trace { event: label.into(), came, steps: Vec::new() };
            updates.send(Update::Hooks(trace));
        });
        let outcome = match dispatch {
            Dispatch::Awaited => self.engine.fire(event, &self.session).await,
            Dispatch::FireAndForget => self.engine.fire_and_forget(event, &self.session).await,
        };
        underway.disarm();
        drop(held);
        self.publish_outcome(&fired.name, &outcome);
        let mut verdict = Verdict::from_outcome(&outcome);
        let deciding: Vec<_> = match outcome.reasons.as_slice() {
            [] => outcome.steps.iter().map(|step| &step.hook).collect(),
            reasons => reasons.iter().map(|reason| &reason.hook).collect(),
        };
        verdict.event = self.label_for_hooks(&fired.name, deciding).own();
        let label = |hooks: &[HookId]| self.label_for_hooks(&fired.name, hooks);
        for deed in report::outcome_deeds(&fired, &outcome, &label) {
            if let Some(change) = &deed.change {
                verdict.rewritten = Some(change.clone());
                self.rewritten.lock().unwrap_or_else(PoisonError::into_inner).push(change.clone());
            }
            // A replaced message of the model already names its hook.
            if deed.change.is_none() || fired.name.as_str() != prompts::SHOWN {
                self.updates.send(Update::Did(deed));
            }
        }
        verdict
    }

    /// Shows the user what hooks did: which ran, their messages for the user, and faults.
    fn publish_outcome(&self, event: &EventName, outcome: &Outcome) {
        // A cap ends the turn where no hook does (HO-10).
        let is_ended_by_cap =
            outcome.effects.stop.is_some() && !outcome.steps.iter().any(|step| step.stopped);
        let label = self.label_for_hooks(event, outcome.steps.iter().map(|step| &step.hook));
        for fault in &outcome.faults {
            // The end of a turn is reported where it ends (HO-10).
            if fault.code == Code::CapReached && is_ended_by_cap {
                continue;
            }
            let hook = fault.hook.as_ref().map(|id| format!("hook `{id}`: ")).unwrap_or_default();
            let name = match &fault.hook {
                Some(id) => self.label_for_hooks(event, [id]),
                None => label.clone(),
            };
            self.updates.warn(&name.own(), format!("{hook}{}", fault.message));
        }
        let mut dialects = outcome.steps.iter().map(|step| self.dialect_of_hook(&step.hook));
        let warns = !outcome.steps.is_empty()
            && dialects.all(|dialect| dialect == Some(DialectId::REASONIX));
        for (message, line) in outcome.steps.iter().flat_map(late::user_messages) {
            // What its hooks say to the user are warnings: `@@WARN`.
            self.updates.send(if warns {
                Update::Warn { event: label.own(), reason: message.clone() }
            } else {
                Update::Notice(line)
            });
        }
        if outcome.steps.is_empty() {
            return;
        }
        self.past.lock().unwrap_or_else(PoisonError::into_inner).record_steps_that_ran(outcome);
        let steps = outcome.steps.iter().map(|step| TraceStep {
            hook: step.hook.to_string(),
            ended: step.ended.to_string(),
            took_ms: step.took.as_millis().try_into().unwrap_or(u64::MAX),
            verdict: report::step_word(step),
        });
        self.updates.send(Update::Hooks(Trace {
            event: label.into(),
            came: report::outcome_word(outcome).to_owned(),
            steps: steps.collect(),
        }));
    }
}

/// Opens the journal that records firings, as configured in the user's and the organisation's
/// files.
fn open_journal(roots: &Roots, env: &[(String, String)]) -> Option<Arc<Journal>> {
    let state = state_directory(roots, env);
    let journal = Journal::below(state.parent()?, &discover::record(roots))?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    Some(Arc::new(journal.called_by("tenterhook-agent", Some(version))))
}

/// Loads the user's approvals, and warns once about each repository without any. `tenterhook trust`
/// writes them.
fn load_trust(roots: &Roots, env: &[(String, String)]) -> Trust {
    let state = state_directory(roots, env);
    let trust = match exemptions::account_state_directory(roots) {
        Some(usual) if usual != state => Trust::at(&state).and_at(usual),
        _ => Trust::at(&state),
    };
    trust.within(env).telling_once().keeping_last_good()
}

/// Returns the directory where this program stores the user's decisions.
fn state_directory(roots: &Roots, env: &[(String, String)]) -> PathBuf {
    exemptions::state_directory_outside(env, [roots].into_iter())
}

/// Returns the directories in which the files of each dialect are searched.
fn discovery_roots(place: &AgentContext, env: &[(String, String)]) -> Roots {
    let directory = |name: &str| {
        let found = env.iter().find(|(key, _)| key == name).map(|(_, value)| PathBuf::from(value));
        found.filter(|path| path.is_absolute())
    };
    let repository = place.cwd.ancestors().find(|ancestor| ancestor.join(".git").exists());
    let roots = Roots {
        cwd: place.cwd.clone(),
        repository: repository.map(ToOwned::to_owned),
        home: place.home.clone(),
        managed: discover::MANAGED.map(Into::into),
        managed_owner: None,
        config_home: CLAUDE.installation.home_variable.and_then(directory),
        homes: Roots::agent_homes_from_variables(directory),
        user_config: directory("XDG_CONFIG_HOME"),
        user_state: directory("XDG_STATE_HOME"),
        account_home: discover::account_home(&place.home),
    };
    discover::replace_home_inside_project(roots)
}

/// Removes everything from the text that controls a terminal, reorders a line or is invisible, so
/// that people can read it safely.
pub(crate) fn strip_control_text(text: &str) -> String {
    tenterhook_core::text::clean(text, usize::MAX).text
}
