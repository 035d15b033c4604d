//! One firing under way: runs the steps of each stage and carries rewrites from step to step. Judges and merges nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Inner;
use super::second_round::{combine, may_judge_again, one_author, rewrites_action, void_allow};
use super::step::{self, Done, Setting};
use crate::answer::Effects;
use crate::config::{Mode, Ruleset, Stage};
use crate::dialect::{DialectId, Envelope};
use crate::event::{Event, EventName};
use crate::hook::{HookId, Phase, Run, Wait};
use crate::outcome;
use crate::plan::{self, Step};
use crate::rule::Sight;
use crate::session::{Session, View};
use crate::verdict::Verdict;

/// One firing under way.
pub(super) struct Firing<'a> {
    inner: &'a Inner,
    session: &'a Session,
    view: &'a View,
    /// The event, with the rewrites so far.
    event: Arc<Event>,
    /// How often the decide phase has rewritten the event.
    version: u32,
    /// Who wrote the last of those rewrites.
    author: Option<HookId>,
    deadline: Option<Instant>,
    envelopes: HashMap<DialectId, Arc<Envelope>>,
    /// What rules see of the event, made for the first of them.
    sight: Option<Arc<Sight>>,
    done: Vec<Done>,
}

impl<'a> Firing<'a> {
    pub(super) fn new(
        inner: &'a Inner,
        session: &'a Session,
        view: &'a View,
        event: Event,
        budget: Option<Duration>,
    ) -> Self {
        Self {
            inner,
            session,
            view,
            event: Arc::new(event),
            version: 0,
            author: None,
            deadline: budget.map(|budget| Instant::now() + budget),
            envelopes: HashMap::new(),
            sight: None,
            done: Vec::new(),
        }
    }

    /// The event, with the rewrites so far.
    pub(super) fn event(&self) -> Arc<Event> {
        Arc::clone(&self.event)
    }

    /// Whether some step so far denies.
    pub(super) fn denied(&self) -> bool {
        self.done.iter().any(Done::denies)
    }

    /// Records steps that do not run because an earlier step denied.
    pub(super) fn pass_over(&mut self, steps: &[Step]) {
        self.done.extend(steps.iter().map(Done::passed_over));
    }

    /// Runs one stage.
    pub(super) async fn run(&mut self, stage: &Stage, steps: Vec<Step>) {
        let observing = stage.phase == Phase::Observe;
        match stage.mode {
            Mode::Parallel => {
                let done = self.run_all(steps).await;
                self.take(stage.phase, done);
            }
            Mode::Serial | Mode::InTurn => {
                let to_the_end = observing || stage.mode == Mode::InTurn;
                let mut done: Vec<Done> = Vec::with_capacity(steps.len());
                for step in steps {
                    if !to_the_end && done.iter().any(Done::denies) {
                        done.push(Done::passed_over(&step));
                    } else {
                        done.extend(self.run_all(vec![step]).await);
                    }
                }
                self.take(stage.phase, done);
            }
            Mode::Chained => {
                for step in steps {
                    if !observing && self.denied() {
                        self.pass_over(&[step]);
                        continue;
                    }
                    let done = self.run_all(vec![step]).await;
                    self.take(stage.phase, done);
                }
            }
        }
    }

    /// Takes the steps of one stage, or one link of a chain, and carries on what they rewrote.
    fn take(&mut self, phase: Phase, mut done: Vec<Done>) {
        let undecided = !self.denied() && !done.iter().any(Done::denies);
        if phase == Phase::Decide
            && undecided
            && let Some(author) = one_author(&mut done)
        {
            self.author = Some(author);
            self.version += 1;
        }
        self.apply_rewrites(&done);
        self.done.extend(done);
    }

