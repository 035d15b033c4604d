//! Reads what a hook said: first what the agent itself makes of it, to the letter (CW-S3 to CW-S7, CW-60 to CW-66), then
//! what it would lose (CW-67 to CW-69, in `answer/lost.rs`). Judges nothing.

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

/// One report, taken apart.
struct Heard<'a> {
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
    let heard = Heard {
        event,
        row,
        class: events::of_neutral(event.name.as_str()).map_or(Class::Observer, |spec| spec.class),
        report,
        reading: strict::read(stdout),
        stderr,
    };
    match heard.class {
        Class::Observer => heard.observed(),
        Class::Variables => heard.variables(),
        Class::Submit | Class::Gate => lost::look(&heard, heard.exact()),
    }
}

impl Heard<'_> {
    /// Nothing that an observer prints is read (CW-S13, CW-S14).
    fn observed(&self) -> Answer {
        let failure = self.ended().or_else(|| self.failed_code());
        Answer { failure, ..Answer::default() }
    }

    /// A hook that fails contributes nothing (CW-S16).
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

    /// What the agent does, with its losses.
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

    /// Exit code 2 blocks, whatever was printed; the words are those of a `reason`, else what was said (CW-61).
    fn blocked(&self) -> Answer {
        let given =
            self.object().and_then(|object| object.get("reason")?.as_str()).map(str::to_owned);
        let printed = match &self.reading.found {
            Found::Text => self.reading.text.trim(),
            _ => "",
        };
        let said = [self.stderr.as_str(), printed].into_iter().find(|text| !text.is_empty());
        let reason = given.or_else(|| said.map(str::to_owned));
        let reason = reason.map(|reason| text::clean(&reason, fields::TEXT_CAP).text);
        Answer { restraint: Restraint::Deny, reason, ..Answer::default() }
    }

    /// Exit code 0 of a hook that may replace the text (CW-S3 to CW-S5).
    fn replaced(&self) -> Answer {
        match self.object() {
            Some(object) => fields::submit(object),
            None if self.reading.found == Found::Empty => Answer::default(),
            // It changes nothing, and a person should hear of it.
            None => fields::remarked(
                "it printed something that is not a JSON object; the text is unchanged",
            ),
        }
    }

    /// An exit code but 2 of a gate: an object counts whatever the code, if it holds a decision (CW-60, CW-62).
    fn judged(&self) -> Answer {
        let failure = self.failed_code();
        let Some(object) = self.object() else { return Answer { failure, ..Answer::default() } };
        let answer = fields::gate(object, self.event);
        let decided = object
            .get("decision")
            .is_some_and(|decision| decision.as_str().is_some_and(fields::decides));
        Answer { failure: failure.filter(|_| !decided), ..answer }
    }

    /// Why it did not end by itself, or not all that it said was kept.
    fn ended(&self) -> Option<Failure> {
        self.report.failure()
    }

    /// An exit code that is no success.
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
