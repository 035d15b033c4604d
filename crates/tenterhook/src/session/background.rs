//! The steps that outlive their event: owns them, limits their number, and reports their end to the
//! host. Starts no process.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use tenterhook_core::answer::Effects;
use tenterhook_core::event::EventName;
use tenterhook_core::hook::HookId;
use tenterhook_core::merge;
use tenterhook_core::outcome::{Ended, Outcome};

/// Maximum number of background steps of a session, running and waiting. Without a limit they would
/// pile up if a host fires faster than its background hooks end (N-8).
pub(crate) const MAX_BACKGROUND: usize = 256;

/// A background step that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Running {
    /// The event that started it.
    pub event: EventName,
    /// The hook.
    pub hook: HookId,
    /// Whether a denial of it wakes an idle agent.
    pub may_wake: bool,
}

impl Running {
    pub(crate) const fn new(event: EventName, hook: HookId, may_wake: bool) -> Self {
        Self { event, hook, may_wake }
    }
}

/// A background step that has ended, too late for the outcome of its event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finished {
    /// The event that started it.
    pub event: EventName,
    /// The subagent in which that event happened: its `agent_id`.
    pub agent: Option<String>,
    /// The outcome of this step alone: its messages, variables and faults. It restrains nothing; if
    /// it wakes the agent it is a denial, whose reason is for the model.
    pub outcome: Outcome,
    /// Whether its denial wakes an idle agent.
    pub wakes: bool,
    /// Whether the host cleared the conversation after this step started. Its output is dropped
    /// (N-13).
    pub stale: bool,
}

impl Finished {
    pub(crate) const fn new(event: EventName, outcome: Outcome, wakes: bool) -> Self {
        Self { event, agent: None, outcome, wakes, stale: false }
    }

    /// Sets the subagent that the step belongs to.
    pub(crate) fn of_agent(self, agent: Option<&str>) -> Self {
        Self { agent: agent.map(str::to_owned), ..self }
    }

    /// Returns its index among the steps of `outcome`.
    fn step_index(&self, outcome: &Outcome) -> Option<usize> {
        let own = self.outcome.steps.first()?;
        outcome.steps.iter().position(|step| step.hook == own.hook && step.ended == Ended::Detached)
    }

    /// Adds the effects of the step to the outcome of its event. Does not change whether the event
    /// is blocked.
    fn merge_into_outcome(mut self, outcome: &mut Outcome) {
        let position = self.step_index(outcome);
        if self.stale {
            self.outcome.effects = Effects::default();
        } else if self.wakes {
            // The reasons that would wake an idle agent become context for its model.
            let reasons: Vec<_> =
                self.outcome.reasons.into_iter().map(|reason| reason.text).collect();
            if let Some(step) = self.outcome.steps.first_mut() {
                step.context.extend(reasons.iter().cloned());
            }
            self.outcome.effects.context.extend(reasons);
        }
        outcome.faults.extend(self.outcome.faults);
        merge::merge_effects(&mut outcome.effects, self.outcome.effects, &mut outcome.faults);
        for step in self.outcome.steps {
            match position.and_then(|at| outcome.steps.get_mut(at)) {
                Some(record) => *record = step,
                None => outcome.steps.push(step),
            }
        }
    }
}

/// Adds the effects of background steps to `outcome`, in configured order; the order in which they
/// ended is irrelevant (M-11).
pub(super) fn merge_finished(outcome: &mut Outcome, mut finished: Vec<Finished>) {
    finished.sort_by_key(|f| f.step_index(outcome).unwrap_or(usize::MAX));
    for one in finished {
        one.merge_into_outcome(outcome);
    }
}

/// The background of one session.
#[derive(Debug)]
pub(super) struct Background {
    tasks: Mutex<JoinSet<()>>,
    /// Held while a caller waits for the end of all of them.
    draining: tokio::sync::Mutex<()>,
    shared: Arc<Shared>,
    receiver: tokio::sync::Mutex<mpsc::UnboundedReceiver<Report>>,
}

/// What the background and each step in it share.
#[derive(Debug)]
struct Shared {
    /// How often the host began anew.
    age: AtomicU64,
    /// How many steps were adopted so far.
    adopted: AtomicU64,
    /// The steps that have not ended, by the order in which they were adopted.
    running: Mutex<BTreeMap<u64, Running>>,
    sender: mpsc::UnboundedSender<Report>,
}

/// What a step left, and which step.
#[derive(Debug)]
struct Report {
    /// The age in which it started.
    age: u64,
    /// Its place in the order in which steps were adopted.
    number: u64,
    finished: Finished,
}

impl Shared {
    fn lock_running(&self) -> MutexGuard<'_, BTreeMap<u64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One adopted step. Dropped before the step has ended, it reports that the step was cut (N-14).
struct Adopted<C: FnOnce() -> Finished> {
    shared: Arc<Shared>,
    number: u64,
    age: u64,
    cut: Option<C>,
}

impl<C: FnOnce() -> Finished> Adopted<C> {
    fn send_result(&self, finished: Finished) {
        // A host that no longer receives has ended the session.
        let Self { age, number, .. } = *self;
        let _ = self.shared.sender.send(Report { age, number, finished });
    }

