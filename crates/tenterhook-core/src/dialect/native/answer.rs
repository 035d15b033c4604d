//! Reads the answer of a native hook: strictly, and a malformed one only for a denial
//! (V-20 to V-39).
//! Judges nothing.

mod fields;
mod variables;

use serde_json::Value;

pub(super) use fields::KEYS;

use crate::answer::{Answer, Failure, Restraint, SlipKind};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::denial::{self, Halt, Hearing, Home, Protocol};
use crate::report::{Closed, End, Output, Report, StepOutput, unread};
use crate::strict::{self, Found, Reading};

/// What holds on every event, for those who look for what left the protocol (V-33).
const PROTOCOL: Protocol =
    Protocol { halt: Halt::Foreign, own: &["stop"], input_is_object: false, ..Protocol::PLAIN };

/// The exit code that denies (V-22).
const DENIES: i32 = 2;

/// `{"background": true}` alone on the first line (V-28).
pub(super) fn detaches(first_line: &[u8]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(first_line) else { return false };
    object.len() == 1 && object.get("background") == Some(&Value::Bool(true))
}

/// Reads one report; of a model that was `asked` for its answer, a no counts wherever it stands.
pub(super) fn read(row: &EventRow, report: &Report, asked: bool) -> Answer {
    let StepOutput::Bytes { stdout, stderr } = &report.said else {
        let StepOutput::Answer(answer) = &report.said else { return Answer::default() };
        return judge_exit(report, Answer::clone(answer), &[]);
    };
    let (detached, said) = after_first_line(&stdout.bytes);
    let said = Output { bytes: said.to_vec(), dropped: stdout.dropped, closed: stdout.closed };
    let reading = strict::read(&said.bytes);
    let exact = judge_exit(report, read_stdout(&said, &reading), &stderr.bytes);
    let words = String::from_utf8_lossy(&stderr.bytes);
    let hearing = Hearing {
        homes: vec![Home { path: vec!["decision"], words: fields::WORDS }],
        asked,
        ..Hearing::new(row, report, &reading, words.trim(), &PROTOCOL)
    };
    let mut answer = denial::recover_denial(&hearing, exact);
    answer.detached = detached;
    if report.end == End::Exited(0)
        && let Some(lines) = &report.env_file
    {
        let given = std::mem::replace(&mut answer.effects.env, variables::read(lines));
        answer.effects.env.extend(given);
    }
    answer
}

/// A hook that asked to go on in the background gives its answer after that line.
fn after_first_line(stdout: &[u8]) -> (bool, &[u8]) {
    let end = stdout.iter().position(|byte| *byte == b'\n').unwrap_or(stdout.len());
    let (first, rest) = stdout.split_at(end);
    if detaches(first) { (true, rest) } else { (false, stdout) }
}

/// What stdout says, whatever the exit code.
fn read_stdout(stdout: &Output, reading: &Reading) -> Answer {
    if let Closed::Broken(errno) = stdout.closed {
        return Answer::failed(Code::OutOfResources, unread("output", errno));
    }
    if stdout.closed == Closed::Truncated {
        let why = format!("it printed too much; {} bytes were dropped", stdout.dropped);
        return Answer::failed(Code::OutputTooLarge, why);
    }
    if let Some(fields) = reading.strict() {
        return fields::read(fields);
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

/// Joins the printed answer with the exit of the program (V-21 to V-25).
fn judge_exit(report: &Report, said: Answer, stderr: &[u8]) -> Answer {
    let failure = match &report.end {
        End::Exited(0) => return said,
        End::Exited(DENIES) => return exit2_answer(said, stderr),
        End::Exited(code) => {
            if objects(&said) {
                return said.slipped(
                    SlipKind::WrongExit,
                    format!("a denial with exit code {code}, not {DENIES} or 0"),
                );
            }
            Failure::exited(*code, &first_line(stderr))
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
    Answer { restraint, reason, slips: said.slips, failure: Some(failure), ..Answer::default() }
}

fn objects(said: &Answer) -> bool {
    said.restraint > Restraint::Allow || said.effects.stop.is_some()
}

/// Exit code 2 denies, whatever stdout says; a readable denial there gives the words (V-22).
fn exit2_answer(said: Answer, stderr: &[u8]) -> Answer {
    if said.restraint == Restraint::Deny && said.slips.is_empty() && said.failure.is_none() {
        let words = said.reason.clone().or_else(|| reason(stderr));
        return Answer { reason: words, ..said };
    }
    let mut answer =
        Answer { restraint: Restraint::Deny, reason: reason(stderr), ..Answer::default() };
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

fn reason(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn first_line(stderr: &[u8]) -> String {
    let text = reason(stderr).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
