//! The steps that outlive their event: who owns them, how many there may be, and how the host hears of their end.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::answer::Effects;
use crate::event::EventName;
use crate::merge;
use crate::outcome::{Ended, Outcome};

/// How many background steps a session holds, running and waiting for their turn. A host that fires faster than its
/// background hooks end would otherwise gather them without end (N-8).
pub const MAX_BACKGROUND: usize = 256;

/// A background step that has ended: it took the same road as every other, but too late for its event's outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finished {
    /// The event that started it.
    pub event: EventName,
    /// What it alone leaves: its record, what it tells, what it sets, its faults. It restrains nothing any more; where it
    /// wakes the agent it is a denial, whose reason is for the model.
    pub outcome: Outcome,
    /// Whether its denial wakes an idle agent.
    pub wakes: bool,
    /// Whether what it is about is over: the host began anew after it started. Its words are for nobody (N-13).
    pub stale: bool,
}

impl Finished {
    pub(crate) const fn new(event: EventName, outcome: Outcome, wakes: bool) -> Self {
        Self { event, outcome, wakes, stale: false }
    }

    /// Where among the steps of `outcome` it was started.
    fn place(&self, outcome: &Outcome) -> Option<usize> {
        let own = self.outcome.steps.first()?;
        outcome.steps.iter().position(|it| it.hook == own.hook && it.ended == Ended::Detached)
    }

    /// Adds what it left to the outcome of its event. Whether that is blocked does not change.
    fn join(mut self, outcome: &mut Outcome) {
        let place = self.place(outcome);
        if self.stale {
            self.outcome.effects = Effects::default();
        } else if self.wakes {
            // What would wake an idle agent is for its model to read.
            let words: Vec<_> = self.outcome.reasons.into_iter().map(|it| it.text).collect();
            if let Some(step) = self.outcome.steps.first_mut() {
                step.context.extend(words.iter().cloned());
            }
            self.outcome.effects.context.extend(words);
        }
        outcome.faults.extend(self.outcome.faults);
        merge::absorb(&mut outcome.effects, self.outcome.effects, &mut outcome.faults);
        for step in self.outcome.steps {
            match place.and_then(|place| outcome.steps.get_mut(place)) {
                Some(record) => *record = step,
                None => outcome.steps.push(step),
            }
        }
    }
}

/// Adds to `outcome` what its background steps left, in configured order: which of them was over first decides nothing (M-11).
pub(super) fn join(outcome: &mut Outcome, mut finished: Vec<Finished>) {
    finished.sort_by_key(|it| it.place(outcome).unwrap_or(usize::MAX));
    for one in finished {
        one.join(outcome);
    }
}

/// The background of one session.
#[derive(Debug)]
pub(super) struct Background {
    tasks: Mutex<JoinSet<()>>,
    /// Held by whoever waits for the end of all of them.
    draining: tokio::sync::Mutex<()>,
    /// How often the host began anew.
    age: AtomicU64,
    /// What ended, with the age in which it started.
    sender: mpsc::UnboundedSender<(u64, Finished)>,
    receiver: tokio::sync::Mutex<mpsc::UnboundedReceiver<(u64, Finished)>>,
}

impl Default for Background {
    fn default() -> Self {
        // Unbounded, but never longer than the tasks that may exist plus what the host has not taken yet.
        let (sender, receiver) = mpsc::unbounded_channel();
        Self {
            tasks: Mutex::default(),
            draining: tokio::sync::Mutex::default(),
            age: AtomicU64::new(0),
            sender,
            receiver: tokio::sync::Mutex::new(receiver),
        }
    }
}

impl Background {
    /// Takes over a step; `false` when there are too many already.
    pub(super) fn adopt(&self, step: impl Future<Output = Finished> + Send + 'static) -> bool {
        let (sender, age) = (self.sender.clone(), self.age());
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= MAX_BACKGROUND {
            return false;
        }
        tasks.spawn(async move {
            // A host that no longer listens has ended the session; there is nobody left to tell.
            let _ = sender.send((age, step.await));
        });
        true
    }

    /// What is under way belongs to what is over.
    pub(super) fn begin_anew(&self) {
        self.age.fetch_add(1, Ordering::AcqRel);
    }

    /// How often the host began anew.
    pub(super) fn age(&self) -> u64 {
        self.age.load(Ordering::Acquire)
    }

    /// A step as the host hears of it: one that outlived what it is about wakes nobody.
    fn told(&self, (age, finished): (u64, Finished)) -> Finished {
        let stale = age != self.age();
        Finished { wakes: finished.wakes && !stale, stale, ..finished }
    }

    /// Ends every step that is under way.
    pub(super) fn end(&self) {
        drop(std::mem::take(&mut *self.tasks()));
    }

    pub(super) fn under_way(&self) -> usize {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.len()
    }

    pub(super) async fn next(&self) -> Option<Finished> {
        let finished = self.receiver.lock().await.recv().await?;
        Some(self.told(finished))
    }

    pub(super) async fn drain(&self) -> Vec<Finished> {
        // The set wakes whoever looked at it last, so one waits at a time.
        let waiting = self.draining.lock().await;
        // The steps stay where they are: who gives up waiting ends none of them.
        std::future::poll_fn(|context| {
            let mut tasks = self.tasks();
            while ready!(tasks.poll_join_next(context)).is_some() {}
            Poll::Ready(())
        })
        .await;
        drop(waiting);
        let mut receiver = self.receiver.lock().await;
        let mut finished = Vec::new();
        while let Ok(one) = receiver.try_recv() {
            finished.push(self.told(one));
        }
        finished
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
