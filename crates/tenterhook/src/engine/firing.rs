//! One firing under way: runs the steps of each stage and carries rewrites from step to step. Judges and merges nothing.

mod at_once;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::parts::{self, Part};
use super::recording::Behind;
use super::second_round::{
    effects_change_action, gate_must_judge_rewrite, keep_last_rewrite, merge_both_rounds,
    void_allow,
};
use super::step::{Done, Once, Queue, Setting, Waiting};
use super::{BackgroundHooks, Inner, Staged, stages_of_phase};
use crate::executor::Sealed;
use crate::session::{Session, View, Wanted, Watched};
use tenterhook_core::answer::{Effects, Failure};
use tenterhook_core::config::{Mode, Ruleset, Stage};
use tenterhook_core::dialect::{DialectId, Dispatch};
use tenterhook_core::event::{Event, EventName};
use tenterhook_core::hook::{Hook, HookId, Phase, Run, Wait};
use tenterhook_core::matcher::MatchContext;
use tenterhook_core::outcome;
use tenterhook_core::plan::{self, Step};
use tenterhook_core::rule::RuleInput;
use tenterhook_core::verdict::Verdict;

/// One firing under way.
pub(super) struct Firing<'a> {
    inner: &'a Inner,
    session: &'a Session,
    view: &'a View,
    /// The event, with the rewrites so far.
    event: Arc<Event>,
    /// How often the decide phase has rewritten the event.
    version: u32,
    /// The hook that wrote the last of those rewrites.
    author: Option<HookId>,
    deadline: Option<Instant>,
    /// Whether the host waits for any hook of the event.
    dispatch: Dispatch,
    /// How the steps of the current stage relate.
    mode: Mode,
    /// Closes when the last detached step of the stage ends; the next detached step waits for it.
    before: Option<watch::Receiver<()>>,
    /// One envelope for each dialect so far; a handful at most.
    envelopes: Vec<Arc<Sealed>>,
    /// The event as rules and conditions see it.
    rule_input: Arc<RuleInput>,
    /// The parts of a call that changes several files.
    parts: Vec<Part>,
    /// Whether the caller still waits for the event.
    wanted: Wanted,
    /// How long steps have computed since other tasks last had a turn.
    computed: Duration,
    done: Vec<Done>,
    /// The claims of hooks that run once. They are returned with the firing, whose steps may be
    /// tasks that end later (N-6).
    claims: Vec<Watched>,
    /// Where steps that end later are recorded.
    behind: Behind,
    /// The hooks that already ran on the same call by its own event (BR-101).
    asked: Vec<Arc<Hook>>,
}

/// The result of a firing.
pub(super) struct Finished {
    /// The event as rewritten.
    pub(super) event: Arc<Event>,
    pub(super) verdicts: Vec<Verdict>,
    /// The steps in configured order.
    pub(super) records: Vec<outcome::Step>,
    /// Their hooks.
    pub(super) hooks: Vec<Arc<Hook>>,
    /// The event as rules see it.
    #[cfg(feature = "rule")]
    pub(super) rule_input: Arc<RuleInput>,
}

impl Finished {
    /// Adds the result of another firing of the same call; the event stays.
    pub(super) fn merge(&mut self, other: Self) {
        self.verdicts.extend(other.verdicts);
        self.records.extend(other.records);
        self.hooks.extend(other.hooks);
    }
}

impl<'a> Firing<'a> {
    pub(super) fn new(
        inner: &'a Inner,
        session: &'a Session,
        view: &'a View,
        event: Arc<Event>,
        (budget, dispatch): (Option<Duration>, Dispatch),
        behind: Behind,
    ) -> Self {
        let rule_input = Arc::new(give_rules_access(RuleInput::new(&event), session));
        Self {
            inner,
            session,
            view,
            parts: parts::split_event_into_parts(&rule_input),
            rule_input,
            wanted: session.cancellation_check(),
            computed: Duration::ZERO,
            event,
            version: 0,
            author: None,
            deadline: budget.map(|budget| Instant::now() + budget),
            dispatch,
            mode: Mode::Parallel,
            before: None,
            envelopes: Vec::new(),
            done: Vec::new(),
            claims: Vec::new(),
            behind,
            asked: Vec::new(),
        }
    }

