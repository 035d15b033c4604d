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

    /// Sets the subagent.
    pub(crate) fn of_agent(self, agent: Option<&str>) -> Self {
        Self { agent: agent.map(str::to_owned), ..self }
    }

    /// Its index among the steps of `outcome`.
    fn position(&self, outcome: &Outcome) -> Option<usize> {
        let own = self.outcome.steps.first()?;
        outcome.steps.iter().position(|step| step.hook == own.hook && step.ended == Ended::Detached)
    }

    /// Adds its effects to the outcome of its event. Does not change whether that is blocked.
    fn join(mut self, outcome: &mut Outcome) {
        let position = self.position(outcome);
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
        merge::absorb(&mut outcome.effects, self.outcome.effects, &mut outcome.faults);
        for step in self.outcome.steps {
            match position.and_then(|at| outcome.steps.get_mut(at)) {
                Some(record) => *record = step,
                None => outcome.steps.push(step),
            }
        }
    }
}

/// Adds the effects of background steps to `outcome`, in configured order: the order in which they
/// ended is irrelevant (M-11).
pub(super) fn join(outcome: &mut Outcome, mut finished: Vec<Finished>) {
    finished.sort_by_key(|f| f.position(outcome).unwrap_or(usize::MAX));
    for one in finished {
        one.join(outcome);
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
    fn running(&self) -> MutexGuard<'_, BTreeMap<u64, Running>> {
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
    fn send(&self, finished: Finished) {
        // A host that no longer receives has ended the session.
        let Self { age, number, .. } = *self;
        let _ = self.shared.sender.send(Report { age, number, finished });
    }

    fn end(mut self, finished: Finished) {
        self.cut = None;
        self.send(finished);
    }
}

impl<C: FnOnce() -> Finished> Drop for Adopted<C> {
    fn drop(&mut self) {
        if let Some(cut) = self.cut.take() {
            self.send(cut());
        }
        // After the report, so that a caller who finds no step running finds every report.
        self.shared.running().remove(&self.number);
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
    /// Takes over a step; `false` when there are too many already. `cut` says what a step leaves
    /// that is dropped before its end.
    pub(super) fn adopt(
        &self,
        running: Running,
        step: impl Future<Output = Finished> + Send + 'static,
        cut: impl FnOnce() -> Finished + Send + 'static,
    ) -> bool {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= MAX_BACKGROUND {
            return false;
        }
        let shared = Arc::clone(&self.shared);
        let number = shared.adopted.fetch_add(1, Ordering::AcqRel);
        shared.running().insert(number, running);
        // Outside of the task's future: one that was never polled is reported, too.
        let adopted = Adopted { shared, number, age: self.age(), cut: Some(cut) };
        tasks.spawn(async move { adopted.end(step.await) });
        true
    }

    /// Marks the running steps as stale.
    pub(super) fn begin_anew(&self) {
        self.shared.age.fetch_add(1, Ordering::AcqRel);
    }

    /// How often the host began anew.
    pub(super) fn age(&self) -> u64 {
        self.shared.age.load(Ordering::Acquire)
    }

    /// A step as the host receives it: one that outlived what it is about wakes no agent.
    fn aged(&self, Report { age, finished, .. }: Report) -> Finished {
        let stale = age != self.age();
        Finished { wakes: finished.wakes && !stale, stale, ..finished }
    }

    /// Ends every step that is under way.
    pub(super) fn end(&self) {
        drop(std::mem::take(&mut *self.tasks()));
    }

    /// Ends every step that is under way, and waits until all have ended. What they left, in the
    /// order in which they started.
    pub(super) async fn cut(&self) -> Vec<Finished> {
        self.tasks().abort_all();
        self.settled().await;
        let mut reports = take(&mut *self.receiver.lock().await);
        reports.sort_by_key(|report| report.number);
        reports.into_iter().map(|report| self.aged(report)).collect()
    }

    pub(super) fn under_way(&self) -> usize {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.len()
    }

    /// The steps that have not ended, in the order in which they were started.
    pub(super) fn running(&self) -> Vec<Running> {
        self.shared.running().values().cloned().collect()
    }

    pub(super) async fn next(&self) -> Option<Finished> {
        let finished = self.receiver.lock().await.recv().await?;
        Some(self.aged(finished))
    }

    /// What has ended and was not taken yet.
    pub(super) fn take_finished(&self) -> Vec<Finished> {
        // A caller that waits for the next one takes it.
        let Ok(mut receiver) = self.receiver.try_lock() else { return Vec::new() };
        take(&mut receiver).into_iter().map(|report| self.aged(report)).collect()
    }

    /// Waits until no step is under way. What they left stays to be taken.
    pub(super) async fn settled(&self) {
        // The set wakes the caller that polled it last, so one waits at a time.
        let _waiting = self.draining.lock().await;
        // The steps stay where they are: a caller that gives up waiting ends none of them.
        std::future::poll_fn(|context| {
            let mut tasks = self.tasks();
            while ready!(tasks.poll_join_next(context)).is_some() {}
            Poll::Ready(())
        })
        .await;
    }

    pub(super) async fn drain(&self) -> Vec<Finished> {
        self.settled().await;
        let reports = take(&mut *self.receiver.lock().await);
        reports.into_iter().map(|report| self.aged(report)).collect()
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that was sent so far.
fn take(receiver: &mut mpsc::UnboundedReceiver<Report>) -> Vec<Report> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}
