//! Takes one step from claim to record: claimed, run, read, judged, recorded. Knows no other step.

mod detached;
mod done;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::recording::Behind;
use crate::executor::{self, Ambient, Asked, Progress, Sealed, Task};
use crate::session::{Claim, Session, Wanted, Watched};
pub(super) use detached::{Queue, Waiting};
use done::judge;
pub(super) use done::{Done, judge_context, judged_record, shadow_record};
use tenterhook_core::answer::{Answer, Failure, Power, Restraint};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, HookId, Phase, Run, Tier, Wait, around};
use tenterhook_core::outcome::{Ended, Fault};
use tenterhook_core::plan::Step;
use tenterhook_core::report::{End, Report, StepOutput};
use tenterhook_core::rule::RuleInput;
use tenterhook_core::verdict::Verdict;

/// Everything that one step needs. It is boxed: otherwise each future that holds it would reserve
/// space for it, and it would be copied several times.
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
    /// The event as rules see it, if the hook is a rule.
    pub(super) rule_input: Option<Arc<RuleInput>>,
    /// Whether the caller still waits for the event.
    pub(super) wanted: Wanted,
    /// Where its end is recorded if it ends after its event.
    pub(super) behind: Behind,
    /// Whether it may run at all.
    pub(super) once: Once,
    /// Whether its event waits for it.
    pub(super) waiting: Waiting,
}

/// The state of a hook's single run.
pub(super) enum Once {
    /// It may run as often as events select it.
    Never,
    /// This is its single run.
    Now(Claim),
    /// It already had its single run.
    Before,
}

impl Once {
    /// Claims the single run of a hook at the start of its step (N-6).
    pub(super) fn claim(step: &Step, session: &Session) -> Self {
        if !step.hook.once || step.broken.is_some() {
            return Self::Never;
        }
        session.claim_run(&step.hook.id).map_or(Self::Before, Self::Now)
    }

    /// A watch on the claim, for the event to hold while it waits.
    pub(super) fn watched(&self) -> Option<Watched> {
        match self {
            Self::Now(claim) => Some(claim.watched()),
            Self::Never | Self::Before => None,
        }
    }
}

pub(super) async fn run(setting: Box<Setting>) -> Done {
    let version = setting.version;
    Done { version, ..run_once(setting).await }
}

async fn run_once(mut setting: Box<Setting>) -> Done {
    let step = &setting.step;
    if let Some(refusal) = around::refuses(&step.hook, &setting.ambient.env) {
        let ended = Ended::NotRun(refusal.message.clone());
        return judge(step, refused(step, refusal), ended, Duration::ZERO);
    }
    if let Some(failure) = &step.broken {
        let mut done = Done::unable(step, failure);
        // The restraint comes with each event and has its reason; the message is shown once a
        // session (C-74, T-12).
        if step.hook.shown_once_key().is_some_and(|hook_id| !setting.session.claim(&hook_id)) {
            done.verdict.faults.clear();
        }
        return done;
    }
    let claim = match std::mem::replace(&mut setting.once, Once::Never) {
        Once::Never => None,
        Once::Now(claim) => Some(claim),
        Once::Before => {
            return Done::silent(&setting.step, "it runs once in a session, and did");
        }
    };
    match std::mem::replace(&mut setting.waiting, Waiting::Attached) {
        Waiting::Attached => attached(setting, claim).await,
        Waiting::Detached(queue) => detached::whole(setting, queue, claim),
    }
}

/// A hook that would fire within itself denies if it could have denied: that is no failure, so no
/// failure policy loosens it (P-10).
fn refused(step: &Step, refusal: Failure) -> Answer {
    let hook = &step.hook;
    let gates = hook.phase != Phase::Observe && hook.wait == Wait::Attached;
    let reason = format!("hook `{}` was not asked: {}", hook.id, refusal.message);
    let answer = match gates && step.row.powers.has(Power::Deny) {
        true => Answer::deny(reason),
        false => Answer::default(),
    };
    Answer { remarks: vec![refusal], ..answer }
}