    /// Makes the firing skip hooks whose programs `asked` started already (BR-101).
    pub(super) fn without_already_run_hooks(mut self, asked: &[Arc<Hook>]) -> Self {
        self.asked = asked.to_vec();
        self
    }

    /// Returns the steps of a stage, for the event with the rewrites so far.
    pub(super) fn select_steps(&self, ruleset: &Ruleset, stage: &Stage) -> Vec<Step> {
        let go_on = || {
            self.wanted.is_still_wanted() && self.deadline.is_none_or(|end| Instant::now() < end)
        };
        let context = MatchContext::from_shared_input(&self.rule_input, &go_on);
        let parts =
            self.parts.iter().map(|part| MatchContext::from_shared_input(&part.rule_input, &go_on));
        let parts: Vec<MatchContext<'_>> = parts.collect();
        let mut steps = plan::select_steps_of_parts(ruleset, self.view, &context, &parts, stage);
        if !self.asked.is_empty() {
            let is_asked = |hook: &Hook| {
                self.asked.iter().any(|own| plan::start_same_program_alike(own, hook))
            };
            steps.retain(|step| !is_asked(&step.hook));
        }
        steps
    }

    /// Whether a step so far denies.
    pub(super) fn has_denial(&self) -> bool {
        self.done.iter().any(Done::denies)
    }

    /// Records steps that do not run because an earlier hook denied.
    pub(super) fn record_skipped_steps(&mut self, steps: &[Step]) {
        self.done.extend(steps.iter().map(Done::skipped_after_denial));
    }

    /// Records steps that cannot run here. The failure policy of each decides its verdict.
    pub(super) fn record_failed_steps(&mut self, steps: &[Step], failure: &Failure) {
        self.done.extend(steps.iter().map(|step| Done::not_run_with_failure(step, failure)));
    }

    /// Runs one stage.
    pub(super) async fn run_stage(&mut self, stage: &Stage, steps: Vec<Step>) {
        let observing = stage.phase == Phase::Observe;
        let steps = self.steps_of_this_process(steps);
        (self.mode, self.before) = (stage.mode, None);
        match stage.mode {
            Mode::Parallel => {
                let done = self.run_concurrently(steps).await;
                self.add_results_and_apply_rewrites(stage.phase, done);
            }
            Mode::Serial | Mode::InTurn => {
                let to_the_end = observing || stage.mode == Mode::InTurn;
                let mut done: Vec<Done> = Vec::with_capacity(steps.len());
                for step in steps {
                    if !to_the_end && done.iter().any(Done::denies) {
                        done.push(Done::skipped_after_denial(&step));
                    } else {
                        done.extend(self.run_concurrently(vec![step]).await);
                    }
                }
                self.add_results_and_apply_rewrites(stage.phase, done);
            }
            Mode::Chained => {
                for step in steps {
                    if !observing && self.has_denial() {
                        self.record_skipped_steps(&[step]);
                        continue;
                    }
                    let done = self.run_concurrently(vec![step]).await;
                    self.add_results_and_apply_rewrites(stage.phase, done);
                }
            }
        }
    }

    /// Returns the steps that this process runs, if it is the second process of its event.
    fn steps_of_this_process(&self, steps: Vec<Step>) -> Vec<Step> {
        let BackgroundHooks::Only(own) = &self.inner.background_hooks else { return steps };
        let is_own = |step: &Step| step.broken.is_none() && own.contains(&step.hook.id);
        steps.into_iter().filter(is_own).collect()
    }

