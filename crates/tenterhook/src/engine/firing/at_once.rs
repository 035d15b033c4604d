//! How steps run at once: inside, in this task, where that takes no time; else each in a task of its own. What comes back is in
//! configured order, whatever finished first. Decides nothing, and carries no rewrite.

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

/// How long steps compute before others have a turn.
const LONGEST_TURN: Duration = Duration::from_millis(1);

impl Firing<'_> {
    /// Runs `steps` at once, those about several parts once for each; what comes back is in configured order, whatever finished
    /// first.
    pub(super) async fn run_all(&mut self, steps: Vec<Step>) -> Vec<Done> {
        if steps.iter().all(|step| step.parts.is_empty()) {
            return self.run_each(steps).await;
        }
        let (places, steps) = parts::each(steps);
        let about: Vec<Option<usize>> =
            steps.iter().map(|step| step.parts.first().copied()).collect();
        let mut of_hook: BTreeMap<usize, Vec<Done>> = BTreeMap::new();
        for ((place, about), mut done) in
            places.into_iter().zip(about).zip(self.run_each(steps).await)
        {
            if let Some(part) = about.and_then(|n| self.parts.get(n)) {
                parts::keep_whole(&mut done, &part.event);
            }
            of_hook.entry(place).or_default().push(done);
        }
        of_hook.into_values().filter_map(parts::together).collect()
    }

    async fn run_each(&mut self, mut steps: Vec<Step>) -> Vec<Done> {
        if steps.len() < 2 {
            return match steps.pop() {
                Some(step) => {
                    let done = match self.ask(&step) {
                        Some(done) => done,
                        None => step::run(self.set(step)).await,
                    };
                    self.give_way(&done).await;
                    vec![done]
                }
                None => Vec::new(),
            };
        }
        let mut all = Vec::with_capacity(steps.len());
        let mut tasks = Tasks::default();
        // What works outside sets out first, so that it is under way while this task does what is done inside.
        let (inside, outside): (Vec<_>, Vec<_>) =
            steps.into_iter().enumerate().partition(|(_, step)| step.hook.run.is_inside());
        for (at, step) in outside {
            let copy = step.clone();
            tasks.start(at, copy, step::run(self.set(step)));
        }
        for (at, step) in inside {
            if let Some(done) = self.ask(&step) {
                self.give_way(&done).await;
                all.push((at, done));
                continue;
            }
            let copy = step.clone();
            let mut run = Box::pin(step::run(self.set(step)));
            match begin(run.as_mut()).await {
                // To make a task costs more than most rules and callbacks do.
                Poll::Ready(done) => {
                    self.give_way(&done).await;
                    all.push((at, done));
                }
                Poll::Pending => tasks.start(at, copy, run),
            }
        }
        all.extend(tasks.join().await);
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, done)| done).collect()
    }

    /// Lets others have a turn after a step that has computed here for long: whoever waits for a signal, or wants to drop the
    /// firing.
    async fn give_way(&mut self, done: &Done) {
        if done.hook.run.is_inside() {
            self.computed += done.record.took;
        }
        if self.computed > LONGEST_TURN {
            self.computed = Duration::ZERO;
            tokio::task::yield_now().await;
        }
    }

    /// What comes of a rule that can be asked here and now.
    fn ask(&self, step: &Step) -> Option<Done> {
        let (event, rule_input) = self.about(step);
        let asked = Asked {
            hook: &step.hook,
            row: &step.row,
            event,
            rule_input,
            ambient: &self.inner.ambient,
            wanted: &self.wanted,
            budget: executor::within(step.hook.time(&step.row), self.deadline),
        };
        Some(Done { version: self.version, ..step::ask(&asked, step)? })
    }
}

/// Steps that run in tasks of their own, each with its place in the configured order.
#[derive(Default)]
struct Tasks {
    running: JoinSet<(usize, Done)>,
    /// What is handed to a task stays known here: a task can be lost, and a gate that is lost is no consent.
    handed: Vec<(task::Id, usize, Step)>,
}

impl Tasks {
    fn start(&mut self, at: usize, step: Step, run: impl Future<Output = Done> + Send + 'static) {
        let task = self.running.spawn(async move { (at, run.await) });
        self.handed.push((task.id(), at, step));
    }

    /// Waits for all of them.
    async fn join(mut self) -> Vec<(usize, Done)> {
        let mut all = Vec::with_capacity(self.handed.len());
        while let Some(joined) = self.running.join_next().await {
            // Executors catch what panics; what is left is the end of the host's runtime.
            let lost = |error: JoinError| {
                let (_, at, step) = self.handed.iter().find(|(id, ..)| *id == error.id())?;
                Some((*at, Done::lost(step, &error)))
            };
            all.extend(joined.map_or_else(lost, Some));
        }
        all
    }
}

/// Polls a step once: what is over then has never waited.
async fn begin(mut run: Pin<&mut (impl Future<Output = Done> + ?Sized)>) -> Poll<Done> {
    std::future::poll_fn(|context| Poll::Ready(run.as_mut().poll(context))).await
}