    fn finish_step(mut self, finished: Finished) {
        self.cut = None;
        self.send_result(finished);
    }
}

impl<C: FnOnce() -> Finished> Drop for Adopted<C> {
    fn drop(&mut self) {
        if let Some(cut) = self.cut.take() {
            self.send_result(cut());
        }
        // After the report, so that a caller who finds no step running finds every report.
        self.shared.lock_running().remove(&self.number);
    }
}

impl Default for Background {
    fn default() -> Self {
        // Unbounded, but never longer than the tasks that may exist plus what the host has not
        // taken yet.
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = Shared {
            age: AtomicU64::new(0),
            adopted: AtomicU64::new(0),
            running: Mutex::default(),
            sender,
        };
        Self {
            tasks: Mutex::default(),
            draining: tokio::sync::Mutex::default(),
            shared: Arc::new(shared),
            receiver: tokio::sync::Mutex::new(receiver),
        }
    }
}

impl Background {
    /// Takes over a step; returns `false` if there are too many already. `cut` returns the result
    /// of a step that is dropped before its end.
    pub(super) fn adopt_step(
        &self,
        running: Running,
        step: impl Future<Output = Finished> + Send + 'static,
        cut: impl FnOnce() -> Finished + Send + 'static,
    ) -> bool {
        let mut tasks = self.lock_tasks();
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= MAX_BACKGROUND {
            return false;
        }
        let shared = Arc::clone(&self.shared);
        let number = shared.adopted.fetch_add(1, Ordering::AcqRel);
        shared.lock_running().insert(number, running);
        // Outside of the task's future: one that was never polled is reported, too.
        let adopted = Adopted { shared, number, age: self.times_host_began_anew(), cut: Some(cut) };
        tasks.spawn(async move { adopted.finish_step(step.await) });
        true
    }

    /// Marks the running steps as stale.
    pub(super) fn mark_running_steps_stale(&self) {
        self.shared.age.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns how often the host began anew.
    pub(super) fn times_host_began_anew(&self) -> u64 {
        self.shared.age.load(Ordering::Acquire)
    }

    /// Returns a step as the host receives it. A step that started before the host began anew is
    /// stale and wakes no agent.
    fn mark_if_stale(&self, Report { age, finished, .. }: Report) -> Finished {
        let stale = age != self.times_host_began_anew();
        Finished { wakes: finished.wakes && !stale, stale, ..finished }
    }

    /// Aborts every step that is running.
    pub(super) fn abort_running_steps(&self) {
        drop(std::mem::take(&mut *self.lock_tasks()));
    }

    /// Aborts every step that is running, and waits until all have ended. Returns their results in
    /// the order in which the steps started.
    pub(super) async fn abort_and_take_finished(&self) -> Vec<Finished> {
        self.lock_tasks().abort_all();
        self.wait_until_none_runs().await;
        let mut reports = receive_sent_reports(&mut *self.receiver.lock().await);
        reports.sort_by_key(|report| report.number);
        reports.into_iter().map(|report| self.mark_if_stale(report)).collect()
    }

    pub(super) fn count_running(&self) -> usize {
        let mut tasks = self.lock_tasks();
        while tasks.try_join_next().is_some() {}
        tasks.len()
    }

    /// Returns the steps that have not ended, in the order in which they started.
    pub(super) fn running_steps(&self) -> Vec<Running> {
        self.shared.lock_running().values().cloned().collect()
    }

    pub(super) async fn next_finished(&self) -> Option<Finished> {
        let finished = self.receiver.lock().await.recv().await?;
        Some(self.mark_if_stale(finished))
    }

    /// Returns the results of the steps that ended and were not taken yet.
    pub(super) fn take_finished(&self) -> Vec<Finished> {
        // A caller that waits for the next one takes it.
        let Ok(mut receiver) = self.receiver.try_lock() else { return Vec::new() };
        receive_sent_reports(&mut receiver)
            .into_iter()
            .map(|report| self.mark_if_stale(report))
            .collect()
    }

    /// Waits until no step is running. The results can still be taken afterwards.
    pub(super) async fn wait_until_none_runs(&self) {
        // The set wakes the caller that polled it last, so one waits at a time.
        let _waiting = self.draining.lock().await;
        // The steps stay where they are: a caller that gives up waiting ends none of them.
        std::future::poll_fn(|context| {
            let mut tasks = self.lock_tasks();
            while ready!(tasks.poll_join_next(context)).is_some() {}
            Poll::Ready(())
        })
        .await;
    }

    pub(super) async fn wait_and_take_finished(&self) -> Vec<Finished> {
        self.wait_until_none_runs().await;
        let reports = receive_sent_reports(&mut *self.receiver.lock().await);
        reports.into_iter().map(|report| self.mark_if_stale(report)).collect()
    }

    fn lock_tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives everything that was sent so far.
fn receive_sent_reports(receiver: &mut mpsc::UnboundedReceiver<Report>) -> Vec<Report> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}
