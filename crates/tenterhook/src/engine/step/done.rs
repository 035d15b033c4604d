//! The result of a step, as far as its event is concerned: its verdict and its record. Runs
//! nothing, and reads no report.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinError;

use crate::engine::lazy_verdict::LazyVerdict;
use tenterhook_core::answer::{Answer, Failure, Restraint};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::hook::{Hook, Layer};
use tenterhook_core::merge;
use tenterhook_core::outcome::{self, Ended, Fault};
use tenterhook_core::plan::Step;
use tenterhook_core::verdict::{self, JudgeContext, Verdict};

/// The result of a step, as far as its event is concerned.
///
/// The record is boxed: it is large, and this value is moved often.
pub(in crate::engine) struct Done {
    pub(in crate::engine) hook: Arc<Hook>,
    pub(in crate::engine) verdict: LazyVerdict,
    pub(in crate::engine) record: Box<outcome::Step>,
    /// The version of the event that it judged.
    pub(in crate::engine) version: u32,
    /// The fault that reports why its allow is ignored.
    pub(in crate::engine) voided: Option<Fault>,
}

impl Done {
    pub(in crate::engine) fn skipped_after_denial(step: &Step) -> Self {
        Self::not_run_silent(step, "a hook before it denied")
    }

    /// The result of a step that a second process runs.
    pub(in crate::engine) fn left_to_second_process(step: &Step) -> Self {
        Self::without_verdict(step, Ended::Detached)
    }

    /// The result of a step whose task is gone: the runtime ended it, or it panicked. Its failure
    /// policy decides.
    pub(in crate::engine) fn from_lost_task(step: &Step, error: &JoinError) -> Self {
        let (code, message) = if error.is_panic() {
            (Code::Panicked, "it panicked: this is a defect of its executor")
        } else {
            (Code::Cancelled, "the host's runtime was shut down before it was over")
        };
        let failure = Failure::new(code, message);
        let answer = Answer { failure: Some(failure), ..Answer::default() };
        judge_and_record(step, answer, Ended::Failed(code), Duration::ZERO)
    }

    /// The result of a step that cannot run because of `failure`. Its failure policy decides.
    pub(in crate::engine) fn not_run_with_failure(step: &Step, failure: &Failure) -> Self {
        let answer = Answer { failure: Some(failure.clone()), ..Answer::default() };
        judge_and_record(step, answer, Ended::NotRun(failure.message.clone()), Duration::ZERO)
    }

    pub(in crate::engine) fn denies(&self) -> bool {
        self.verdict.restraint == Restraint::Deny
    }

    /// Whether a built-in rule ran and reported nothing.
    pub(in crate::engine) fn is_silent_builtin(&self) -> bool {
        let Verdict { restraint, faults, effects, .. } = &*self.verdict;
        let silent = *restraint == Restraint::Silent && faults.is_empty();
        let shadow = self.record.shadow.as_ref();
        let shadow_is_quiet = shadow
            .is_none_or(|shadow| shadow.restraint == Restraint::Silent && shadow.faults.is_empty());
        self.hook.layer == Layer::BuiltIn
            && silent
            && effects.messages.is_empty()
            && shadow_is_quiet
    }

    /// Moves the verdict of a shadow hook into the record, and nowhere else (SH-6).
    fn move_shadow_verdict_to_record(mut self) -> Self {
        if self.hook.enforcement.is_shadow() && self.record.shadow.is_none() {
            let verdict = std::mem::take(&mut self.verdict)
                .into_verdict_unless_silent()
                .unwrap_or_else(Verdict::without_effect);
            self.record = Box::new(shadow_record(*self.record, verdict));
        }
        self
    }

    /// The result of a step that did not run, for the reason `why`, and has no verdict.
    pub(super) fn not_run_silent(step: &Step, why: &str) -> Self {
        Self::without_verdict(step, Ended::NotRun(why.to_owned()))
    }

    pub(super) fn without_verdict(step: &Step, ended: Ended) -> Self {
        let record = Box::new(new_record(step, ended, Duration::ZERO, Restraint::Silent));
        let hook = Arc::clone(&step.hook);
        Self { hook, verdict: LazyVerdict::default(), record, version: 0, voided: None }
            .move_shadow_verdict_to_record()
    }
}

/// Returns the record of a shadow step, which contains its verdict as a separate outcome.
pub(in crate::engine) fn shadow_record(record: outcome::Step, verdict: Verdict) -> outcome::Step {
    let own = merge::merge_verdicts(vec![verdict]).with_steps(vec![record.clone()]);
    outcome::Step {
        verdict: Restraint::Silent,
        context: Vec::new(),
        messages: Vec::new(),
        rewrote: false,
        stopped: false,
        marks: Vec::new(),
        exemption: None,
        shadow: Some(Box::new(own)),
        ..record
    }
}

/// Judges the answer of a step, and records it.
pub(super) fn judge_and_record(step: &Step, answer: Answer, ended: Ended, took: Duration) -> Done {
    let exemption = answer.exemption;
    let verdict = verdict::judge_answer(judge_context_of_step(step), answer);
    let record = record_with_verdict(step, ended, took, &verdict);
    let record = Box::new(outcome::Step { exemption, ..record });
    let (hook, verdict) = (Arc::clone(&step.hook), LazyVerdict::from(verdict));
    Done { hook, verdict, record, version: 0, voided: None }.move_shadow_verdict_to_record()
}

pub(in crate::engine) fn judge_context_of_step(step: &Step) -> JudgeContext<'_> {
    JudgeContext { hook: &step.hook, row: &step.row, widened: step.widened.as_deref() }
}

/// Returns the record of a step with its verdict.
pub(in crate::engine) fn record_with_verdict(
    step: &Step,
    ended: Ended,
    took: Duration,
    verdict: &Verdict,
) -> outcome::Step {
    let record = new_record(step, ended, took, verdict.restraint);
    let effects = &verdict.effects;
    outcome::Step {
        context: effects.context.clone(),
        messages: effects.messages.clone(),
        rewrote: effects.rewrite(),
        stopped: effects.stop.is_some(),
        marks: effects.marks.clone(),
        ..record
    }
}

fn new_record(step: &Step, ended: Ended, took: Duration, verdict: Restraint) -> outcome::Step {
    let location = step.hook.place.as_ref();
    outcome::Step {
        hook: step.hook.id.clone(),
        source: location.map(|location| location.file.to_string()).unwrap_or_default(),
        line: location.map_or(0, |location| location.line),
        executor: step.hook.run.executor_name(),
        ended,
        took,
        verdict,
        context: Vec::new(),
        messages: Vec::new(),
        rewrote: false,
        stopped: false,
        marks: Vec::new(),
        exemption: None,
        tier: None,
        shadow: None,
    }
}
