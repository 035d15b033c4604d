//! Builds, reloads and fires. Holds no rule: each decision belongs to the module that the code
//! below calls.
//!
//! An **event** is **planned** against the **hooks**, each step is handed its **envelope** and **run** by an executor,
//! each **report** is read into an **answer** and judged into a **verdict**, verdicts are **merged** into an
//! **outcome**, the session **settles** it, and the firing is **recorded**.

mod ahead;
mod background_hooks;
mod builder;
mod carried;
#[cfg(feature = "mcp")]
mod connected;
#[cfg(feature = "rule")]
mod exempt;
mod firing;
#[cfg(feature = "rule")]
mod history;
mod judge;
mod late;
mod lazy_verdict;
mod parts;
mod polish;
mod preconditions;
mod projects;
mod recording;
mod second_round;
mod step;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;

use crate::discover::Found;
use crate::executor::Ambient;
use crate::record::Sink;
use crate::session::Session;
use background_hooks::BackgroundHooks;
pub use builder::Builder;
use firing::{Finished, Firing};
use judge::Judge;
use recording::Recording;
use tenterhook_core::answer::Failure;
use tenterhook_core::config::{Added, Ruleset, Source, Stage};
use tenterhook_core::diagnostic::Diagnostic;
use tenterhook_core::dialect::{Cap, Dispatch, Roots};
use tenterhook_core::event::{Event, EventName};
use tenterhook_core::hook::Phase;
use tenterhook_core::merge;
use tenterhook_core::outcome::Outcome;
use tenterhook_core::plan;
use tenterhook_core::verdict::Verdict;

/// What only the programs use (see [`crate::internal`]).
pub(crate) mod internal {
    pub use super::background_hooks::BackgroundHooks;
}

#[cfg(test)]
mod tests;

/// One engine: the hooks of one configuration, ready to fire. Cheap to clone; every clone is the
/// same engine.
#[derive(Clone, Debug)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    ruleset: ArcSwap<Ruleset>,
    added: Added,
    ambient: Arc<Ambient>,
    parallel: Arc<Semaphore>,
    /// Permits for detached steps. They are separate, so that a gate never waits for a permit that
    /// a detached step holds for minutes.
    background: Arc<Semaphore>,
    sink: Option<Arc<dyn Sink>>,
    #[cfg(feature = "mcp")]
    connected: Option<connected::Connected>,
    judge: Judge,
    /// The user's home, for events that name none.
    home: PathBuf,
    background_hooks: BackgroundHooks,
    projects: projects::Projects,
}

impl Engine {
    /// The current hooks.
    #[must_use]
    pub fn ruleset(&self) -> Arc<Ruleset> {
        self.inner.ruleset.load_full()
    }

    /// Finds the files that the agents would load from `roots` now and that this engine trusts. The
    /// result is the input of [`Engine::reload`].
    #[must_use]
    pub fn find(&self, roots: &Roots) -> Found {
        self.inner.judge.find_sources(roots)
    }

    /// Replaces all sources at once. Events in flight keep the hooks with which they began (C-2). A
    /// source that can no longer be read keeps its last good hooks (C-3), and a diagnostic reports
    /// it.
    pub fn reload(&self, sources: &[Source]) -> Vec<Diagnostic> {
        let last = self.inner.ruleset.load();
        #[cfg_attr(not(feature = "mcp"), expect(unused_mut, reason = "nothing is connected then"))]
        let mut loaded = self.inner.judge.load_sources(sources, &self.inner.added, Some(&last));
        #[cfg(feature = "mcp")]
        if let Some(connected) = &self.inner.connected {
            loaded.diagnostics.extend(connected.replace_servers(
                &self.inner.judge,
                &loaded.ruleset,
                sources,
            ));
        }
        self.inner.ruleset.store(Arc::new(loaded.ruleset));
        loaded.diagnostics
    }

    /// Fires `event` and returns what its hooks decided together. Never an error: failures are
    /// reported in the outcome.
    ///
    /// Needs a tokio runtime with timers. Without one no hook runs, and the failure policy of each
    /// hook decides. Each hook has its own timeout. Dropping the future cancels every
    /// running step.
    pub async fn fire(&self, event: Event, session: &Session) -> Outcome {
        self.fire_within(event, session, None).await
    }

