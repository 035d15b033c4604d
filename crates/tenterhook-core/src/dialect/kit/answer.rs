//! Parts of a report that every reader of answers needs: the streams, the message of a failing exit
//! code, and the input of the denial finder. Judges nothing.

use super::denial::{Hearing, Protocol};
use crate::answer::{Answer, Failure, Power, Restraint};
use crate::dialect::EventRow;
use crate::event::Event;
use crate::report::{Report, StepOutput};
use crate::strict::Reading;

/// Returns the two output streams of a program, stderr trimmed; the error is the answer of a step
/// that needs no reading.
pub(crate) fn output_streams(report: &Report) -> Result<(&[u8], String), &Answer> {
    match &report.said {
        StepOutput::Bytes { stdout, stderr } => {
            Ok((&stdout.bytes, String::from_utf8_lossy(&stderr.bytes).trim().to_owned()))
        }
        StepOutput::Answer(answer) => Err(answer),
    }
}

/// Returns the failure for a nonzero exit code, with the first words of stderr that explain it.
pub(crate) fn exit_code_failure(code: i32, stderr: &str) -> Failure {
    Failure::exit_code_failure(code, stderr.lines().next().unwrap_or_default())
}

/// Denies a call whose new input lacks a text that its tool needs: the agent does not run it.
/// `tools` are the tools with their texts; `reason` is given the tool and the text that is missing.
pub(crate) fn deny_incomplete_input(
    event: &Event,
    tools: &[(&str, &[&str])],
    reason: fn(&str, &str) -> String,
    answer: &mut Answer,
) {
    let Some(input) = &answer.effects.updated_input else { return };
    let name = event.text("tool_name").unwrap_or_default();
    let keys = tools.iter().find(|(tool, _)| *tool == name).map(|(_, keys)| *keys);
    let is_missing = |key: &&&str| input.get(**key).is_none_or(|value| !value.is_string());
    let Some(key) = keys.unwrap_or_default().iter().find(is_missing) else { return };
    answer.effects.updated_input = None;
    answer.restraint = answer.restraint.max(Restraint::Deny);
    answer.reason = Some(reason(name, key));
}

impl<'a> Hearing<'a> {
    /// Creates the input for an event without decision fields; a dialect adds its own.
    pub(crate) fn for_report(
        row: &'a EventRow,
        report: &'a Report,
        reading: &'a Reading,
        stderr: &'a str,
        protocol: &'static Protocol,
    ) -> Self {
        Self {
            event: &row.name,
            end: &report.end,
            reading,
            stderr,
            truncated: report.is_stdout_truncated(),
            can: row.powers,
            rewrites: row.powers.has(Power::Input),
            before_effect: row.is_before_effect(),
            homes: Vec::new(),
            ignored_objection: None,
            plain_is_context: false,
            replies: false,
            asked: false,
            protocol,
        }
    }
}
