//! Reads what a native hook said: strictly, and where it slipped, only for a denial (V-20 to V-39). Judges nothing.

mod fields;
mod variables;

use serde_json::{Map, Value};

pub(super) use fields::KEYS;

use crate::answer::{Answer, Failure, Restraint, SlipKind};
use crate::dialect::objection::{self, Halt, Objection, Protocol};
use crate::report::{Closed, End, Output, Report, Said};
use crate::strict::{self, Found, Reading};

/// What a native answer is made of, for those who look for what left it (V-33).
const PROTOCOL: Protocol =
    Protocol { decisions: fields::DECISIONS, keys: fields::names, halt: Halt::Misplaced };

/// The exit code that denies (V-22).
const DENIES: i32 = 2;

/// `{"background": true}` alone on the first line (V-28).
pub(super) fn detaches(first_line: &[u8]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(first_line) else { return false };
    object.len() == 1 && object.get("background") == Some(&Value::Bool(true))
}

/// Reads one report.
pub(super) fn read(report: &Report) -> Answer {
    let Said::Bytes { stdout, stderr } = &report.said else {
        let Said::Answer(answer) = &report.said else { return Answer::default() };
        return ended(report, Answer::clone(answer), &[]);
    };
    let (detached, said) = after_first_line(&stdout.bytes);
    let said = Output { bytes: said.to_vec(), dropped: stdout.dropped, closed: stdout.closed };
    let mut answer = ended(report, printed(&said), &stderr.bytes);
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
fn printed(stdout: &Output) -> Answer {
    let reading = strict::read(&stdout.bytes);
    if stdout.closed == Closed::Truncated {
        let why = format!("it printed too much; {} bytes were dropped", stdout.dropped);
        return unreadable(&reading, "output-too-large", why);
    }
    if let Some(fields) = reading.strict() {
        return strictly(fields);
    }
    match &reading.found {
        Found::Empty => Answer::default(),
        Found::Text => {
            let line = reading.text.trim().lines().next().unwrap_or_default();
            let line: String = line.chars().take(80).collect();
            unreadable(
                &reading,
                "unreadable-answer",
                format!("it printed `{line}`, which is no JSON object; print logs on stderr"),
            )
        }
        Found::Object(_) | Found::Several(_) | Found::Pairs(_) => {
            let why = reading
                .deviations
                .iter()
                .map(|it| format!("{it}; {}", it.help()))
                .collect::<Vec<_>>()
                .join("; ");
            unreadable(&reading, "unreadable-answer", why)
        }
    }
}

/// One strict object: its fields, and any denial that stands where nobody looks for it (V-33).
fn strictly(object: &Map<String, Value>) -> Answer {
    let answer = fields::read(object);
    let objection = objection::find(&PROTOCOL, object).filter(|it| it.outranks(&answer));
    match objection {
        Some(objection) => objection.into_answer(&[]),
        None => answer,
    }
}

/// Output that is no answer; a denial that can be made out in it counts (V-31).
fn unreadable(reading: &Reading, code: &'static str, why: String) -> Answer {
    let found = reading
        .objects()
        .iter()
        .flat_map(strict::Object::readings)
        .filter_map(|it| objection::find(&PROTOCOL, it))
        .chain(reading.pairs().iter().filter_map(pair))
        .fold(None, Objection::stronger);
    let pairs: Map<String, Value> = reading.pairs().iter().cloned().collect();
    match found.map(|it| it.with_words_of(&pairs)) {
        Some(objection) if code == "output-too-large" => {
            let mut answer = objection.into_answer(&[]);
            answer.failure = Some(Failure { code, message: why });
            answer
        }
        Some(objection) => objection.into_answer(&reading.deviations),
        None => Answer::failed(code, why),
    }
}

/// A pair of an object that could not be read, as the object that it might have been.
fn pair((key, value): &(String, Value)) -> Option<Objection> {
    objection::find(&PROTOCOL, &Map::from_iter([(key.clone(), value.clone())]))
}

/// Joins what was said with how it ended (V-21 to V-25).
fn ended(report: &Report, said: Answer, stderr: &[u8]) -> Answer {
    let failure = match &report.end {
        End::Exited(0) if stderr.is_empty() || said != Answer::default() => return said,
        End::Exited(0) => return on_stderr(stderr),
        End::Exited(DENIES) => return denied(said, stderr),
        End::Exited(code) => {
            if objects(&said) {
                return said.slipped(
                    SlipKind::WrongExit,
                    format!("a denial with exit code {code}, not {DENIES} or 0"),
                );
            }
            let words = first_words(stderr);
            let colon = if words.is_empty() { "" } else { ": " };
            Failure {
                code: "exit-code",
                message: format!("it exited with code {code}{colon}{words}"),
            }
        }
        End::NotStarted { why } => {
            Failure { code: "not-started", message: format!("it could not be started: {why}") }
        }
        End::Signalled(signal) => {
            Failure { code: "signalled", message: format!("signal {signal} ended it") }
        }
        End::Failed { code, why } => Failure { code, message: why.clone() },
        End::TimedOut => Failure {
            code: "timed-out",
            message: format!("it did not end in time, after {} ms", report.took.as_millis()),
        },
        End::Cancelled => {
            Failure { code: "cancelled", message: "the host gave up waiting".to_owned() }
        }
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
fn denied(said: Answer, stderr: &[u8]) -> Answer {
    if said.restraint == Restraint::Deny && said.slips.is_empty() && said.failure.is_none() {
        let words = said.reason.clone().or_else(|| words(stderr));
        return Answer { reason: words, ..said };
    }
    let mut answer =
        Answer { restraint: Restraint::Deny, reason: words(stderr), ..Answer::default() };
    if said.restraint == Restraint::Deny && said.reason.is_some() {
        answer.reason = said.reason;
    }
    if said.restraint != Restraint::Silent && said.restraint != Restraint::Deny {
        answer.remarks.push(Failure {
            code: "answer-against-exit",
            message: format!(
                "stdout says `{}`, exit code {DENIES} denies; the denial counts",
                said.restraint.word().unwrap_or_default()
            ),
        });
    }
    answer
}

/// A denial on stderr while stdout is empty: the descriptors were mixed up (V-34). Anything else there is a log.
fn on_stderr(stderr: &[u8]) -> Answer {
    let reading = strict::read(stderr);
    let whole = reading.strict().filter(|_| reading.begins_with_brace());
    match whole.and_then(|it| objection::find(&PROTOCOL, it)) {
        Some(objection) => {
            objection.into_answer(&[]).slipped(SlipKind::OnStderr, "the answer is on stderr")
        }
        None => Answer::default(),
    }
}

fn words(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn first_words(stderr: &[u8]) -> String {
    let text = words(stderr).unwrap_or_default();
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
