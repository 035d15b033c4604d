//! The outcome of a step that ends after its event: merged and cleaned like any other outcome.
//! Decides nothing, and delays nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::polish::clean_and_cap_texts;
use super::recording::Behind;
use super::step::{
    Setting, answer_from_report, end_as_recorded, judge_context_of_step,
    put_sandbox_refusal_in_verdict, record_with_verdict, shadow_record, spend_claim_if_answered,
};
use crate::executor::Ambient;
use crate::session::{Claim, Finished, Session};
use tenterhook_core::answer::{Answer, Power, Restraint};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::event::{Event, EventName};
use tenterhook_core::hook::Wait;
use tenterhook_core::merge;
use tenterhook_core::outcome::{self, Ended, Outcome};
use tenterhook_core::plan::Step;
use tenterhook_core::report::{End, Report};
use tenterhook_core::verdict::{self, Verdict};

/// The data needed when such a step ends.
#[derive(Clone)]
pub(super) struct Late {
    step: Step,
    event: Arc<Event>,
    ambient: Arc<Ambient>,
    behind: Behind,
    session: Session,
}

impl Late {
    pub(super) fn new(setting: &Setting) -> Self {
        let Setting { step, event, ambient, behind, session, .. } = setting;
        Self {
            step: step.clone(),
            event: Arc::clone(event),
            ambient: Arc::clone(ambient),
            behind: behind.clone(),
            session: session.clone(),
        }
    }

    pub(super) const fn step(&self) -> &Step {
        &self.step
    }

    pub(super) fn event_name(&self) -> EventName {
        self.event.name.clone()
    }

    /// Cleans the outcome of the step, records it, and returns the finished step.
    fn record_and_finish_with_outcome(&self, outcome: Outcome, wakes: bool) -> Finished {
        let outcome = clean_and_cap_texts(outcome, &self.ambient);
        let outcome = self.behind.record_late_step(&self.event, &self.step.hook, outcome);
        let agent = self.event.within.facts.get("agent_id").and_then(Value::as_str);
        Finished::new(self.event_name(), outcome, wakes).of_agent(agent)
    }
}

/// Finishes a step that was dropped before it ended. `ran` is how long it ran, or `None` if it had
/// not begun (N-14).
pub(super) fn finish_cancelled(late: &Late, ran: Option<Duration>) -> Finished {
    let report = Report::without_output(End::Cancelled, ran.unwrap_or_default());
    let mut answer = Answer { failure: report.failure(), ..Answer::default() };
    let mut how = end_as_recorded(&late.step, &report);
    if ran.is_none() {
        let why = "its session ended before it began";
        answer = Answer::failed(Code::Cancelled, why);
        how = Ended::NotRun(why.to_owned());
    }
    let verdict = verdict::judge_late_answer(judge_context_of_step(&late.step), answer);
    let record =
        record_with_verdict(&late.step, Ended::InBackground(Box::new(how)), report.took, &verdict);
    let outcome = single_step_outcome(late, record, verdict);
    late.record_and_finish_with_outcome(outcome, false)
}

/// Returns the outcome of one step; for a shadow hook, only its record.
fn single_step_outcome(late: &Late, record: outcome::Step, verdict: Verdict) -> Outcome {
    match late.step.hook.enforcement.is_shadow() {
        true => Outcome::without_answer().with_steps(vec![shadow_record(record, verdict)]),
        false => merge::merge_verdicts(vec![verdict]).with_steps(vec![record]),
    }
}

/// Judges the report of a background step like that of any step (decision 13). A step that may wake
/// the agent may always object.
pub(super) fn finish_with_report(late: &Late, report: &Report, claim: Option<Claim>) -> Finished {
    let mut step = late.step.clone();
    let may_wake = step.hook.wait == Wait::Rewake;
    if may_wake {
        let row = Arc::make_mut(&mut step.row);
        row.powers = row.powers.with(Power::Deny);
    }
    let answer = answer_from_report(&step, &late.event, report);
    spend_claim_if_answered(claim, &answer);
    let mut verdict = match step.hook.runs_detached() {
        // A shadow hook is judged as if the event had waited for it (SH-7).
        true => verdict::judge_answer(judge_context_of_step(&step), answer),
        false => verdict::judge_late_answer(judge_context_of_step(&step), answer),
    };
    put_sandbox_refusal_in_verdict(&step.hook, &late.session, &late.ambient, &mut verdict);
    let is_shadow = step.hook.enforcement.is_shadow();
    let wakes = may_wake && verdict.restraint == Restraint::Deny && !is_shadow;
    let ended = Ended::InBackground(Box::new(end_as_recorded(&step, report)));
    let mut record = record_with_verdict(&step, ended, report.took, &verdict);
    record.tier = report.tier;
    let outcome = single_step_outcome(late, record, verdict);
    late.record_and_finish_with_outcome(outcome, wakes)
}
