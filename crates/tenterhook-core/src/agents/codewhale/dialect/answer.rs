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

/// Reads one report.
pub(super) fn read(event: &Event, row: &EventRow, report: &Report) -> Answer {
    let (stdout, stderr) = match answer::streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let parsed = ParsedReport {
        event,
        row,
        class: events::by_neutral(event.name.as_str()).map_or(Class::Observer, |spec| spec.class),
        report,
        reading: strict::read(stdout),
        stderr,
    };
    match parsed.class {
        Class::Observer => parsed.observed(),
        Class::Variables => parsed.variables(),
        Class::Submit | Class::Gate => lost::recover_denial(&parsed, parsed.exact()),
    }
}

impl ParsedReport<'_> {
    /// The answer of an observer: its output is not read (CW-S13, CW-S14).
    fn observed(&self) -> Answer {
        let failure = self.ended().or_else(|| self.failed_code());
        Answer { failure, ..Answer::default() }
    }

    /// The variables that the hook printed; none if it failed (CW-S16).
    fn variables(&self) -> Answer {
        let mut answer = self.observed();
        if answer.failure.is_some() {
            return answer;
        }
        let read = shell_env::read(&self.reading.text);
        answer.effects.env = read.set;
        answer.remarks = read.too_long.into_iter().map(too_long).collect();
        answer
    }

    /// The answer as the agent reads it, including the denials that it loses.
    fn exact(&self) -> Answer {
        match (&self.report.end, self.class) {
            (End::Exited(BLOCKS), _) => self.blocked(),
            (End::Exited(0), Class::Submit) => self.replaced(),
            (End::Exited(_), Class::Gate) => self.judged(),
            (End::Exited(_), _) => Answer { failure: self.failed_code(), ..Answer::default() },
            _ => Answer { failure: self.ended(), ..Answer::default() },
        }
    }

    /// The object that the agent reads.
    fn object(&self) -> Option<&Map<String, Value>> {
        self.reading.common()
    }

    /// The denial of exit code 2, which blocks whatever the hook printed. Its reason is the field
    /// `reason`, else stderr, else stdout (CW-61).
    fn blocked(&self) -> Answer {
        let given =
            self.object().and_then(|object| object.get("reason")?.as_str()).map(str::to_owned);
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
    fn replaced(&self) -> Answer {
        match self.object() {
            Some(object) => fields::submit(object),
            None if self.reading.found == Found::Empty => Answer::default(),
            // The output has no effect, so the user gets a remark.
            None => fields::remarked(
                "it printed something that is not a JSON object; the text is unchanged",
            ),
        }
    }

    /// The answer of a gate that did not exit with code 2: an object with a decision is read at
    /// every exit code (CW-60, CW-62).
    fn judged(&self) -> Answer {
        let failure = self.failed_code();
        let Some(object) = self.object() else { return Answer { failure, ..Answer::default() } };
        let answer = fields::gate(object, self.event);
        let decided = object
            .get("decision")
            .is_some_and(|decision| decision.as_str().is_some_and(fields::decides));
        Answer { failure: failure.filter(|_| !decided), ..answer }
    }

    /// The failure of a hook that was killed, or whose output was cut.
    fn ended(&self) -> Option<Failure> {
        self.report.failure()
    }

    /// The failure of a nonzero exit code.
    fn failed_code(&self) -> Option<Failure> {
        let End::Exited(code) = self.report.end else { return None };
        (code != 0).then(|| answer::exit_code(code, &self.stderr))
    }
}

fn too_long(name: String) -> Failure {
    Failure::new(
        Code::VariableTooLong,
        format!("`{name}` is longer than a variable of `shell_env` may be; it is left out"),
    )
}
