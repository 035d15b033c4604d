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
use done::judge_and_record;
pub(super) use done::{Done, judge_context_of_step, record_with_verdict, shadow_record};
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
    pub(super) fn claim_single_run(step: &Step, session: &Session) -> Self {
        if !step.hook.once || step.broken.is_some() {
            return Self::Never;
        }
        session.claim_run(&step.hook.id).map_or(Self::Before, Self::Now)
    }

    /// Returns a watch on the claim, which the event holds while it waits.
    pub(super) fn watch_claim(&self) -> Option<Watched> {
        match self {
            Self::Now(claim) => Some(claim.event_share()),
            Self::Never | Self::Before => None,
        }
    }
}

/// Runs a step, and labels its result with the version of the payload that it judged.
pub(super) async fn run_step(setting: Box<Setting>) -> Done {
    let version = setting.version;
    Done { version, ..run_or_skip_step(setting).await }
}

/// Runs a step, or returns at once if its hook is refused, cannot run or had its only run.
async fn run_or_skip_step(mut setting: Box<Setting>) -> Done {
    let step = &setting.step;
    if let Some(refusal) = around::failure_of_nested_hook(&step.hook, &setting.ambient.env) {
        let ended = Ended::NotRun(refusal.message.clone());
        return judge_and_record(step, answer_for_recursion(step, refusal), ended, Duration::ZERO);
    }
    if let Some(failure) = &step.broken {
        let mut done = Done::not_run_with_failure(step, failure);
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
            return Done::not_run_silent(
                &setting.step,
                "it runs once in a session and has already run",
            );
        }
    };
    match std::mem::replace(&mut setting.waiting, Waiting::Attached) {
        Waiting::Attached => run_awaited_step(setting, claim).await,
        Waiting::Detached(queue) => detached::run_step_in_background(setting, queue, claim),
        // The claim is given back, so that the second process can claim the run.
        Waiting::Deferred => Done::left_to_second_process(&setting.step),
    }
}

/// Returns the answer of a hook that would fire within itself. It denies if the hook could have
/// denied: this is no failure, so no failure policy loosens it (P-10).
fn answer_for_recursion(step: &Step, refusal: Failure) -> Answer {
    let hook = &step.hook;
    let gates = hook.phase != Phase::Observe && hook.wait == Wait::Attached;
    let reason = format!("hook `{}` was not asked: {}", hook.id, refusal.message);
    let answer = match gates && step.row.powers.has(Power::Deny) {
        true => Answer::deny(reason),
        false => Answer::default(),
    };
    Answer { remarks: vec![refusal], ..answer }
}

/// Runs a step for which the event waits.
async fn run_awaited_step(setting: Box<Setting>, claim: Option<Claim>) -> Done {
    let progress = {
        let _turn = acquire_run_permit(&setting).await;
        let _shown = setting.session.show_status(status_text(&setting));
        executor::run_task(executor_task(&setting)).await
    };
    let report = match progress {
        Progress::Ended(report) => report,
        // A host that waits has not gone on, so the hook's late answer still applies.
        Progress::Detached(rest) if setting.session.host_waits() => {
            let _shown = setting.session.show_status(status_text(&setting));
            rest.0.await
        }
        Progress::Detached(rest) => {
            return detached::continue_step_in_background(&setting, rest, claim);
        }
    };
    let mut done = judge_report(&setting.step, &setting.event, &report, claim);
    let setting = &*setting;
    put_sandbox_refusal_in_verdict(
        &setting.step.hook,
        &setting.session,
        &setting.ambient,
        &mut done.verdict,
    );
    done.verdict.faults.extend(no_sandbox_fault_once(
        &setting.step.hook,
        &setting.session,
        &report,
    ));
    done
}

