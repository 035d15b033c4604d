//! Runs a command whose process was started before its event, and starts the next one. Knows no dialect and judges nothing.
//!
//! A spare waits on its input. It is used only if it equals what a cold start would be now: the
//! same program, environment and directory, and the same bytes in its script. In every doubt the
//! command is started cold, which costs only time.

mod likeness;
#[cfg(not(feature = "prewarm-forms"))]
mod no_substitute;
mod spares;
#[cfg(feature = "prewarm-forms")]
mod substitute;

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tenterhook_process as process;

use super::super::confine::confine;
use super::super::env_file::EnvFile;
use super::super::{Progress, Rest, Task, not_started};
use super::running::{Course, RunFiles, Running};
use super::{describe, start_now};
use likeness::Likeness;
#[cfg(not(feature = "prewarm-forms"))]
pub(super) use no_substitute::Substitute;
#[cfg(test)]
pub(super) use spares::MAX_SPARES;
use spares::{Spares, Taken};
#[cfg(feature = "prewarm-forms")]
pub(super) use substitute::Substitute;
use tenterhook_core::hook::{Hook, HookId, Run};

/// How long a spare waits for its event. An interpreter holds some ten megabytes, which an idle
/// hour is not worth.
const IDLE: Duration = Duration::from_secs(600);

/// A spare this close to its end is no longer used.
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
    /// Starts a spare. `None` if that fails; the next cold start reports the error in full.
    fn start(task: &Task) -> Option<Self> {
        let Run::Command(command) = &task.hook.run else { return None };
        let env_file = EnvFile::create(task).ok()?;
        let mut described = describe(task, command, env_file.as_ref());
        let substitute =
            Substitute::enter(&mut described, command, task.ambient.scratch.as_deref())?;
        let confined = confine(task, env_file.as_ref().map(EnvFile::path), &mut described);
        let since = Instant::now();
        described.stdin = Arc::from([]);
        described.timeout = None;
        described.deadline = Some(since + IDLE);
        let mut likeness = Likeness::new(task, command);
        likeness.look(task);
        let running = Running::wait(described, RunFiles { env_file, confined }, substitute);
        let (hook, id) = (Arc::downgrade(&task.hook), task.hook.id.clone());
        Some(Self { hook, id, likeness, since, running })
    }

    /// The id of its hook.
    const fn id(&self) -> &HookId {
        &self.id
    }

    /// Whether its hook left the configuration, or no event came in a long time.
    fn is_stale(&self) -> bool {
        self.hook.strong_count() == 0 || self.since.elapsed() + MARGIN >= IDLE
    }

    /// How it ended, if it did not wait.
    fn died(&mut self) -> Option<process::End> {
        self.running.died()
    }

    /// Whether a start of the hook now would give the same process.
    fn fits(&self, wanted: &Likeness) -> bool {
        self.likeness == *wanted
    }

    /// Whether the files that it was started from are unchanged and it is not too old.
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
    // An empty input is the end of input, which signals a waiting process that its host is gone.
    if task.envelope.body.is_empty() {
        return start_now(&task, command).await.into_progress();
    }
    let taken = Spares::of_session(&task.session).take(&task.hook, &Likeness::new(&task, command));
    let (course, note) = match taken {
        Taken::Spare(mut running) => {
            running.hand(&task);
            match running.follow(&task).await {
                // It died before it read any byte of the event, so no gate has accepted anything.
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
        let claim =
            wanted.then(|| Spares::of_session(&task.session).claim(&task.hook)).flatten()?;
        Some((task, claim))
    };
    let claimed: Vec<_> = tasks.into_iter().filter_map(claims).collect();
    if claimed.is_empty() {
        return;
    }
    // On a separate thread: it reads files, and a runtime that lives only while an event fires
    // would never finish it.
    drop(tokio::task::spawn_blocking(move || {
        for (task, claim) in claimed {
            if let Some(spare) = Spare::start(&task) {
                claim.fill(spare);
            }
        }
    }));
}
