//! Parts of a report that every reader of answers needs: the streams, the message of a failing exit
//! code, and the input of the denial finder. Judges nothing.

use super::denial::{Hearing, Protocol};
use crate::answer::{Answer, Failure, Power};
use crate::dialect::EventRow;
use crate::report::{Report, StepOutput};
use crate::strict::Reading;

/// The two output streams of a program, stderr trimmed; or the answer of a step that needs no
/// reading.
pub(crate) fn streams(report: &Report) -> Result<(&[u8], String), &Answer> {
    match &report.said {
        StepOutput::Bytes { stdout, stderr } => {
            Ok((&stdout.bytes, String::from_utf8_lossy(&stderr.bytes).trim().to_owned()))
        }
        StepOutput::Answer(answer) => Err(answer),
    }
}

/// An exit code that is no success, with the first words that explain it.
pub(crate) fn exit_code(code: i32, stderr: &str) -> Failure {
    Failure::exited(code, stderr.lines().next().unwrap_or_default())
}

impl<'a> Hearing<'a> {
    /// The input for an event without decision fields; a dialect adds its own.
    pub(crate) fn new(
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
            truncated: report.is_truncated(),
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