    /// Adds the results of one stage, or of one link of a chain, and applies their rewrites.
    fn add_results_and_apply_rewrites(&mut self, phase: Phase, mut done: Vec<Done>) {
        let undecided = !self.has_denial() && !done.iter().any(Done::denies);
        if phase == Phase::Decide
            && undecided
            && let Some(author) = keep_last_rewrite(&mut done)
        {
            self.author = Some(author);
            self.version += 1;
        }
        self.apply_rewrites(&done);
        if self.done.is_empty() {
            self.done = done;
        } else {
            self.done.extend(done);
        }
    }

    /// Runs the gates that have not judged a rewrite of the decide phase (M-8). A link of a chain
    /// may deny, too: it saw the payload before the decide phase, and judges the result.
    pub(super) async fn run_gates_on_rewrites(&mut self, stages: &[Staged<'_>]) {
        let Some(author) = self.author.take().filter(|_| !self.has_denial()) else { return };
        let mut again = Vec::new();
        for phase in [Phase::Rewrite, Phase::Decide] {
            for (ruleset, stage) in stages_of_phase(stages, phase) {
                let steps = self.select_steps(ruleset, stage).into_iter();
                again.extend(steps.filter(|step| {
                    gate_must_judge_rewrite(step, &author, self.version, &self.done)
                }));
            }
        }
        let second = Box::pin(self.run_concurrently(again)).await;
        self.done = merge_both_rounds(std::mem::take(&mut self.done), second);
    }

    /// Consumes the firing and returns its verdicts, records and hooks.
    pub(super) fn finish(self) -> Finished {
        // Capacity for the exact number: each entry is large, and a growing list starts with space
        // for several.
        let count = self.done.len();
        let (mut verdicts, mut records) = (Vec::new(), Vec::with_capacity(count));
        let mut hooks = Vec::with_capacity(count);
        // A silent built-in rule leaves no trace: the user did not configure it, and it runs at
        // every call.
        for done in self.done.into_iter().filter(|d| !d.is_silent_builtin()) {
            // A silent verdict changes nothing.
            verdicts.extend(done.verdict.into_verdict_unless_silent());
            records.push(*done.record);
            hooks.push(done.hook);
        }
        Finished {
            event: self.event,
            verdicts,
            records,
            hooks,
            #[cfg(feature = "rule")]
            rule_input: self.rule_input,
        }
    }

    /// Returns the event that a step judges, or the part of it, with its rule input.
    fn event_of_step(&self, step: &Step) -> (&Arc<Event>, &Arc<RuleInput>) {
        match step.parts.first().and_then(|at| self.parts.get(*at)) {
            Some(part) => (&part.event, &part.rule_input),
            None => (&self.event, &self.rule_input),
        }
    }

    /// Collects what a step needs to run: its event, envelope, deadline and place in a queue.
    fn prepare_step(&mut self, step: Step) -> Box<Setting> {
        let (event, rule_input) = self.event_of_step(&step);
        let own = self.inner.projects.event_in_hook_project(&step.hook, event).map(Arc::new);
        let rule_input = matches!(step.hook.run, Run::Rule(_)).then(|| match &own {
            Some(own) => Arc::new(rule_input.with_rewritten_event(own)),
            None => Arc::clone(rule_input),
        });
        let event = own.unwrap_or_else(|| Arc::clone(event));
        let envelope = match Arc::ptr_eq(&event, &self.event) {
            true => self.envelope_for_dialect(step.hook.dialect),
            false => Arc::new(Sealed::new(Arc::clone(&event), step.hook.dialect)),
        };
        let once = Once::claim_single_run(&step, self.session);
        self.claims.extend(once.watch_claim());
        let waiting = self.wait_mode_of_step(&step);
        let (turns, deadline) = match &waiting {
            Waiting::Attached => (&self.inner.parallel, self.deadline),
            // It outlives the event and its budget.
            Waiting::Detached(_) | Waiting::Deferred => (&self.inner.background, None),
        };
        Box::new(Setting {
            once,
            envelope,
            event,
            deadline,
            ambient: Arc::clone(&self.inner.ambient),
            turns: Arc::clone(turns),
            waiting,
            session: self.session.unowned_handle(),
            version: self.version,
            rule_input,
            wanted: self.wanted.clone(),
            behind: self.behind.clone(),
            step,
        })
    }

    /// Returns whether the event waits for a step. A host that waits for everything also waits for
    /// hooks that an agent would not wait for.
    fn wait_mode_of_step(&mut self, step: &Step) -> Waiting {
        let hook = &step.hook;
        if hook.wait != Wait::Attached || hook.runs_detached() {
            if self.inner.background_hooks == BackgroundHooks::Deferred {
                return Waiting::Deferred;
            }
            // It begins in its turn, and no other step waits for it.
            return Waiting::Detached(Queue { before: self.before.clone(), done: None });
        }
        let awaited = self.dispatch == Dispatch::Awaited && step.row.waits_for(hook);
        if awaited || self.session.host_waits() {
            return Waiting::Attached;
        }
        if self.mode == Mode::Parallel {
            return Waiting::Detached(Queue::default());
        }
        let (done, over) = watch::channel(());
        Waiting::Detached(Queue { before: self.before.replace(over), done: Some(done) })
    }

    /// Returns the current envelope of the event, which all hooks of a dialect share.
    fn envelope_for_dialect(&mut self, dialect: DialectId) -> Arc<Sealed> {
        if let Some(sealed) = self.envelopes.iter().find(|envelope| envelope.dialect() == dialect) {
            return Arc::clone(sealed);
        }
        let sealed = Arc::new(Sealed::new(Arc::clone(&self.event), dialect));
        self.envelopes.push(Arc::clone(&sealed));
        sealed
    }

    /// Applies the rewrites of these steps to the event.
    fn apply_rewrites(&mut self, done: &[Done]) {
        for one in done.iter().filter(|d| d.verdict.effects.rewrite()) {
            let effects = &one.verdict.effects;
            if effects_change_action(effects) {
                self.done.iter_mut().for_each(void_allow);
            }
            self.done
                .iter_mut()
                .for_each(|before| drop_replaced_rewrites(&mut before.verdict.effects, effects));
            let changes = [
                ("tool_input", effects.updated_input.clone()),
                ("prompt", effects.updated_prompt.clone().map(Into::into)),
                (rewritten_output_field(&self.event.name), effects.updated_output.clone()),
            ];
            for (key, value) in changes {
                if let Some(value) = value {
                    Arc::make_mut(&mut self.event).payload.insert(key.to_owned(), value);
                    self.envelopes.clear();
                    self.rule_input = Arc::new(self.rule_input.with_rewritten_event(&self.event));
                    self.parts = parts::split_event_into_parts(&self.rule_input);
                }
            }
        }
    }
}

/// Lets rules read the files that a call names, and what happened in the session.
fn give_rules_access(rule_input: RuleInput, session: &Session) -> RuleInput {
    #[cfg(not(feature = "rule"))]
    let _ = session;
    #[cfg(feature = "rule")]
    let rule_input = rule_input
        .with_file_reader(crate::executor::disk_files())
        .with_history(session.lazy_history());
    rule_input
}

/// Drops earlier rewrites that a later stage or link replaces. This is no conflict, because the
/// later rewrite was made from the earlier one (P-8).
fn drop_replaced_rewrites(before: &mut Effects, after: &Effects) {
    before.updated_input.take_if(|_| after.updated_input.is_some());
    before.updated_prompt.take_if(|_| after.updated_prompt.is_some());
    before.updated_output.take_if(|_| after.updated_output.is_some());
}

/// The payload field that holds what `updated_output` replaces.
fn rewritten_output_field(event: &EventName) -> &'static str {
    if event.as_str() == "MessageDisplay" { "delta" } else { "tool_response" }
}