async fn attached(setting: Box<Setting>, claim: Option<Claim>) -> Done {
    let progress = {
        let _turn = turn(&setting).await;
        let _shown = setting.session.show(status(&setting));
        executor::run(task(&setting)).await
    };
    let report = match progress {
        Progress::Ended(report) => report,
        // A host that waits has not gone on, so the hook's late answer still applies.
        Progress::Detached(rest) if setting.session.host_waits() => {
            let _shown = setting.session.show(status(&setting));
            rest.0.await
        }
        Progress::Detached(rest) => return detached::rest(&setting, rest, claim),
    };
    let mut done = judged(&setting.step, &setting.event, &report, claim);
    let setting = &*setting;
    show_refusal_once(&setting.step.hook, &setting.session, &setting.ambient, &mut done.verdict);
    done.verdict.faults.extend(unconfined(&setting.step.hook, &setting.session, &report));
    done
}

/// Keeps the sandbox's refusal, and the line that grants it, once a session, in place of the exit
/// code that it caused. A restraining answer keeps its exit code.
pub(super) fn show_refusal_once(
    hook: &Hook,
    session: &Session,
    ambient: &Ambient,
    verdict: &mut Verdict,
) {
    let is_refusal = |fault: &Fault| fault.code == Code::SandboxRefused;
    let Some(refusal) = verdict.faults.iter().find(|fault| is_refusal(fault)) else { return };
    // A host that asks for all refusals gets them each time.
    if ambient.explains_denials {
        return;
    }
    let key = HookId::new(format!("sandbox-refused:{}:{}", hook.id, refusal.message));
    let is_new = session.claim(&key);
    let restrains = verdict.restraint > Restraint::Allow;
    verdict.faults.retain(|fault| match fault.code {
        Code::SandboxRefused => is_new,
        Code::ExitCode => restrains,
        _ => true,
    });
}

/// Reads, judges and records a report.
fn judged(step: &Step, event: &Event, report: &Report, claim: Option<Claim>) -> Done {
    let answer = read(step, event, report);
    spend(claim, &answer);
    let ended = match answer.detached {
        true => Ended::InBackground(Box::new(ended(step, report))),
        false => ended(step, report),
    };
    let mut done = judge(step, answer, ended, report.took);
    done.record.tier = report.tier;
    done
}

/// Evaluates a rule here and now if it needs nothing else: it waits for no other task, and needs no
/// turn and no envelope.
pub(super) fn ask(asked: &Asked<'_>, step: &Step) -> Option<Done> {
    let Run::Rule(rule) = &step.hook.run else { return None };
    let hook = &step.hook;
    let is_plain = hook.wait == Wait::Attached && !hook.once && hook.status.is_none();
    if !is_plain || step.broken.is_some() || around::refuses(hook, &asked.ambient.env).is_some() {
        return None;
    }
    let report = executor::ask(asked, rule);
    // Most rules do not match; then nothing is read or judged, unless silence is a failure.
    if report.says_nothing() && !hook.answer_required {
        let mut done = Done::without_verdict(step, Ended::Answered);
        done.record.took = report.took;
        return Some(done);
    }
    Some(judged(step, asked.event, &report, None))
}

/// A machine without a sandbox is reported once a session, not once per hook and call.
fn unconfined(hook: &Hook, session: &Session, report: &Report) -> Option<Fault> {
    let is_bare = report.tier == Some(Tier::T0);
    (is_bare && session.claim(&HookId::new("sandbox:T0"))).then(|| {
        let message = "this machine has no means to confine it, so it ran with the user's full rights, as every hook here \
                       that accepts that; `isolation_min = \"T1\"` holds it back instead";
        Fault::new(&hook.id, Code::Unconfined, message)
    })
}

