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

/// Evaluates at once: a rule is bounded in steps, and asks now and then whether its time is up.
#[cfg(feature = "rule")]
pub(super) fn run(task: &Task, rule: &Rule) -> Report {
    use crate::report::{End, Said};
    use crate::rule::{Sight, Unsettled};

    let started = Instant::now();
    let budget = task.budget();
    let own;
    let sight = match &task.sight {
        Some(sight) => sight,
        None => {
            own = Sight::of(&task.event);
            &own
        }
    };
    let end = match rule.judge(sight, &|| started.elapsed() < budget) {
        Ok(answer) => {
            let report = Report::silent(End::Exited(0), started.elapsed());
            return Report { said: Said::Answer(Box::new(answer)), ..report };
        }
        Err(Unsettled::Broken(why)) => End::Failed {
            code: "broken-rule",
            why: format!("the rule cannot be used: {why}; `tenterhook check` shows where"),
        },
        Err(Unsettled::Failed(why)) => {
            End::Failed { code: "rule-failed", why: format!("the rule has no value: {why}") }
        }
        Err(Unsettled::TooCostly(why)) => End::Failed {
            code: "rule-too-costly",
            why: format!("the rule was given up: {why}; ask for less of a large text or list"),
        },
        Err(Unsettled::OutOfTime) => End::TimedOut,
    };
    Report::silent(end, started.elapsed())
}
