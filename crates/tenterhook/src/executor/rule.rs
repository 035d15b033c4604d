//! Evaluates a rule on the event itself. Decides nothing that the rule does not say.

#[cfg(feature = "rule")]
use tokio::time::Instant;

use super::Task;
use crate::report::Report;
use crate::rule::Rule;

#[cfg(not(feature = "rule"))]
pub(super) fn run(_task: &Task, _rule: &Rule) -> Report {
    super::left_out("rule")
}

/// Evaluates at once: a rule is bounded in steps, and asks now and then whether its time is up or its event cancelled.
#[cfg(feature = "rule")]
pub(super) fn run(task: &Task, rule: &Rule) -> Report {
    use crate::report::{End, Said};
    use crate::rule::{RuleInput, Unsettled};

    let started = Instant::now();
    let budget = task.budget();
    let own;
    let rule_input = match &task.rule_input {
        Some(rule_input) => rule_input,
        None => {
            own = RuleInput::of(&task.event);
            &own
        }
    };
    let (end, said) =
        match rule.judge(rule_input, &|| task.wanted.is() && started.elapsed() < budget) {
            Ok(mut answer) => {
                // What holds restrains, though the rule failed to say all that it wanted to (RU-6).
                let end = answer.failure.take().map_or(End::Exited(0), failed);
                leave(task, rule_input, &mut answer);
                (end, Some(Said::Answer(Box::new(answer))))
            }
            Err(Unsettled::OutOfTime) if !task.wanted.is() => (End::Cancelled, None),
            Err(Unsettled::OutOfTime) => (End::TimedOut, None),
            Err(unsettled) => (failed(unsettled.failure()), None),
        };
    let report = Report::silent(end, started.elapsed());
    match said {
        Some(said) => Report { said, ..report },
        None => report,
    }
}

/// A denial of a built-in rule may be lifted by the person, once for all rules that deny the call; else it says how (SP-21).
#[cfg(feature = "rule")]
fn leave(task: &Task, rule_input: &crate::rule::RuleInput, answer: &mut crate::answer::Answer) {
    use crate::answer::{Answer, Restraint};
    use crate::hook::Layer;
    use crate::leave::Lifted;

    let denies = answer.restraint == Restraint::Deny && task.hook.layer == Layer::BuiltIn;
    let Some(leaves) = task.ambient.leaves.as_ref().filter(|_| denies) else { return };
    let asked = || match leaves.ask(&task.event, task.hook.pausable) {
        Lifted::Yes(why) => Ok(why),
        Lifted::No(how) => Err(how.unwrap_or_default()),
    };
    match rule_input.lifted(asked) {
        Ok(why) => {
            let told = format!("`{}` let this call pass: {why}", task.hook.id);
            *answer = Answer::default();
            answer.effects.messages.push(told);
        }
        Err(how) if how.is_empty() => {}
        Err(how) => {
            answer.reason = Some(format!("{} {how}", answer.reason.take().unwrap_or_default()))
        }
    }
}

#[cfg(feature = "rule")]
fn failed(failure: crate::answer::Failure) -> crate::report::End {
    crate::report::End::Failed { code: failure.code, why: failure.message }
}
