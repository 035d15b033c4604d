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

/// Returns the failure for a nonzero exit code, with the line of stderr that explains it.
pub(crate) fn exit_code_failure(code: i32, stderr: &str) -> Failure {
    Failure::exit_code_failure(code, most_helpful_line(stderr))
}

/// Returns the line of stderr that says what went wrong: the last of a Python traceback, else the
/// first that names an error, else the first.
pub(crate) fn most_helpful_line(stderr: &str) -> &str {
    let lines = || stderr.lines().filter(|line| !line.trim().is_empty());
    let is_at_margin = |line: &&str| !line.starts_with(char::is_whitespace);
    let has_traceback = stderr.contains("Traceback (most recent call last):");
    let last = lines().rfind(is_at_margin).filter(|_| has_traceback);
    let first_error = || lines().find(|line| names_error(line));
    last.or_else(first_error).or_else(|| lines().next()).unwrap_or_default()
}

/// What follows the name of a program in the message of a shell.
const SHELL_ERRORS: &[&str] =
    &["command not found", "No such file or directory", "Permission denied", "syntax error"];

/// Returns `true` for `Error: ...`, `TypeError [CODE]: ...`, `java.lang.SomeException: ...`, and an
/// error of a shell.
fn names_error(line: &str) -> bool {
    let head = line.split(':').next().unwrap_or_default();
    let name = head.split_whitespace().find(|word| *word != "Uncaught").unwrap_or_default();
    let is_name = ["Error", "Exception"].iter().any(|suffix| name.ends_with(suffix));
    (head.len() < line.len() && is_name) || SHELL_ERRORS.iter().any(|text| line.contains(text))
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
            input_home: None,
            before_effect: row.is_before_effect(),
            homes: Vec::new(),
            ignored_objection: None,
            ignored_because: None,
            plain_is_context: false,
            replies: false,
            asked: false,
            protocol,
        }
    }
}
