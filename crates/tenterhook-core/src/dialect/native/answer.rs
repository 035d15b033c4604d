//! Reads the answer of a native hook: strictly, and a malformed one only for a denial
//! (V-20 to V-39).
//! Judges nothing.

mod fields;
mod variables;

use serde_json::Value;

pub(super) use fields::KEYS;

use crate::answer::{Answer, Failure, Power, Restraint, SlipKind};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Halt, Hearing, Home, Protocol};
use crate::report::{Closed, End, Output, Report, StepOutput, stream_read_error_message};
use crate::strict::{self, Found, Reading};

/// What holds on every event, for those who look for what left the protocol (V-33).
const PROTOCOL: Protocol =
    Protocol { halt: Halt::Foreign, own: &["stop"], input_is_object: false, ..Protocol::PLAIN };

/// The exit code that denies (V-22).
const DENIES: i32 = 2;

/// Returns `true` if the first line is `{"background": true}` alone (V-28).
pub(super) fn asks_to_detach(first_line: &[u8]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(first_line) else { return false };
    object.len() == 1 && object.get("background") == Some(&Value::Bool(true))
}

/// Reads one report. From a model that was `asked` for its answer, a denial is read wherever it
/// stands.
pub(super) fn read_answer(row: &EventRow, report: &Report, asked: bool) -> Answer {
    let StepOutput::Bytes { stdout, stderr } = &report.said else {
        let StepOutput::Answer(answer) = &report.said else { return Answer::default() };
        return combine_answer_with_exit(report, Answer::clone(answer), &[]);
    };
    let (detached, said) = skip_detach_line(&stdout.bytes);
    let said = Output { bytes: said.to_vec(), dropped: stdout.dropped, closed: stdout.closed };
    let reading = strict::read_output(&said.bytes);
    let exact =
        combine_answer_with_exit(report, read_answer_on_stdout(&said, &reading), &stderr.bytes);
    let words = String::from_utf8_lossy(&stderr.bytes);
    let hearing = Hearing {
        homes: vec![Home { path: vec!["decision"], words: fields::WORDS }],
        asked,
        input_home: row.powers.has(Power::Input).then(|| "input".to_owned()),
        ..Hearing::for_report(row, report, &reading, words.trim(), &PROTOCOL)
    };
    let mut answer = denial::recover_denial(&hearing, exact);
    answer.detached = detached;
    if report.end == End::Exited(0)
        && let Some(lines) = &report.env_file
    {
        let given = std::mem::replace(&mut answer.effects.env, variables::read_env_lines(lines));
        answer.effects.env.extend(given);
    }
    answer
}

/// Returns the output after a first line that asks for the background, and whether there was one.
fn skip_detach_line(stdout: &[u8]) -> (bool, &[u8]) {
    let end = stdout.iter().position(|byte| *byte == b'\n').unwrap_or(stdout.len());
    let (first, rest) = stdout.split_at(end);
    if asks_to_detach(first) { (true, rest) } else { (false, stdout) }
}

/// Reads the answer on stdout, whatever the exit code.
fn read_answer_on_stdout(stdout: &Output, reading: &Reading) -> Answer {
    if let Closed::Broken(errno) = stdout.closed {
        return Answer::failed(Code::OutOfResources, stream_read_error_message("output", errno));
    }
    if stdout.closed == Closed::Truncated {
        let why = format!("it printed too much; {} bytes were dropped", stdout.dropped);
        return Answer::failed(Code::OutputTooLarge, why);
    }
    if let Some(fields) = reading.as_strict_object() {
        return fields::read_answer_object(fields);
    }
    match &reading.found {
        Found::Empty => Answer::default(),
        Found::Text => {
            let line = reading.text.trim().lines().next().unwrap_or_default();
            let line: String = line.chars().take(80).collect();
            Answer::failed(
                Code::UnreadableAnswer,
                format!("it printed `{line}`, which is not a JSON object; print logs on stderr"),
            )
        }
        Found::Object(_) | Found::Several(_) | Found::Pairs(_) => {
            let why = reading
                .deviations
                .iter()
                .map(|deviation| format!("{deviation}; {}", deviation.help()))
                .collect::<Vec<_>>()
                .join("; ");
            Answer::failed(Code::UnreadableAnswer, why)
        }
    }
}

/// Combines the printed answer with the exit of the program (V-21 to V-25).
fn combine_answer_with_exit(report: &Report, said: Answer, stderr: &[u8]) -> Answer {
    let failure = match &report.end {
        End::Exited(0) => return said,
        End::Exited(DENIES) => return exit2_answer(said, stderr),
        End::Exited(code) => {
            if is_objection(&said) {
                return said.slipped(
                    SlipKind::WrongExit,
                    format!("a denial with exit code {code}, not {DENIES} or 0"),
                );
            }
            Failure::exit_code_failure(*code, &helpful_stderr_line(stderr))
        }
        End::NotStarted { why } => {
            Failure::new(Code::NotStarted, format!("it could not be started: {why}"))
        }
        End::Signalled(signal) => {
            Failure::new(Code::Signalled, format!("signal {signal} ended it"))
        }
        End::Failed { code, why } => Failure::new(*code, why.clone()),
        End::TimedOut => Failure::new(
            Code::TimedOut,
            format!("it did not end in time, after {} ms", report.took.as_millis()),
        ),
        End::Cancelled => Failure::new(Code::Cancelled, "the host gave up waiting"),
    };
    let restraint =
        if said.restraint > Restraint::Allow { said.restraint } else { Restraint::Silent };
    let reason = said.reason.filter(|_| restraint != Restraint::Silent);
    Answer {
        restraint,
        reason,
        slips: said.slips,
        failure: Some(failure),
        exemption: said.exemption,
        ..Answer::default()
    }
}

fn is_objection(said: &Answer) -> bool {
    said.restraint > Restraint::Allow || said.effects.stop.is_some()
}

/// Returns the answer of exit code 2, which denies whatever stdout says; a readable denial there
/// gives the reason (V-22).
fn exit2_answer(said: Answer, stderr: &[u8]) -> Answer {
    if said.restraint == Restraint::Deny && said.slips.is_empty() && said.failure.is_none() {
        let words = said.reason.clone().or_else(|| reason_on_stderr(stderr));
        return Answer { reason: words, ..said };
    }
    let mut answer = Answer {
        restraint: Restraint::Deny,
        reason: reason_on_stderr(stderr),
        ..Answer::default()
    };
    if said.restraint == Restraint::Deny && said.reason.is_some() {
        answer.reason = said.reason;
    }
    if said.restraint != Restraint::Silent && said.restraint != Restraint::Deny {
        answer.remarks.push(Failure::new(
            Code::AnswerAgainstExit,
            format!(
                "stdout says `{}`, exit code {DENIES} denies; the denial counts",
                said.restraint.name().unwrap_or_default()
            ),
        ));
    }
    answer
}

fn reason_on_stderr(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn helpful_stderr_line(stderr: &[u8]) -> String {
    let text = reason_on_stderr(stderr).unwrap_or_default();
    answer::most_helpful_line(&text).chars().take(200).collect()
}
