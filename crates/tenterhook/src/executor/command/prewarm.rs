//! Runs a command whose process was started before its event, and starts the next one. Knows no dialect and judges nothing.
//!
//! A spare waits on its input. It is used only where it is what a cold start would be now: the same program, environment
//! and directory, and the same bytes in its script. In every doubt the command is started cold, which costs time alone.

mod likeness;
#[cfg(not(feature = "prewarm-forms"))]
mod no_stand_in;
mod spares;
#[cfg(feature = "prewarm-forms")]
mod stand_in;

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tenterhook_process as process;

use super::super::confine::confine;
use super::super::env_file::EnvFile;
use super::super::{Progress, Rest, Task, not_started};
use super::running::{Course, Held, Running};
use super::{describe, start_now};
use likeness::Likeness;
#[cfg(not(feature = "prewarm-forms"))]
pub(super) use no_stand_in::StandIn;
pub use spares::MAX_SPARES;
use spares::{Spares, Taken};
#[cfg(feature = "prewarm-forms")]
pub(super) use stand_in::StandIn;
use tenterhook_core::hook::{Hook, HookId, Run};

/// How long a spare waits for its event. An interpreter holds some ten megabytes: an hour of silence is not worth them.
const IDLE: Duration = Duration::from_secs(600);

/// How long before its end a spare is no longer given an event.
const MARGIN: Duration = Duration::from_secs(1);

/// A process that waits for the next event of its hook.
#[derive(Debug)]
struct Spare {
    hook: Weak<Hook>,
    id: HookId,
    likeness: Likeness,
    since: Instant,
    running: Running,
}

impl Spare {
    /// Starts one. `None` where it cannot be, which the next cold start tells in full.
    fn start(task: &Task) -> Option<Self> {
        let Run::Command(command) = &task.hook.run else { return None };
        let env_file = EnvFile::create(task).ok()?;
        let mut described = describe(task, command, env_file.as_ref());
        let stand_in = StandIn::enter(&mut described, command, task.ambient.scratch.as_deref())?;
        let confined = confine(task, env_file.as_ref().map(EnvFile::path), &mut described);
        let since = Instant::now();
        described.stdin = Arc::from([]);
        described.timeout = None;
        described.deadline = Some(since + IDLE);
        let mut likeness = Likeness::of(task, command);
        likeness.look(task);
        let running = Running::wait(described, Held { env_file, confined }, stand_in);
        let (hook, id) = (Arc::downgrade(&task.hook), task.hook.id.clone());
        Some(Self { hook, id, likeness, since, running })
    }

    /// Whose it is.
    const fn id(&self) -> &HookId {
        &self.id
    }

    /// Whether its hook stands in the configuration no more, or nobody asked for it in a long time.
    fn is_stale(&self) -> bool {
        self.hook.strong_count() == 0 || self.since.elapsed() + MARGIN >= IDLE
    }

    /// How it ended, if it did not wait.
    fn died(&mut self) -> Option<process::End> {
        self.running.died()
    }

    /// Whether it was started as the hook would be started now.
    fn fits(&self, wanted: &Likeness) -> bool {
        self.likeness == *wanted
    }

    /// Whether the files that it was started from stand as they stood, and nobody would rather have a younger one.
    fn is_fresh(&self) -> bool {
        !self.is_stale() && self.likeness.holds()
    }

    /// The process itself.
    fn into_running(self) -> Running {
        self.running
    }
}

/// Runs the command of `task` in its spare, or cold.
pub(super) async fn run(task: Task) -> Progress {
    let task = Arc::new(task);
    let Run::Command(command) = &task.hook.run else {
        return Progress::Ended(not_started("it is not a command"));
    };
    // An empty input is the end of input, which tells a waiting process that its host is gone.
    if task.envelope.body.is_empty() {
        return start_now(&task, command).await.into_progress();
    }
    let taken = Spares::of(&task.session).take(&task.hook, &Likeness::of(&task, command));
    let (course, note) = match taken {
        Taken::Spare(mut running) => {
            running.hand(&task);
            match running.follow(&task).await {
                // It died while it was handed the event, of which it took nothing: no gate has accepted anything.
                Course::Unseen(_) => (start_now(&task, command).await, None),
                course => (course, None),
            }
        }
        Taken::Nothing(note) => (start_now(&task, command).await, note),
    };
    match course.into_progress() {
        Progress::Ended(mut report) => {
            report.notes.extend(note);
            replace(task);
            Progress::Ended(report)
        }
        Progress::Detached(rest) => Progress::Detached(Rest(Box::pin(async move {
            let mut report = rest.0.await;
            report.notes.extend(note);
            replace(task);
            report
        }))),
    }
}

/// Starts the next process of a hook in the background: no event waits for it.
fn replace(task: Arc<Task>) {
    start_ahead(vec![task]);
}

/// Starts the processes of hooks that ask for it, in the background.
pub(crate) fn start_ahead(tasks: Vec<Arc<Task>>) {
    let claims = |task: Arc<Task>| {
        let wanted = task.session.goes_on();
        let claim = wanted.then(|| Spares::of(&task.session).claim(&task.hook)).flatten()?;
        Some((task, claim))
    };
    let claimed: Vec<_> = tasks.into_iter().filter_map(claims).collect();
    if claimed.is_empty() {
        return;
    }
    // On a thread of its own: it looks at files, and a runtime that only lives while an event is fired would never do it.
    drop(tokio::task::spawn_blocking(move || {
        for (task, claim) in claimed {
            if let Some(spare) = Spare::start(&task) {
                claim.fill(spare);
            }
        }
    }));
}
