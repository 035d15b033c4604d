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

#[cfg(feature = "rule")]
fn failed(failure: crate::answer::Failure) -> crate::report::End {
    crate::report::End::Failed { code: failure.code, why: failure.message }
}