    /// Fires `event` like [`Engine::fire`], within a `budget` for the whole event. Each hook gets
    /// the smaller of its timeout and the rest of the budget; the failure policy of each
    /// unfinished hook decides.
    pub async fn fire_within(
        &self,
        event: Event,
        session: &Session,
        budget: Option<Duration>,
    ) -> Outcome {
        self.dispatch_event(event, session, budget, Dispatch::Awaited).await
    }

    /// Fires `event` without waiting for hooks that take time: they run in the session's
    /// background, in the order of their stages. Use it when the host is about to exit and waits
    /// only once, for all background steps.
    pub async fn fire_and_forget(&self, event: Event, session: &Session) -> Outcome {
        self.dispatch_event(event, session, None, Dispatch::FireAndForget).await
    }

    /// Fires an event within its budget, and waits for its hooks as `dispatch` says.
    async fn dispatch_event(
        &self,
        event: Event,
        session: &Session,
        budget: Option<Duration>,
        dispatch: Dispatch,
    ) -> Outcome {
        let since = Instant::now();
        let event = Arc::new(self.event_with_default_home(event));
        let view = session.view(&event.name);
        let rulesets = self.rulesets_for_session(session);
        let stages = EventStages::new(&rulesets, &event);
        // An event without hooks costs nothing and needs no runtime.
        let failure =
            if stages.is_empty() { None } else { preconditions::unusable_runtime_failure() };
        let failure = failure.as_ref();
        let (faults, carried) = (session.take_faults(), session.take_outcomes());
        let is_recorded = !stages.is_empty() || !faults.is_empty() || !carried.is_empty();
        #[cfg(feature = "rule")]
        let called = Arc::clone(&event);
        let recording =
            Recording::record_event_start(self.inner.sink.as_ref(), &event, is_recorded);
        let begin = |event| {
            let left = budget.map(|budget| budget.saturating_sub(since.elapsed()));
            let late_steps = recording.late_step_recorder();
            Firing::new(&self.inner, session, &view, event, (left, dispatch), late_steps)
        };
        // If the event must be recorded but recording fails, it is held back: no hook runs.
        let phases = if recording.must_deny_unrecorded_event() { &[][..] } else { &Phase::ALL[..] };

        let mut finished = run_stages(begin(event), &stages.own, phases, failure).await;
        if let Some((call, stages)) = stages.of_call {
            let firing = begin(call).without_already_run_hooks(&finished.hooks);
            finished.merge(Box::pin(run_stages(firing, &stages, phases, failure)).await);
        }
        #[cfg(feature = "rule")]
        let rule_input = Arc::clone(&finished.rule_input);
        let Finished { event, mut verdicts, mut records, hooks, .. } = finished;
        carried::carry_earlier_outcomes(carried, &event, &mut verdicts, &mut records);

        let mut outcome = merge_verdicts(verdicts, &rulesets, &event);
        outcome.faults.splice(0..0, faults);
        outcome
            .faults
            .extend(preconditions::missing_directory_fault(&event).filter(|_| !records.is_empty()));
        let cap = self.inner.denial_cap(&rulesets, &event);
        let outcome = session.settle_outcome(&event.name, outcome, cap);
        let outcome = polish::clean_and_cap_texts(outcome.with_steps(records), &self.inner.ambient);
        #[cfg(feature = "rule")]
        let outcome = {
            let update = history::HistoryUpdate { rulesets: &rulesets, hooks: &hooks, session };
            self.apply_exemptions_and_update_history(outcome, &called, &update, &rule_input)
        };
        if failure.is_none() && session.take_first_event_flag() {
            ahead::start_prewarmed_processes(&rulesets, &self.inner.ambient, &event, session);
        }
        recording.record_event_outcome(outcome, &hooks)
    }

    /// Applies the user's exemptions to an outcome. Then it is known whether the event happens, and
    /// its changes are stored in the session's history.
    #[cfg(feature = "rule")]
    fn apply_exemptions_and_update_history(
        &self,
        outcome: Outcome,
        called: &Event,
        update: &history::HistoryUpdate<'_>,
        rule_input: &tenterhook_core::rule::RuleInput,
    ) -> Outcome {
        let exemptions = self.inner.ambient.exemptions.as_ref();
        let outcome = exempt::apply_exemptions(outcome, update.hooks, called, exemptions);
        update.store_changes(outcome, rule_input, &self.inner.background_hooks)
    }

