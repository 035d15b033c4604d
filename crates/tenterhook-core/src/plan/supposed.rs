//! What would come of a hook that ended in a given way, as one does whose program is missing? Pure: starts nothing, and decides
//! nothing itself: the dialect reads the report and `verdict` judges it.

use std::sync::Arc;
use std::time::Duration;

use crate::answer::{Answer, Restraint};
use crate::config::Ruleset;
use crate::event::{Event, Surroundings};
use crate::hook::Hook;
use crate::report::{End, Output, Report, StepOutput};
use crate::verdict::{self, JudgeContext};

/// Returns how `hook` would restrain its event if it ended with `end` and printed only `stderr`. A
/// hook in shadow never restrains.
#[must_use]
pub fn restraint_if_hook_ended_with(
    ruleset: &Ruleset,
    hook: &Arc<Hook>,
    end: End,
    stderr: &str,
) -> Restraint {
    if hook.enforcement.is_shadow() {
        return Restraint::Silent;
    }
    let row = ruleset.event_row(hook.dialect, &hook.event);
    let event = Event::new(hook.event.clone(), Surroundings::default());
    let said = StepOutput::Bytes { stdout: Output::default(), stderr: stderr.as_bytes().into() };
    let report = Report { said, ..Report::without_output(end, Duration::ZERO) };
    let answer = match report.ended_without_output() {
        true => Answer { failure: report.failure(), ..Answer::default() },
        false => hook.dialect.dialect().read_answer(&event, &row, &report),
    };
    verdict::judge_answer(JudgeContext { hook, row: &row, widened: None }, answer).restraint
}
