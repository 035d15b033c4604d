//! The outcome of a step that ends after its event: merged and cleaned like any other outcome.
//! Decides nothing, and delays nothing.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::polish::polish;
use super::recording::Behind;
use super::step::{
    Setting, ended, judge_context, judged_record, read, shadow_record, show_refusal_once, spend,
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

    /// Cleans and records the outcome of the step alone.
    fn report(&self, outcome: Outcome, wakes: bool) -> Finished {
        let outcome = polish(outcome, &self.ambient);
        let outcome = self.behind.record(&self.event, &self.step.hook, outcome);
        let agent = self.event.within.facts.get("agent_id").and_then(Value::as_str);
        Finished::new(self.event_name(), outcome, wakes).of_agent(agent)
    }
}

/// A step that was dropped before it ended: it ran for this long, or had not begun (N-14).
pub(super) fn cut(late: &Late, ran: Option<Duration>) -> Finished {
    let report = Report::silent(End::Cancelled, ran.unwrap_or_default());
    let mut answer = Answer { failure: report.failure(), ..Answer::default() };
    let mut how = ended(&late.step, &report);
    if ran.is_none() {
        let why = "its session ended before it began";
        answer = Answer::failed(Code::Cancelled, why);
        how = Ended::NotRun(why.to_owned());
    }
    let verdict = verdict::judge_late(judge_context(&late.step), answer);
    let record =
        judged_record(&late.step, Ended::InBackground(Box::new(how)), report.took, &verdict);
    let outcome = alone(late, record, verdict);
    late.report(outcome, false)
}

/// The outcome of one step; for a shadow hook, only its record.
fn alone(late: &Late, record: outcome::Step, verdict: Verdict) -> Outcome {
    match late.step.hook.enforcement.is_shadow() {
        true => Outcome::silent().with_steps(vec![shadow_record(record, verdict)]),
        false => merge::fold(vec![verdict]).with_steps(vec![record]),
    }
}

/// Background steps are judged like others (decision 13), and a step that may wake the agent may
/// always object.
pub(super) fn finished(late: &Late, report: &Report, claim: Option<Claim>) -> Finished {
    let mut step = late.step.clone();
    let may_wake = step.hook.wait == Wait::Rewake;
    if may_wake {
        let row = Arc::make_mut(&mut step.row);
        row.powers = row.powers.with(Power::Deny);
    }
    let answer = read(&step, &late.event, report);
    spend(claim, &answer);
    let mut verdict = match step.hook.runs_detached() {
        // A shadow hook is judged as if the event had waited for it (SH-7).
        true => verdict::judge(judge_context(&step), answer),
        false => verdict::judge_late(judge_context(&step), answer),
    };
    show_refusal_once(&step.hook, &late.session, &late.ambient, &mut verdict);
    let is_shadow = step.hook.enforcement.is_shadow();
    let wakes = may_wake && verdict.restraint == Restraint::Deny && !is_shadow;
    let ended = Ended::InBackground(Box::new(ended(&step, report)));
    let mut record = judged_record(&step, ended, report.took, &verdict);
    record.tier = report.tier;
    let outcome = alone(late, record, verdict);
    late.report(outcome, wakes)
}
