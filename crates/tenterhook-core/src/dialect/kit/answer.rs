//! Parts of a report that every reader of answers needs: the streams, the message of a failing exit
//! code, and the input of the denial finder. Judges nothing.

use super::denial::{Hearing, Protocol};
use crate::answer::{Answer, Failure, Power};
use crate::dialect::EventRow;
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