/// Puts a refusal of the sandbox, with the line that would grant the access, into the verdict, in
/// place of the exit code that the refusal caused; once a session. A restraining answer
/// keeps its exit code.
pub(super) fn put_sandbox_refusal_in_verdict(
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
fn judge_report(step: &Step, event: &Event, report: &Report, claim: Option<Claim>) -> Done {
    let answer = answer_from_report(step, event, report);
    spend_claim_if_answered(claim, &answer);
    let ended = match answer.detached {
        true => Ended::InBackground(Box::new(end_as_recorded(step, report))),
        false => end_as_recorded(step, report),
    };
    let mut done = judge_and_record(step, answer, ended, report.took);
    done.record.tier = report.tier;
    done
}

/// Evaluates a rule at once if it needs nothing else: no other task, no permit and no envelope.
/// `None` for other steps.
pub(super) fn evaluate_rule_now(asked: &Asked<'_>, step: &Step) -> Option<Done> {
    let Run::Rule(rule) = &step.hook.run else { return None };
    let hook = &step.hook;
    let is_plain = hook.wait == Wait::Attached && !hook.once && hook.status.is_none();
    if !is_plain
        || step.broken.is_some()
        || around::failure_of_nested_hook(hook, &asked.ambient.env).is_some()
    {
        return None;
    }
    let report = executor::evaluate_rule(asked, rule);
    // Most rules do not match; then nothing is read or judged, unless silence is a failure.
    if report.is_clean_empty_exit() && !hook.answer_required {
        let mut done = Done::without_verdict(step, Ended::Answered);
        done.record.took = report.took;
        return Some(done);
    }
    Some(judge_report(step, asked.event, &report, None))
}

/// Reports that the machine has no sandbox, once a session and not once per hook and call.
fn no_sandbox_fault_once(hook: &Hook, session: &Session, report: &Report) -> Option<Fault> {
    let is_bare = report.tier == Some(Tier::T0);
    (is_bare && session.claim(&HookId::new("sandbox:T0"))).then(|| {
        let message = "this machine has no means to confine it, so it ran with the user's full rights, as every hook here \
                       that accepts that; `isolation_min = \"T1\"` holds it back instead";
        Fault::new(&hook.id, Code::Unconfined, message)
    })
}

/// Returns the status text to show while the step runs; `None` for a shadow hook.
fn status_text(setting: &Setting) -> Option<&str> {
    let hook = &setting.step.hook;
    hook.status.as_deref().filter(|_| !hook.enforcement.is_shadow())
}

/// Spends the single run of a hook once it has answered (N-6).
pub(super) fn spend_claim_if_answered(claim: Option<Claim>, answer: &Answer) {
    if let Some(claim) = claim.filter(|_| answer.failure.is_none()) {
        claim.mark_answered();
    }
}

/// Waits for a permit to run, within the event's deadline. If that expires, the step times out
/// without having run. Usually a permit is free, and no timer is needed.
async fn acquire_run_permit(setting: &Setting) -> Option<SemaphorePermit<'_>> {
    if let Ok(turn) = setting.turns.try_acquire() {
        return Some(turn);
    }
    let turn = setting.turns.acquire();
    match setting.deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, turn).await.ok()?.ok(),
        None => turn.await.ok(),
    }
}

/// Builds the task that the executor runs. Its limits are the timeout of the step and the event's
/// deadline; a detached step has no deadline.
fn executor_task(setting: &Setting) -> Task {
    let Setting { step, event, envelope, deadline, ambient, session, rule_input, wanted, .. } =
        setting;
    Task {
        hook: Arc::clone(&step.hook),
        event: Arc::clone(event),
        row: Arc::clone(&step.row),
        envelope: Arc::clone(envelope),
        timeout: step.hook.effective_timeout(&step.row),
        deadline: *deadline,
        ambient: Arc::clone(ambient),
        session: session.clone(),
        rule_input: rule_input.clone(),
        wanted: wanted.clone(),
    }
}

/// Reads a report in the hook's dialect. An answer that came as a value is not parsed, and silence
/// needs no reading.
pub(super) fn answer_from_report(step: &Step, event: &Event, report: &Report) -> Answer {
    let mut answer = match sandbox_refused_shell_failure(step, report) {
        Some(failure) => Answer { failure: Some(failure), ..Answer::default() },
        None => parse_output(step, event, report),
    };
    answer.remarks.extend(notes_about_run(report));
    answer
}

/// Returns the failure of a hook whose exit code 2 may come from its shell: at the end of a turn,
/// after a refusal of the sandbox, with empty stdout. A shell exits with 2 if it cannot open
/// the file of a redirection.
fn sandbox_refused_shell_failure(step: &Step, report: &Report) -> Option<Failure> {
    let is_refused = report.notes.iter().any(|note| note.code == Code::SandboxRefused);
    let StepOutput::Bytes { stdout, .. } = &report.said else { return None };
    let is_silent = stdout.bytes.trim_ascii().is_empty();
    let applies =
        report.end == End::Exited(2) && is_refused && is_silent && step.row.block_continues_turn();
    let message = "it exited with code 2 after the sandbox refused it something";
    applies.then(|| Failure { exit: Some(2), ..Failure::new(Code::ExitCode, message) })
}

/// Returns notes about how the step ran, whatever it answered: the directory in which it ran
/// instead, the processes that it left, and the notes of its executor.
fn notes_about_run(report: &Report) -> impl Iterator<Item = Failure> {
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

/// Reads the output of a step as an answer, or takes the answer that came as a value.
fn parse_output(step: &Step, event: &Event, report: &Report) -> Answer {
    if let StepOutput::Answer(answer) = &report.said {
        let answer = Answer::clone(answer);
        return Answer { failure: report.failure().or(answer.failure), ..answer };
    }
    if report.ended_without_output() {
        return Answer { failure: report.failure(), ..Answer::default() };
    }
    let dialect = step.hook.dialect.dialect();
    match &step.hook.run {
        Run::Prompt(prompt) => dialect.read_model_answer(prompt, event, &step.row, report),
        _ => dialect.read_answer(event, &step.row, report),
    }
}

/// Converts the end of a step into the form that its record has.
pub(super) fn end_as_recorded(step: &Step, report: &Report) -> Ended {
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
