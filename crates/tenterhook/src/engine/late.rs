//! What a step leaves that ended when its event was over: an outcome of its own, folded and made safe like any other. Decides
//! nothing, and holds nothing up.

use std::sync::Arc;

use super::polish::polish;
use super::recording::Behind;
use super::step::{Setting, aside, ended, judge_context, read, show_refusal_once, spend, spoken};
use crate::answer::{Power, Restraint};
use crate::event::Event;
use crate::executor::Ambient;
use crate::hook::Wait;
use crate::merge;
use crate::outcome::{Ended, Outcome};
use crate::plan::Step;
use crate::report::Report;
use crate::session::{Claim, Finished, Session};
use crate::verdict;

/// What has to be known of such a step when it ends.
pub(super) struct Late {
    step: Step,
    event: Arc<Event>,
    ambient: Arc<Ambient>,
    behind: Behind,
    session: Session,
}

impl Late {
    pub(super) fn of(setting: &Setting) -> Self {
        let Setting { step, event, ambient, behind, session, .. } = setting;
        Self {
            step: step.clone(),
            event: Arc::clone(event),
            ambient: Arc::clone(ambient),
            behind: behind.clone(),
            session: session.clone(),
        }
    }
}

/// Background steps take the same road (decision 13); one that may wake the agent may always object.
pub(super) fn finished(late: &Late, report: &Report, claim: Option<Claim>) -> Finished {
    let mut step = late.step.clone();
    let may_wake = step.hook.wait == Wait::Rewake;
    if may_wake {
        let row = Arc::make_mut(&mut step.row);
        row.powers = row.powers.with(Power::Deny);
    }
    let answer = read(&step, &late.event, report);
    spend(claim, &answer);
    let mut verdict = match step.hook.goes_aside() {
        // What it would have done in time, had it been asked to wait for (SH-7).
        true => verdict::judge(judge_context(&step), answer),
        false => verdict::judge_late(judge_context(&step), answer),
    };
    show_refusal_once(&step.hook, &late.session, &late.ambient, &mut verdict);
    let is_shadow = step.hook.enforcement.is_shadow();
    let wakes = may_wake && verdict.restraint == Restraint::Deny && !is_shadow;
    let ended = Ended::InBackground(Box::new(ended(&step, report)));
    let mut record = spoken(&step, ended, report.took, &verdict);
    record.tier = report.tier;
    let outcome = match is_shadow {
        true => Outcome { steps: vec![aside(record, verdict)], ..Outcome::default() },
        false => Outcome { steps: vec![record], ..merge::fold(vec![verdict]) },
    };
    let outcome = polish(outcome, &late.ambient);
    let outcome = late.behind.tell(&late.event, &late.step.hook, outcome);
    Finished::new(late.event.name.clone(), outcome, wakes)
}
