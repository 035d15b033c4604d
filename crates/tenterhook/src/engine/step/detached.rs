//! A step that its event does not wait for: passed to the session, run in its turn, judged when it
//! ends. Decides nothing.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;
use tokio::time::Instant;

use super::done::Done;
use super::{Setting, executor_task, status_text};
use crate::engine::late::{self, Late};
use crate::executor::{self, Progress, Rest};
use crate::session::{Claim, Finished, MAX_BACKGROUND, Running};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::Wait;
use tenterhook_core::outcome::{Ended, Fault};
use tenterhook_core::report::Report;

/// Whether an event waits for a step.
pub(in crate::engine) enum Waiting {
    /// It waits.
    Attached,
    /// It goes on without the step, which begins when its queue lets it.
    Detached(Queue),
    /// It goes on without the step, which a second process runs.
    Deferred,
}

/// The position of a detached step among those that run one after the other.
#[derive(Default)]
pub(in crate::engine) struct Queue {
    /// Closes when the step before this one is over.
    pub(in crate::engine) before: Option<watch::Receiver<()>>,
    /// Dropped when this step ends.
    pub(in crate::engine) done: Option<watch::Sender<()>>,
}

/// When a detached step began, if it did.
type Began = Arc<OnceLock<Instant>>;

/// Runs a whole step in the background of the session.
pub(super) fn run_step_in_background(
    setting: Box<Setting>,
    queue: Queue,
    claim: Option<Claim>,
) -> Done {
    claim.iter().for_each(Claim::detach);
    let (late, began) = (Late::new(&setting), Began::default());
    let (about, starts) = (late.clone(), Arc::clone(&began));
    let session = setting.session.clone();
    let run = async move {
        let Queue { before, done } = queue;
        // The sender is dropped when the previous step ends.
        if let Some(mut before) = before {
            let _ = before.changed().await;
        }
        let _turn = setting.turns.acquire().await;
        let _ = starts.set(Instant::now());
        let _shown = setting.session.show_status(status_text(&setting));
        let report = wait_for_report(executor::run_task(executor_task(&setting)).await).await;
        drop(done);
        late::finish_with_report(&about, &report, claim)
    };
    hand_step_to_session(&session, late, began, run)
}

/// Moves a step to the background of the session, because it asked for that in its first line.
pub(super) fn continue_step_in_background(
    setting: &Setting,
    rest: Rest,
    claim: Option<Claim>,
) -> Done {
    claim.iter().for_each(Claim::detach);
    let late = Late::new(setting);
    let about = late.clone();
    let began = Arc::new(OnceLock::from(Instant::now()));
    let run = async move { late::finish_with_report(&about, &rest.0.await, claim) };
    hand_step_to_session(&setting.session, late, began, run)
}

/// Passes a step to the session, which runs it in the background. Beyond the limit the step does
/// not run, and a fault reports it (N-8).
fn hand_step_to_session(
    session: &crate::session::Session,
    late: Late,
    began: Began,
    run: impl Future<Output = Finished> + Send + 'static,
) -> Done {
    let step = late.step().clone();
    let may_wake = step.hook.wait == Wait::Rewake;
    let running = Running::new(late.event_name(), step.hook.id.clone(), may_wake);
    let cut = move || late::finish_cancelled(&late, began.get().map(Instant::elapsed));
    if session.adopt_step(running, run, cut) {
        return Done::without_verdict(&step, Ended::Detached);
    }
    let mut done = Done::not_run_silent(&step, "the background is full");
    let message = format!(
        "{MAX_BACKGROUND} background steps are under way already; this one was not started"
    );
    let fault = Fault::new(&step.hook.id, Code::BackgroundFull, message);
    match &mut done.record.shadow {
        Some(shadow) => shadow.faults.push(fault),
        None => done.verdict.faults.push(fault),
    }
    done
}

/// Waits for the report of a step, also if the step asked for the background.
async fn wait_for_report(progress: Progress) -> Report {
    match progress {
        Progress::Ended(report) => report,
        Progress::Detached(rest) => rest.0.await,
    }
}
