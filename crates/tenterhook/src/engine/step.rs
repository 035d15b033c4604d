//! One step on its road: claimed, run, read, judged, recorded. Knows no other step.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinError;
use tokio::time::Instant;

use crate::answer::{Answer, Failure, Power, Restraint};
use crate::event::Event;
use crate::executor::{self, Ambient, Progress, Sealed, Task};
use crate::hook::{Hook, Run, Wait};
use crate::outcome::{self, Fault};
use crate::plan::Step;
use crate::report::{End, Report, Said};
use crate::rule::Sight;
use crate::session::{Finished, MAX_BACKGROUND, Session};
use crate::verdict::{self, Bench, Verdict};

/// Everything that one step needs. It is passed on in a box: each future on the way would have room for it otherwise, and is
/// copied as a whole more than once.
pub(super) struct Setting {
    pub(super) step: Step,
    pub(super) event: Arc<Event>,
    pub(super) envelope: Arc<Sealed>,
    pub(super) deadline: Option<Instant>,
    pub(super) ambient: Arc<Ambient>,
    pub(super) turns: Arc<Semaphore>,
    pub(super) session: Session,
    /// Which version of the event it judges.
    pub(super) version: u32,
    /// What rules see of the event, where the hook is one.
    pub(super) sight: Option<Arc<Sight>>,
}

/// A step that is over, as far as its event is concerned.
pub(super) struct Done {
    pub(super) hook: Arc<Hook>,
    pub(super) verdict: Verdict,
    pub(super) record: outcome::Step,
    /// Which version of the event it judged.
    pub(super) version: u32,
}

impl Done {
    pub(super) fn passed_over(step: &Step) -> Self {
        Self::silent(step, "not run: an earlier step denied")
    }

    /// A step whose task is gone: whoever ran it ended it, or something in it panicked. Its failure policy decides.
    pub(super) fn lost(step: &Step, error: &JoinError) -> Self {
        let (code, message) = if error.is_panic() {
            ("panicked", "it panicked: this is a defect of its executor")
        } else {
            ("cancelled", "the host's runtime was shut down before it was over")
        };
        let failure = Failure { code, message: message.to_owned() };
        let answer = Answer { failure: Some(failure), ..Answer::default() };
        judge(step, answer, code.to_owned(), Duration::ZERO)
    }

    pub(super) fn denies(&self) -> bool {
        self.verdict.restraint == Restraint::Deny
    }

    fn silent(step: &Step, ended: &str) -> Self {
        let record = record(step, ended.to_owned(), Duration::ZERO, Restraint::Silent);
        Self { hook: Arc::clone(&step.hook), verdict: Verdict::default(), record, version: 0 }
    }
}

pub(super) async fn run(setting: Box<Setting>) -> Done {
    let version = setting.version;
    Done { version, ..run_once(setting).await }
}

async fn run_once(setting: Box<Setting>) -> Done {
    let step = &setting.step;
    if let Some(failure) = &step.broken {
        let answer = Answer { failure: Some(failure.clone()), ..Answer::default() };
        let ended = format!("not run: {}", failure.message);
        return judge(step, answer, ended, Duration::ZERO);
    }
    if step.hook.once && !setting.session.claim(&step.hook.id) {
        return Done::silent(step, "not run: it runs once in a session, and did");
    }
    match step.hook.wait {
        Wait::Attached => attached(setting).await,
        Wait::Detached | Wait::Rewake => {
            let (step, session) = (step.clone(), setting.session.clone());
            let rest = async move {
                let _turn = setting.turns.acquire().await;
                let _shown = setting.session.show(setting.step.hook.status.as_deref());
                let report = finish(executor::run(task(&setting)).await).await;
                finished(&setting.step, &setting.event, &report)
            };
            let done = detach(&session, &step, rest);
            // What is handed to the background has a fault only where there was no place for it: it was not started after all.
            if step.hook.once && !done.verdict.faults.is_empty() {
                session.disclaim(&step.hook.id);
            }
            done
        }
    }
}

async fn attached(setting: Box<Setting>) -> Done {
    let progress = {
        let _turn = turn(&setting).await;
        let _shown = setting.session.show(setting.step.hook.status.as_deref());
        executor::run(task(&setting)).await
    };
    match progress {
        Progress::Ended(report) => {
            let answer = read(&setting.step, &setting.event, &report);
            judge(&setting.step, answer, ended(&report), report.took)
        }
        Progress::Detached(rest) => {
            let (step, session) = (setting.step.clone(), setting.session.clone());
            let rest = async move { finished(&setting.step, &setting.event, &rest.0.await) };
            detach(&session, &step, rest)
        }
    }
}

/// Waits for a turn, on the event's clock too: when that runs out, the step is timed out without having run. Mostly one is
/// free, and no clock needs to be set.
async fn turn(setting: &Setting) -> Option<SemaphorePermit<'_>> {
    if let Ok(turn) = setting.turns.try_acquire() {
        return Some(turn);
    }
    let turn = setting.turns.acquire();
    match setting.deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, turn).await.ok()?.ok(),
        None => turn.await.ok(),
    }
}