/// The status text shown while it runs; `None` for a shadow hook.
fn status(setting: &Setting) -> Option<&str> {
    let hook = &setting.step.hook;
    hook.status.as_deref().filter(|_| !hook.enforcement.is_shadow())
}

/// Spends the single run of a hook once it has answered (N-6).
pub(super) fn spend(claim: Option<Claim>, answer: &Answer) {
    if let Some(claim) = claim.filter(|_| answer.failure.is_none()) {
        claim.spend();
    }
}

/// Waits for a turn, within the event's deadline: if that expires, the step times out without
/// having run. Mostly a permit is free, and no timer is needed.
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

/// The task of a step. Its limits are its own timeout and the event's deadline; a detached
/// step has no deadline.
fn task(setting: &Setting) -> Task {
    let Setting { step, event, envelope, deadline, ambient, session, rule_input, wanted, .. } =
        setting;
    Task {
        hook: Arc::clone(&step.hook),
        event: Arc::clone(event),
        row: Arc::clone(&step.row),
        envelope: Arc::clone(envelope),
        timeout: step.hook.time(&step.row),
        deadline: *deadline,
        ambient: Arc::clone(ambient),
        session: session.clone(),
        rule_input: rule_input.clone(),
        wanted: wanted.clone(),
    }
}

/// Reads a report in the hook's dialect. An answer that came as a value is not parsed, and silence
/// needs no reading.
pub(super) fn read(step: &Step, event: &Event, report: &Report) -> Answer {
    let mut answer = match refused_before_the_end(step, report) {
        Some(failure) => Answer { failure: Some(failure), ..Answer::default() },
        None => read_output(step, event, report),
    };
    answer.remarks.extend(circumstances(report));
    answer
}

/// The failure of a hook whose exit code 2 may come from its shell: at the end of a turn, after a
/// refusal of the sandbox, with empty stdout. A shell exits with 2 if it cannot open the
/// file of a redirection.
fn refused_before_the_end(step: &Step, report: &Report) -> Option<Failure> {
    let is_refused = report.notes.iter().any(|note| note.code == Code::SandboxRefused);
    let StepOutput::Bytes { stdout, .. } = &report.said else { return None };
    let is_silent = stdout.bytes.trim_ascii().is_empty();
    let applies =
        report.end == End::Exited(2) && is_refused && is_silent && step.row.keeps_at_work();
    let message = "it exited with code 2 after the sandbox refused it something";
    applies.then(|| Failure { exit: Some(2), ..Failure::new(Code::ExitCode, message) })
}

/// Reports about how the step ran, whatever it answered: where it ran instead, which
/// processes it left, and the notes of its executor.
fn circumstances(report: &Report) -> impl Iterator<Item = Failure> {
    let moved = report.moved_to.as_ref().map(|path| {
        let message = format!("its directory cannot be entered, so it ran in `{}`", path.display());
        Failure::new(Code::StartedElsewhere, message)
    });
    let left = report.survivors.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let survivors = (!left.is_empty()).then(|| {
        let message = format!("processes that it started were killed and are not gone yet: {left}");
        Failure::new(Code::Survivors, message)
    });
    moved.into_iter().chain(survivors).chain(report.notes.iter().cloned())
}

fn read_output(step: &Step, event: &Event, report: &Report) -> Answer {
    if let StepOutput::Answer(answer) = &report.said {
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

pub(super) fn ended(step: &Step, report: &Report) -> Ended {
    match &report.end {
        End::NotStarted { why } => Ended::NotStarted(why.clone()),
        End::Exited(0) if !matches!(step.hook.run, Run::Command(_)) => Ended::Answered,
        End::Exited(code) => Ended::Exited(*code),
        End::Signalled(signal) => Ended::Signalled(*signal),
        End::Failed { code, .. } => Ended::Failed(*code),
        End::TimedOut => Ended::TimedOut,
        End::Cancelled => Ended::Cancelled,
    }
}