    /// Gives what the decide phase rewrote once more to the gates that have not judged it (M-8). A link of a chain may
    /// deny, too: it saw the payload before the decide phase, and judges what came of it.
    pub(super) async fn judge_rewrites(&mut self, rulesets: &[Arc<Ruleset>]) {
        let Some(author) = self.author.take().filter(|_| !self.denied()) else { return };
        let event = self.event();
        let mut again = Vec::new();
        for phase in [Phase::Rewrite, Phase::Decide] {
            for (ruleset, stage) in super::stages(rulesets, &event.name, phase) {
                let steps = plan::select(ruleset, self.view, &event, stage).into_iter();
                again.extend(
                    steps.filter(|step| may_judge_again(step, &author, self.version, &self.done)),
                );
            }
        }
        let second = self.run_all(again).await;
        self.done = combine(std::mem::take(&mut self.done), second);
    }

    /// The outcome's material: the event as rewritten, the verdicts and the steps in configured order.
    pub(super) fn finish(self) -> (Arc<Event>, Vec<Verdict>, Vec<outcome::Step>) {
        let (verdicts, records) = self.done.into_iter().map(|it| (it.verdict, it.record)).unzip();
        (self.event, verdicts, records)
    }

    /// Runs `steps` at once; what comes back is in configured order, whatever finished first.
    async fn run_all(&mut self, steps: Vec<Step>) -> Vec<Done> {
        let settings: Vec<Setting> = steps.into_iter().map(|step| self.set(step)).collect();
        if settings.len() < 2 {
            let mut done = Vec::with_capacity(1);
            for setting in settings {
                done.push(step::run(setting).await);
            }
            return done;
        }
        let mut running = JoinSet::new();
        let mut slots: Vec<Option<Done>> = Vec::new();
        for (at, setting) in settings.into_iter().enumerate() {
            slots.push(None);
            running.spawn(async move { (at, step::run(setting).await) });
        }
        while let Some(joined) = running.join_next().await {
            // A step cannot panic (executors catch), and nobody else holds the set to abort one.
            let Ok((at, done)) = joined else { continue };
            if let Some(slot) = slots.get_mut(at) {
                *slot = Some(done);
            }
        }
        slots.into_iter().flatten().collect()
    }

    fn set(&mut self, step: Step) -> Setting {
        let dialect = step.hook.dialect;
        let envelope = self
            .envelopes
            .entry(dialect)
            .or_insert_with(|| Arc::new(dialect.dialect().encode_event(&self.event)));
        let sight = matches!(step.hook.run, Run::Rule(_)).then(|| {
            Arc::clone(self.sight.get_or_insert_with(|| Arc::new(Sight::of(&self.event))))
        });
        Setting {
            envelope: Arc::clone(envelope),
            event: Arc::clone(&self.event),
            deadline: self.deadline,
            ambient: Arc::clone(&self.inner.ambient),
            turns: Arc::clone(match step.hook.wait {
                Wait::Attached => &self.inner.parallel,
                Wait::Detached | Wait::Rewake => &self.inner.background,
            }),
            session: self.session.clone(),
            version: self.version,
            sight,
            step,
        }
    }

    fn apply_rewrites(&mut self, done: &[Done]) {
        for one in done {
            let effects = &one.verdict.effects;
            if rewrites_action(effects) {
                self.done.iter_mut().for_each(void_allow);
            }
            self.done.iter_mut().for_each(|before| supersede(&mut before.verdict.effects, effects));
            let event = Arc::make_mut(&mut self.event);
            let changes = [
                ("tool_input", effects.updated_input.clone()),
                ("prompt", effects.updated_prompt.clone().map(Into::into)),
                (output_key(&event.name), effects.updated_output.clone()),
            ];
            for (key, value) in changes {
                if let Some(value) = value {
                    event.payload.insert(key.to_owned(), value);
                    self.envelopes.clear();
                    self.sight = None;
                }
            }
        }
    }
}

/// A rewrite of a later stage or link was made from the earlier one, which it replaces: that is no conflict (P-8).
fn supersede(before: &mut Effects, after: &Effects) {
    before.updated_input.take_if(|_| after.updated_input.is_some());
    before.updated_prompt.take_if(|_| after.updated_prompt.is_some());
    before.updated_output.take_if(|_| after.updated_output.is_some());
}

/// The payload field that holds what `updatedOutput` replaces.
fn output_key(event: &EventName) -> &'static str {
    if event.as_str() == "MessageDisplay" { "delta" } else { "tool_response" }
}