/// Hands the rest of a step to the session; one too many is not run, and says so (N-8).
fn detach(
    session: &Session,
    step: &Step,
    rest: impl Future<Output = Finished> + Send + 'static,
) -> Done {
    if session.adopt(rest) {
        return Done::silent(step, "detached");
    }
    let mut done = Done::silent(step, "not run: the background is full");
    let message = format!(
        "{MAX_BACKGROUND} background steps are under way already; this one was not started"
    );
    done.verdict.faults.push(Fault::of(&step.hook.id, "background-full", message));
    done
}

async fn finish(progress: Progress) -> Report {
    match progress {
        Progress::Ended(report) => report,
        Progress::Detached(rest) => rest.0.await,
    }
}

/// A step has its own time-out and the end of the event's budget; a detached one has outlived its event.
fn task(setting: &Setting) -> Task {
    let Setting { step, event, envelope, deadline, ambient, session, sight, .. } = setting;
    Task {
        hook: Arc::clone(&step.hook),
        event: Arc::clone(event),
        row: step.row.clone(),
        envelope: Arc::clone(envelope),
        timeout: step.hook.time(&step.row),
        by: deadline.filter(|_| step.hook.wait == Wait::Attached),
        ambient: Arc::clone(ambient),
        session: session.clone(),
        sight: sight.clone(),
    }
}

/// Bytes are read in the hook's dialect; an answer that came as one needs no reading, and where nothing was said there
/// is nothing to read.
fn read(step: &Step, event: &Event, report: &Report) -> Answer {
    let mut answer = said(step, event, report);
    answer.remarks.extend(circumstances(report));
    answer
}

/// What people should hear of how the step ran, whatever it said: where it ran instead, what it left, and
/// what its executor adds.
fn circumstances(report: &Report) -> impl Iterator<Item = Failure> {
    let moved = report.moved_to.as_ref().map(|it| {
        let message = format!("its directory cannot be entered, so it ran in `{}`", it.display());
        Failure { code: "started-elsewhere", message }
    });
    let left = report.survivors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let survivors = (!left.is_empty()).then(|| {
        let message = format!("processes that it started could not be ended: {left}");
        Failure { code: "survivors", message }
    });
    moved.into_iter().chain(survivors).chain(report.notes.iter().cloned())
}

fn said(step: &Step, event: &Event, report: &Report) -> Answer {
    if let Said::Answer(answer) = &report.said {
        let answer = Answer::clone(answer);
        return Answer { failure: report.failure().or(answer.failure), ..answer };
    }
    if report.is_mute() {
        return Answer { failure: report.failure(), ..Answer::default() };
    }
    let dialect = step.hook.dialect.dialect();
    match &step.hook.run {
        Run::Prompt(prompt) => dialect.read_words(prompt, event, &step.row, report),
        _ => dialect.read_answer(event, &step.row, report),
    }
}

fn judge(step: &Step, answer: Answer, ended: String, took: Duration) -> Done {
    let verdict = verdict::judge(
        Bench { hook: &step.hook, row: &step.row, widened: step.widened.as_deref() },
        answer,
    );
    let mut record = record(step, ended, took, verdict.restraint);
    record.context.clone_from(&verdict.effects.context);
    Done { hook: Arc::clone(&step.hook), verdict, record, version: 0 }
}

/// Background steps take the same road (decision 13); a step that may wake the agent may always object.
fn finished(step: &Step, event: &Event, report: &Report) -> Finished {
    let mut step = step.clone();
    let wakes = step.hook.wait == Wait::Rewake;
    if wakes {
        step.row.powers = step.row.powers.with(Power::Deny);
    }
    let answer = read(&step, event, report);
    let done = judge(&step, answer, ended(report), report.took);
    Finished {
        event: event.name.clone(),
        wakes: wakes && done.verdict.restraint == Restraint::Deny,
        step: done.record,
        verdict: done.verdict,
        stale: false,
    }
}

fn record(step: &Step, ended: String, took: Duration, verdict: Restraint) -> outcome::Step {
    let place = step.hook.place.as_ref();
    outcome::Step {
        hook: step.hook.id.clone(),
        source: place.map(|it| it.file.to_string()).unwrap_or_default(),
        line: place.map_or(0, |it| it.line),
        executor: step.hook.run.executor(),
        ended,
        took,
        verdict,
        context: Vec::new(),
    }
}

fn ended(report: &Report) -> String {
    match &report.end {
        End::NotStarted { why } => format!("not started: {why}"),
        End::Exited(0) => "exit 0".to_owned(),
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::Failed { code, .. } => (*code).to_owned(),
        End::TimedOut => "timed out".to_owned(),
        End::Cancelled => "cancelled".to_owned(),
    }
}