    /// Returns the event, with the user's home if it names none.
    fn event_with_default_home(&self, mut event: Event) -> Event {
        if event.within.home.as_os_str().is_empty() {
            event.within.home.clone_from(&self.inner.home);
        }
        event
    }

    /// Returns the configured hooks, then the session's own. A reload does not change either list
    /// for an event that has begun (C-2). Also ends what still runs for hooks that neither list
    /// contains any longer (N-12).
    fn rulesets_for_session(&self, session: &Session) -> [Arc<Ruleset>; 2] {
        let rulesets = [self.ruleset(), session.hooks()];
        session.end_unused_residents(&rulesets);
        rulesets
    }
}

impl Inner {
    /// Returns how many denials of the event in a row end it. The second process of an event counts
    /// none: the first one did.
    fn denial_cap(&self, rulesets: &[Arc<Ruleset>], event: &Event) -> Option<Cap> {
        let caps = rulesets.iter().filter_map(|ruleset| ruleset.denial_cap(&event.name));
        caps.min().filter(|_| !self.background_hooks.is_second_process())
    }
}

/// The hooks that an event may select, stage by stage.
struct EventStages<'a> {
    own: Vec<Staged<'a>>,
    /// The tool call for which the event stands, if any, with the stages of that call: its hooks
    /// judge the event, too (BR-90).
    of_call: Option<(Arc<Event>, Vec<Staged<'a>>)>,
}

impl<'a> EventStages<'a> {
    fn new(rulesets: &'a [Arc<Ruleset>], event: &Event) -> Self {
        let of_call = event.as_tool_call().map(|call| {
            let stages = stages_of_event(rulesets, &call.name);
            (Arc::new(call), stages)
        });
        Self { own: stages_of_event(rulesets, &event.name), of_call }
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.of_call.as_ref().is_none_or(|(_, stages)| stages.is_empty())
    }
}

/// Merges verdicts into an outcome. Adds a verdict about the event itself if no agent has an event
/// of that name.
fn merge_verdicts(mut verdicts: Vec<Verdict>, rulesets: &[Arc<Ruleset>], event: &Event) -> Outcome {
    verdicts.extend(plan::verdict_on_unknown_event(rulesets, &event.name));
    merge::merge_verdicts(verdicts)
}

/// Runs the hooks of one event, stage by stage.
async fn run_stages(
    mut firing: Firing<'_>,
    stages: &[Staged<'_>],
    phases: &[Phase],
    failure: Option<&Failure>,
) -> Finished {
    for phase in phases.iter().copied() {
        for (ruleset, stage) in stages_of_phase(stages, phase) {
            let steps = firing.select_steps(ruleset, stage);
            // Once there is a denial, the remaining gates have nothing to decide; observers still
            // receive the event (M-7).
            if firing.has_denial() && phase != Phase::Observe {
                firing.record_skipped_steps(&steps);
            } else if let Some(failure) = failure {
                firing.record_failed_steps(&steps, failure);
            } else {
                firing.run_stage(stage, steps).await;
            }
        }
        if phase == Phase::Decide {
            firing.run_gates_on_rewrites(stages).await;
        }
    }
    firing.finish()
}

/// A stage, with the ruleset from which it comes.
type Staged<'a> = (&'a Ruleset, &'a Stage);

/// Returns the stages of an event. A rewrite never changes the event's name, so they are looked up
/// once.
fn stages_of_event<'a>(rulesets: &'a [Arc<Ruleset>], event: &EventName) -> Vec<Staged<'a>> {
    let of =
        |ruleset: &'a Arc<Ruleset>| ruleset.stages(event).iter().map(|stage| (&**ruleset, stage));
    rulesets.iter().flat_map(of).collect()
}

/// The stages of one phase, in the order in which they run.
fn stages_of_phase<'a>(stages: &[Staged<'a>], phase: Phase) -> impl Iterator<Item = Staged<'a>> {
    stages.iter().copied().filter(move |(_, stage)| stage.phase == phase)
}
