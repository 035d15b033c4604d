//! Runs steps at once: those that return without waiting in this task, each other one in a separate
//! task. Results are in configured order, whichever step ends first. Decides nothing, and applies
//! no rewrite.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::task::{self, JoinError, JoinSet};

use super::Firing;
use crate::engine::parts;
use crate::engine::step::{self, Done};
use crate::executor::{self, Asked};
use tenterhook_core::plan::Step;

/// How long steps compute before other tasks have a turn.
const LONGEST_TURN: Duration = Duration::from_millis(1);

impl Firing<'_> {
    /// Runs `steps` concurrently, and a step about several parts once for each part. Results are in
    /// configured order, whichever step ends first.
    pub(super) async fn run_concurrently(&mut self, steps: Vec<Step>) -> Vec<Done> {
        if steps.iter().all(|step| step.parts.is_empty()) {
            return self.run_split_steps(steps).await;
        }
        let (positions, steps) = parts::split_steps_by_part(steps);
        let about: Vec<Option<usize>> =
            steps.iter().map(|step| step.parts.first().copied()).collect();
        let mut of_hook: BTreeMap<usize, Vec<Done>> = BTreeMap::new();
        for ((position, about), mut done) in
            positions.into_iter().zip(about).zip(self.run_split_steps(steps).await)
        {
            if let Some(part) = about.and_then(|n| self.parts.get(n)) {
                parts::deny_change_of_part(&mut done, &part.event);
            }
            of_hook.entry(position).or_default().push(done);
        }
        of_hook.into_values().filter_map(parts::merge_results_of_parts).collect()
    }

    /// Runs steps of which each judges the event or one part of it.
    async fn run_split_steps(&mut self, mut steps: Vec<Step>) -> Vec<Done> {
        if steps.len() < 2 {
            return match steps.pop() {
                Some(step) => {
                    let done = match self.evaluate_rule_inline(&step) {
                        Some(done) => done,
                        None => step::run_step(self.prepare_step(step)).await,
                    };
                    self.yield_after_long_work(&done).await;
                    vec![done]
                }
                None => Vec::new(),
            };
        }
        let mut all = Vec::with_capacity(steps.len());
        let mut tasks = Tasks::default();
        // Steps in tasks start first, so that they run while this task evaluates the others.
        let (inside, outside): (Vec<_>, Vec<_>) =
            steps.into_iter().enumerate().partition(|(_, step)| step.hook.run.runs_in_process());
        for (at, step) in outside {
            let copy = step.clone();
            tasks.spawn_step(at, copy, step::run_step(self.prepare_step(step)));
        }
        for (at, step) in inside {
            if let Some(done) = self.evaluate_rule_inline(&step) {
                self.yield_after_long_work(&done).await;
                all.push((at, done));
                continue;
            }
            let copy = step.clone();
            let mut run = Box::pin(step::run_step(self.prepare_step(step)));
            match poll_once(run.as_mut()).await {
                // Creating a task costs more than most rules and callbacks do.
                Poll::Ready(done) => {
                    self.yield_after_long_work(&done).await;
                    all.push((at, done));
                }
                Poll::Pending => tasks.spawn_step(at, copy, run),
            }
        }
        all.extend(tasks.join_all().await);
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, done)| done).collect()
    }

    /// Yields to other tasks after steps have computed here for long: a task may wait for a signal
    /// or want to drop the firing.
    async fn yield_after_long_work(&mut self, done: &Done) {
        if done.hook.run.runs_in_process() {
            self.computed += done.record.took;
        }
        if self.computed > LONGEST_TURN {
            self.computed = Duration::ZERO;
            tokio::task::yield_now().await;
        }
    }

    /// Evaluates a step that is a rule and can run here and now; `None` for other steps.
    fn evaluate_rule_inline(&self, step: &Step) -> Option<Done> {
        let (event, rule_input) = self.event_of_step(step);
        let asked = Asked {
            hook: &step.hook,
            row: &step.row,
            event,
            rule_input,
            ambient: &self.inner.ambient,
            wanted: &self.wanted,
            budget: executor::cap_timeout_to_deadline(
                step.hook.effective_timeout(&step.row),
                self.deadline,
            ),
        };
        Some(Done { version: self.version, ..step::evaluate_rule_now(&asked, step)? })
    }
}

/// Steps that run in separate tasks, each with its position in the configured order.
#[derive(Default)]
struct Tasks {
    running: JoinSet<(usize, Done)>,
    /// A copy of each step that was given to a task: a task can be lost, and a lost gate is no
    /// consent.
    handed: Vec<(task::Id, usize, Step)>,
}

impl Tasks {
    fn spawn_step(
        &mut self,
        at: usize,
        step: Step,
        run: impl Future<Output = Done> + Send + 'static,
    ) {
        let task = self.running.spawn(async move { (at, run.await) });
        self.handed.push((task.id(), at, step));
    }

    /// Waits for all of them.
    async fn join_all(mut self) -> Vec<(usize, Done)> {
        let mut all = Vec::with_capacity(self.handed.len());
        while let Some(joined) = self.running.join_next().await {
            // Executors catch panics, so a lost task means that the host's runtime was shut down
            //
            let lost = |error: JoinError| {
                let (_, at, step) = self.handed.iter().find(|(id, ..)| *id == error.id())?;
                Some((*at, Done::from_lost_task(step, &error)))
            };
            all.extend(joined.map_or_else(lost, Some));
        }
        all
    }
}

/// Polls a step once. If it is ready then, it never has to wait.
async fn poll_once(mut run: Pin<&mut (impl Future<Output = Done> + ?Sized)>) -> Poll<Done> {
    std::future::poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await
}
