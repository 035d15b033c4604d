//! Evaluates a rule on the event itself. Decides only what the rule states.

use std::time::Duration;

#[cfg(feature = "rule")]
use tokio::time::Instant;

use super::{Ambient, Task};
use crate::session::Wanted;
use tenterhook_core::event::Event;
use tenterhook_core::hook::Hook;
use tenterhook_core::hook::row::EventRow;
use tenterhook_core::report::Report;
use tenterhook_core::rule::{Rule, RuleInput};

/// The input of a rule, and how long it may take.
#[cfg_attr(not(feature = "rule"), expect(dead_code, reason = "nothing is asked then"))]
pub(crate) struct Asked<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) row: &'a EventRow,
    pub(crate) event: &'a Event,
    pub(crate) rule_input: &'a RuleInput,
    pub(crate) ambient: &'a Ambient,
    pub(crate) wanted: &'a Wanted,
    pub(crate) budget: Duration,
}

/// Evaluates the rule of a step and returns the report.
pub(super) fn run_rule(task: &Task, rule: &Rule) -> Report {
    let own;
    let rule_input = match &task.rule_input {
        Some(rule_input) => rule_input,
        None => {
            own = RuleInput::new(&task.event);
            &own
        }
    };
    let Task { hook, row, event, ambient, wanted, .. } = task;
    evaluate_rule(
        &Asked { hook, row, event, rule_input, ambient, wanted, budget: task.remaining_time() },
        rule,
    )
}

#[cfg(not(feature = "rule"))]
pub(crate) fn evaluate_rule(_asked: &Asked<'_>, _rule: &Rule) -> Report {
    super::missing_executor_report("rule")
}

/// Evaluates at once: a rule is bounded in steps, and checks now and then whether its time is up or
/// its event cancelled.
#[cfg(feature = "rule")]
pub(crate) fn evaluate_rule(asked: &Asked<'_>, rule: &Rule) -> Report {
    use tenterhook_core::answer::Answer;
    use tenterhook_core::report::{End, StepOutput};
    use tenterhook_core::rule::Unsettled;

    let started = Instant::now();
    let go_on = || asked.wanted.is_still_wanted() && started.elapsed() < asked.budget;
    let incomplete = asked.hook.incomplete_line_policy(asked.row);
    let (end, said) = match rule.evaluate(asked.rule_input, incomplete, &go_on) {
        // Its condition is false, as for most rules.
        Ok(None) => (End::Exited(0), None),
        // Its condition is true, but its answer is empty.
        Ok(Some(answer)) if answer == Answer::default() => (End::Exited(0), None),
        Ok(Some(mut answer)) => {
            // A matching rule still restrains if part of its answer failed (RU-6).
            let end = answer.failure.take().map_or(End::Exited(0), failure_end);
            lift_denial_or_tell_how(asked, &mut answer);
            (end, Some(StepOutput::Answer(Box::new(answer))))
        }
        Err(Unsettled::OutOfTime) if !asked.wanted.is_still_wanted() => (End::Cancelled, None),
        Err(Unsettled::OutOfTime) => (End::TimedOut, None),
        Err(unsettled) => (failure_end(unsettled.into_failure()), None),
    };
    let report = Report::without_output(end, started.elapsed());
    match said {
        Some(said) => Report { said, ..report },
        None => report,
    }
}

/// Lifts the denial of a built-in rule if the user exempted the call, once for all rules that deny
/// it. Otherwise adds how to exempt it (SP-21).
#[cfg(feature = "rule")]
fn lift_denial_or_tell_how(asked: &Asked<'_>, answer: &mut tenterhook_core::answer::Answer) {
    use tenterhook_core::answer::{Answer, Lifted, Restraint};
    use tenterhook_core::hook::Layer;

    let denies = answer.restraint == Restraint::Deny && asked.hook.layer == Layer::BuiltIn;
    let Some(exemptions) = asked.ambient.exemptions.as_ref().filter(|_| denies) else { return };
    // Where a managed file forbids a pause, no user lifts a denial (SP-22).
    let person = || match asked.hook.pausable {
        true => exemptions.use_exemption(asked.event, true),
        false => Lifted::No(crate::exemptions::explain_line(asked.event)),
    };
    match asked.rule_input.denial_once(person) {
        Lifted::Yes(exemption) => {
            let message = format!("`{}` let this call pass: {exemption}", asked.hook.id);
            *answer = Answer { exemption: Some(*exemption), ..Answer::default() };
            answer.effects.messages.push(message);
        }
        Lifted::No(remedy) => {
            answer.reason = Some(format!("{} {remedy}", answer.reason.take().unwrap_or_default()))
        }
    }
}

#[cfg(feature = "rule")]
fn failure_end(failure: tenterhook_core::answer::Failure) -> tenterhook_core::report::End {
    tenterhook_core::report::End::Failed { code: failure.code, why: failure.message }
}
