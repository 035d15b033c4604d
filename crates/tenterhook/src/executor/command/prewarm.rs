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

use super::super::confine::apply_hook_sandbox;
use super::super::env_file::EnvFile;
use super::super::{Progress, Rest, Task, not_started_report};
use super::running::{Course, RunFiles, Running};
use super::{process_for_task, start_and_follow_command};
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
        let mut described = process_for_task(task, command, env_file.as_ref());
        let substitute =
            Substitute::apply_to_command(&mut described, command, task.ambient.scratch.as_deref())?;
        let confined =
            apply_hook_sandbox(task, env_file.as_ref().map(EnvFile::path), &mut described);
        let since = Instant::now();
        described.stdin = Arc::from([]);
        described.timeout = None;
        described.deadline = Some(since + IDLE);
        let mut likeness = Likeness::new(task, command);
        likeness.record_file_metadata(task);
        let running =
            Running::start_waiting(described, RunFiles { env_file, confined }, substitute);
        let (hook, id) = (Arc::downgrade(&task.hook), task.hook.id.clone());
        Some(Self { hook, id, likeness, since, running })
    }

    /// The id of its hook.
    const fn hook_id(&self) -> &HookId {
        &self.id
    }

    /// Whether the hook of the spare left the configuration, or no event came for a long time.
    fn is_no_longer_wanted(&self) -> bool {
        self.hook.strong_count() == 0 || self.since.elapsed() + MARGIN >= IDLE
    }

    /// Returns how the spare process ended, if it no longer waits.
    fn how_ended_before_event(&mut self) -> Option<process::End> {
        self.running.how_ended_before_event()
    }

    /// Whether starting the hook now would give the same process.
    fn equals_process_started_now(&self, wanted: &Likeness) -> bool {
        self.likeness == *wanted
    }

    /// Whether the files from which the spare was started are unchanged, and it is not too old.
    fn is_young_with_unchanged_files(&self) -> bool {
        !self.is_no_longer_wanted() && self.likeness.has_unchanged_files()
    }

    /// Returns the waiting process.
    fn into_running(self) -> Running {
        self.running
    }
}

/// Runs the command of `task` in its waiting spare process, or starts a new process.
pub(super) async fn run_prewarmed(task: Task) -> Progress {
    let task = Arc::new(task);
    let Run::Command(command) = &task.hook.run else {
        return Progress::Ended(not_started_report("it is not a command"));
    };
    // An empty input is the end of input, which signals a waiting process that its host is gone.
    if task.envelope.body.is_empty() {
        return start_and_follow_command(&task, command).await.into_progress();
    }
    let taken = Spares::of_session(&task.session)
        .take_matching_spare(&task.hook, &Likeness::new(&task, command));
    let (course, note) = match taken {
        Taken::Spare(mut running) => {
            running.send_event(&task);
            match running.wait_for_end_or_detach(&task).await {
                // It died before it read any byte of the event, so no gate has accepted anything.
                Course::Unseen(_) => (start_and_follow_command(&task, command).await, None),
                course => (course, None),
            }
        }
        Taken::Nothing(note) => (start_and_follow_command(&task, command).await, note),
    };
    match course.into_progress() {
        Progress::Ended(mut report) => {
            report.notes.extend(note);
            start_next_spare(task);
            Progress::Ended(report)
        }
        Progress::Detached(rest) => Progress::Detached(Rest(Box::pin(async move {
            let mut report = rest.0.await;
            report.notes.extend(note);
            start_next_spare(task);
            report
        }))),
    }
}

/// Starts the next process of a hook in the background, so that no event waits for it.
fn start_next_spare(task: Arc<Task>) {
    start_spares(vec![task]);
}

/// Starts the processes of hooks that ask for it, in the background.
pub(crate) fn start_spares(tasks: Vec<Arc<Task>>) {
    let claims = |task: Arc<Task>| {
        let wanted = task.session.expects_next_event();
        let claim = wanted
            .then(|| Spares::of_session(&task.session).claim_spare_start(&task.hook))
            .flatten()?;
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
                claim.add_spare(spare);
            }
        }
    }));
}
