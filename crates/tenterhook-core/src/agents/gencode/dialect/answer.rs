//! Reads the answer of a hook from its exit code and output as Gen does (G-30 to G-34). Denials
//! that Gen would lose are found by `kit::denial`.

use serde_json::{Map, Value};

use super::fields;
use crate::answer::{Answer, Power, Restraint, SlipKind};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::first_line;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Hearing, Home, Protocol};
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict::{self, Found, Reading};

/// The parsed report of one hook.
struct ParsedReport<'a> {
    event: &'a Event,
    row: &'a EventRow,
    report: &'a Report,
    reading: Reading,
    stderr: String,
}

/// The protocol, the same on every event.
const PROTOCOL: Protocol = Protocol { tells: true, ..Protocol::PLAIN };

pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report, asked: bool) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let after_first_line = first_line::output_after_detach_line(stdout);
    let parsed = ParsedReport {
        event,
        row,
        report,
        reading: strict::read_output(after_first_line.unwrap_or(stdout)),
        stderr,
    };
    let exact = parsed.exact_answer();
    let answer = parsed
        .with_wrong_event_slip(denial::recover_denial(&parsed.denial_search_input(asked), exact));
    let mut answer = first_line::answer_of_detaching_object(parsed.answer_object(), answer);
    answer.detached |= after_first_line.is_some();
    answer
}

impl ParsedReport<'_> {
    /// Returns the answer as the agent reads it, including the denials that it loses.
    fn exact_answer(&self) -> Answer {
        match self.report.end {
            // Exit code 2 overrides the output (G-30).
            End::Exited(2) if self.stderr.is_empty() => Answer {
                restraint: Restraint::Deny,
                default_reason: Some("Hook blocked execution"),
                ..Answer::default()
            },
            End::Exited(2) => Answer::deny(self.stderr.clone()),
            _ => match self.report.failure() {
                Some(failure) => Answer { failure: Some(failure), ..Answer::default() },
                None => self.answer_from_exit_code(),
            },
        }
    }

    /// Returns the answer as the agent reads it: a failure for a nonzero exit code, else what the
    /// hook printed.
    fn answer_from_exit_code(&self) -> Answer {
        if let End::Exited(code @ (..=-1 | 1..)) = self.report.end {
            let failure = Some(answer::exit_code_failure(code, &self.stderr));
            return Answer { failure, ..Answer::default() };
        }
        match &self.reading.found {
            Found::Empty => Answer::default(),
            Found::Text if self.reading.text.trim() == "null" => Answer::default(),
            _ => match self.answer_object() {
                Some(object) => fields::read_answer_fields(self.event, self.row, object)
                    .unwrap_or_else(|fault| Answer::failed(Code::InvalidAnswer, fault.to_string())),
                // Plain text is not context on any event (G-31).
                None => Answer::failed(Code::UnreadableAnswer, self.unreadable_output_message()),
            },
        }
    }

    /// The object that the agent reads.
    fn answer_object(&self) -> Option<&Map<String, Value>> {
        self.reading.as_lenient_object()
    }

    fn unreadable_output_message(&self) -> String {
        match self.reading.deviations.first() {
            Some(deviation) => format!("its output is not one JSON object: {deviation}"),
            None => "its output is not one JSON object".to_owned(),
        }
    }

    /// Adds a slip if the answer names a different event. Its denial still applies, but its grants
    /// do not (G-35).
    fn with_wrong_event_slip(&self, answer: Answer) -> Answer {
        let named = self.answer_object().and_then(fields::answer_event_name);
        let Some(named) = named.filter(|text| *text != self.event.name.as_str()) else {
            return answer;
        };
        if !matches!(self.report.end, End::Exited(0))
            || answer.slips.iter().any(|slip| slip.kind == SlipKind::WrongEventName)
        {
            return answer;
        }
        let plain = answer.plain.clone().unwrap_or_else(|| Box::new(answer.clone()));
        let detail =
            format!("`hookEventName` is `{named}`, and the event is `{}`", self.event.name);
        Answer { plain: Some(plain), ..answer }.slipped(SlipKind::WrongEventName, detail)
    }

    fn denial_search_input(&self, asked: bool) -> Hearing<'_> {
        let Self { row, report, reading, stderr, .. } = self;
        Hearing {
            event: self.event.name.as_str(),
            asked,
            homes: decision_fields(row),
            input_home: new_input_field(row).map(str::to_owned),
            ..Hearing::for_report(row, report, reading, stderr, &PROTOCOL)
        }
    }
}

/// Returns the field in which an event reads a new input, if it takes one.
fn new_input_field(row: &EventRow) -> Option<&'static str> {
    match (row.powers.has(Power::Input), row.powers.has(Power::Permissions)) {
        (false, _) => None,
        (true, true) => Some("hookSpecificOutput.decision.updatedInput"),
        (true, false) => Some("hookSpecificOutput.updatedInput"),
    }
}

/// Returns the fields in which an event reads a decision, the preferred one last.
fn decision_fields(row: &EventRow) -> Vec<Home> {
    let mut homes = vec![Home { path: vec!["continue"], words: &[] }];
    if row.powers.has(Power::Ask) {
        homes.push(Home {
            path: vec!["hookSpecificOutput", "permissionDecision"],
            words: &["allow", "deny", "ask"],
        });
    }
    if row.powers.has(Power::Permissions) {
        homes.push(Home {
            path: vec!["hookSpecificOutput", "decision", "behavior"],
            words: &["allow", "deny"],
        });
        homes
            .push(Home { path: vec!["hookSpecificOutput", "behavior"], words: &["allow", "deny"] });
    }
    homes
}
