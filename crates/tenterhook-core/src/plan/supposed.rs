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

/// How far `hook` would restrain its event if it ended like that, with `stderr` and nothing else said. One in shadow never does.
#[must_use]
pub fn supposed(ruleset: &Ruleset, hook: &Arc<Hook>, end: End, stderr: &str) -> Restraint {
    if hook.enforcement.is_shadow() {
        return Restraint::Silent;
    }
    let row = ruleset.row(hook.dialect, &hook.event);
    let event = Event::new(hook.event.clone(), Surroundings::default());
    let said = StepOutput::Bytes { stdout: Output::default(), stderr: stderr.as_bytes().into() };
    let report = Report { said, ..Report::silent(end, Duration::ZERO) };
    let answer = match report.is_mute() {
        true => Answer { failure: report.failure(), ..Answer::default() },
        false => hook.dialect.dialect().read_answer(&event, &row, &report),
    };
    verdict::judge(JudgeContext { hook, row: &row, widened: None }, answer).restraint
}
