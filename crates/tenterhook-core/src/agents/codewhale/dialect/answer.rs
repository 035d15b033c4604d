//! Reads the answer of a hook as the agent does (CW-S3 to CW-S7, CW-60 to CW-66); `answer/lost.rs`
//! finds the denials that the agent would lose (CW-67 to CW-69). Judges nothing.

mod fields;
mod lost;

use serde_json::{Map, Value};

use super::events::{self, Class};
use super::shell_env;
use crate::answer::{Answer, Failure, Restraint};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::answer;
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict::{self, Found, Reading};
use crate::text;

/// The exit code that blocks (CW-S6).
const BLOCKS: i32 = 2;

/// The parsed report of one hook.
struct ParsedReport<'a> {
    event: &'a Event,
    row: &'a EventRow,
    class: Class,
    report: &'a Report,
    reading: Reading,
    stderr: String,
}

/// Reads the answer in a report.
pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let parsed = ParsedReport {
        event,
        row,
        class: events::find_by_neutral_name(event.name.as_str())
            .map_or(Class::Observer, |spec| spec.class),
        report,
        reading: strict::read_output(stdout),
        stderr,
    };
    match parsed.class {
        Class::Observer => parsed.observer_answer(),
        Class::Variables => parsed.variables_answer(),
        Class::Submit | Class::Gate => lost::recover_denial(&parsed, parsed.exact_answer()),
    }
}

impl ParsedReport<'_> {
    /// Returns the answer of an observer: its output is not read (CW-S13, CW-S14).
    fn observer_answer(&self) -> Answer {
        let failure = self.killed_or_cut_failure().or_else(|| self.exit_code_failure());
        Answer { failure, ..Answer::default() }
    }

    /// Returns the variables that the hook printed; none if it failed (CW-S16).
    fn variables_answer(&self) -> Answer {
        let mut answer = self.observer_answer();
        if answer.failure.is_some() {
            return answer;
        }
        let read = shell_env::parse_variables(&self.reading.text);
        answer.effects.env = read.set;
        answer.remarks = read.too_long.into_iter().map(long_variable_failure).collect();
        answer
    }

    /// Returns the answer as the agent reads it, including the denials that it loses.
    fn exact_answer(&self) -> Answer {
        match (&self.report.end, self.class) {
            (End::Exited(BLOCKS), _) => self.exit_2_denial(),
            (End::Exited(0), Class::Submit) => self.message_submit_answer(),
            (End::Exited(_), Class::Gate) => self.gate_answer_by_object(),
            (End::Exited(_), _) => {
                Answer { failure: self.exit_code_failure(), ..Answer::default() }
            }
            _ => Answer { failure: self.killed_or_cut_failure(), ..Answer::default() },
        }
    }

    /// The object that the agent reads.
    fn answer_object(&self) -> Option<&Map<String, Value>> {
        self.reading.as_lenient_object()
    }

    /// The denial of exit code 2, which blocks whatever the hook printed. Its reason is the field
    /// `reason`, else stderr, else stdout (CW-61).
    fn exit_2_denial(&self) -> Answer {
        let given = self
            .answer_object()
            .and_then(|object| object.get("reason")?.as_str())
            .map(str::to_owned);
        let printed = match &self.reading.found {
            Found::Text => self.reading.text.trim(),
            _ => "",
        };
        let output = [self.stderr.as_str(), printed].into_iter().find(|text| !text.is_empty());
        let reason = given.or_else(|| output.map(str::to_owned));
        let reason = reason.map(|reason| text::clean(&reason, fields::TEXT_CAP).text);
        Answer { restraint: Restraint::Deny, reason, ..Answer::default() }
    }

    /// The answer of exit code 0 on `message_submit`, which may replace the text (CW-S3 to CW-S5).
    fn message_submit_answer(&self) -> Answer {
        match self.answer_object() {
            Some(object) => fields::read_submit_fields(object),
            None if self.reading.found == Found::Empty => Answer::default(),
            // The output has no effect, so the user gets a remark.
            None => fields::answer_with_remark(
                "it printed something that is not a JSON object; the text is unchanged",
            ),
        }
    }

    /// The answer of a gate that did not exit with code 2: an object with a decision is read at
    /// every exit code (CW-60, CW-62).
    fn gate_answer_by_object(&self) -> Answer {
        let failure = self.exit_code_failure();
        let Some(object) = self.answer_object() else {
            return Answer { failure, ..Answer::default() };
        };
        let answer = fields::read_gate_fields(object, self.event);
        let decided = object
            .get("decision")
            .is_some_and(|decision| decision.as_str().is_some_and(fields::is_known_decision));
        Answer { failure: failure.filter(|_| !decided), ..answer }
    }

    /// Returns the failure of a hook that was killed, or whose output was cut.
    fn killed_or_cut_failure(&self) -> Option<Failure> {
        self.report.failure()
    }

    /// The failure of a nonzero exit code.
    fn exit_code_failure(&self) -> Option<Failure> {
        let End::Exited(code) = self.report.end else { return None };
        (code != 0).then(|| answer::exit_code_failure(code, &self.stderr))
    }
}

fn long_variable_failure(name: String) -> Failure {
    Failure::new(
        Code::VariableTooLong,
        format!("`{name}` is longer than a variable of `shell_env` may be; it is left out"),
    )
}
