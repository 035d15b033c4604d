//! Reads a report exactly as the agent does: the exit code and the output. `denial`
//! then looks for denials that the agent would lose.

use serde_json::{Map, Value};

use super::fields::{self, Extent};
use super::{Answers, Exit2, Field, InvalidAnswer, Late, Plain, Spec, Top, Universal};
use crate::answer::{Answer, Failure, Power, Powers, Restraint};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::first_line;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Hearing, Home};
use crate::event::Event;
use crate::report::{End, Report, stream_read_error_message};
use crate::strict::{self, Found, Reading};

/// One report, taken apart.
struct ReportReader<'a> {
    answers: &'static Answers,
    spec: &'a Spec,
    event: &'a Event,
    row: &'a EventRow,
    report: &'a Report,
    reading: Reading,
    stderr: String,
}

/// Reads the report of a hook by the tables of its agent.
pub(crate) fn read_report(
    answers: &'static Answers,
    event: &Event,
    row: &EventRow,
    report: &Report,
) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let after_first_line =
        first_line::output_after_detach_line(stdout).filter(|_| answers.allows_detaching());
    let reader = ReportReader {
        answers,
        spec: answers.spec_of_event(event.name.as_str()).unwrap_or(answers.custom),
        event,
        row,
        report,
        reading: strict::read_output(after_first_line.unwrap_or(stdout)),
        stderr,
    };
    let mut exact = reader.answer_as_agent_reads_it();
    if exact.failure.is_none() {
        (answers.adds)(event, report, &mut exact);
    }
    let answer = denial::recover_denial(&reader.denial_search_input(), exact);
    let promise = reader.answer_object().filter(|_| answers.allows_detaching());
    let mut answer = first_line::answer_of_detaching_object(promise, answer);
    answer.detached |= after_first_line.is_some();
    answer
}

impl ReportReader<'_> {
    /// Returns the answer as the agent reads it, including what the agent loses.
    fn answer_as_agent_reads_it(&self) -> Answer {
        let mut answer = match &self.report.end {
            End::NotStarted { why } => Answer::failed(Code::NotStarted, why.clone()),
            End::Failed { code, why } => Answer::failed(*code, why.clone()),
            End::TimedOut => self.answer_of_timed_out_hook(),
            End::Cancelled => {
                Answer::failed(Code::Cancelled, "it was cancelled before it answered")
            }
            End::Signalled(signal) => {
                Answer::failed(Code::Signalled, format!("signal {signal} ended it"))
            }
            End::Exited(2) => match self.why_exit_2_is_ignored() {
                Some(why) => {
                    let failure = Failure { exit: Some(2), ..Failure::new(Code::ExitCode, why) };
                    Answer { failure: Some(failure), ..Answer::default() }
                }
                None if self.spec.exit2 == Exit2::Fails => self.answer_of_exit_except_2(2),
                None => self.exit2_answer(),
            },
            End::Exited(code) => self.answer_of_exit_except_2(*code),
        };
        self.remove_denial_if_unblockable(&mut answer);
        if self.spec.replaces && answer.restraint == Restraint::Deny {
            answer.effects.updated_output = answer.reason.clone().map(Value::from);
        }
        answer
    }

    /// Returns the answer of a hook that did not answer in time: a failure, and on some events also
    /// a denial.
    fn answer_of_timed_out_hook(&self) -> Answer {
        let failed = Answer::failed(Code::TimedOut, "it did not answer in time");
        match self.spec.late {
            Late::Fails => failed,
            Late::Denies => {
                Answer { failure: failed.failure, ..Answer::deny("the hook timed out") }
            }
        }
    }

    /// Returns the answer of an exit code other than 2: an object decides alone, whatever the code
    ///
    fn answer_of_exit_except_2(&self, code: i32) -> Answer {
        let only_zero = matches!(self.spec.plain, Plain::Own(_)) || !self.answers.denial.any_exit;
        if only_zero && code != 0 {
            return self.failed_exit_answer(code);
        }
        if let Some(errno) = self.report.stdout_read_error() {
            return Answer::failed(
                Code::OutOfResources,
                stream_read_error_message("output", errno),
            );
        }
        if self.report.is_stdout_truncated() {
            return Answer::failed(Code::OutputTooLarge, "it printed more than is read");
        }
        let read = |object| self.read_answer_fields(object, Extent::Whole);
        match self.answer_object().map(read) {
            Some(Ok(answer)) => answer,
            Some(Err(fault)) => Answer::failed(Code::InvalidAnswer, fault.to_string()),
            None if code == 0 => self.read_plain_output(),
            None => self.failed_exit_answer(code),
        }
    }

    /// Returns the object that the agent reads as the answer.
    fn answer_object(&self) -> Option<&Map<String, Value>> {
        self.reading.as_lenient_object()
    }

    fn failed_exit_answer(&self, code: i32) -> Answer {
        let failure = Some(answer::exit_code_failure(code, &self.stderr));
        Answer { failure, ..Answer::default() }
    }

    /// Reads the output at exit code 0 without an object.
    fn read_plain_output(&self) -> Answer {
        let text = self.reading.text.trim();
        let mut answer = match self.spec.plain {
            // Where nothing but the right form counts, a broken object is no text.
            Plain::Context if self.answers.is_closed && self.reading.begins_with_brace() => {
                Answer::default()
            }
            Plain::Context if !text.is_empty() => Answer::context(text),
            Plain::Own(read) => read(text),
            Plain::Refused if !text.is_empty() && !self.reading.begins_with_brace() => {
                Answer::failed(
                    Code::UnreadableAnswer,
                    "it printed something that is not a JSON object",
                )
            }
            Plain::Context | Plain::Log | Plain::Refused => Answer::default(),
        };
        if self.reading.begins_with_brace() && !matches!(self.spec.plain, Plain::Own(_)) {
            // The agent takes it for text. A gate that meant to answer did not, so its policy
            // decides.
            let message = match self.reading.deviations.first() {
                Some(deviation) => format!("its answer cannot be read: {deviation}"),
                None => "its answer cannot be read".to_owned(),
            };
            answer.failure = Some(Failure::new(Code::UnreadableAnswer, message));
        }
        answer
    }

    /// Returns the answer of exit code 2.
    fn exit2_answer(&self) -> Answer {
        let extent =
            if self.spec.exit2 == Exit2::DeniesAlone { Extent::TopOnly } else { Extent::Whole };
        let answer = self
            .answer_object()
            .filter(|_| self.answers.denial.any_exit)
            .and_then(|object| self.read_answer_fields(object, extent).ok())
            .unwrap_or_default();
        match self.spec.exit2 {
            Exit2::Denies | Exit2::DeniesAlone | Exit2::TellsUser => self.deny_by_exit2(answer),
            Exit2::Ignored | Exit2::Fails => self.apply_non_blocking_exit2(answer),
        }
    }

    fn deny_by_exit2(&self, mut said: Answer) -> Answer {
        if said.restraint != Restraint::Deny {
            said.restraint = Restraint::Deny;
            said.reason = Some(self.exit2_reason());
        }
        said.effects.updated_input = None;
        said.effects.updated_permissions.clear();
        said
    }

    /// Returns the reason of a denial by exit code 2.
    fn exit2_reason(&self) -> String {
        let printed = match &self.reading.found {
            Found::Text => self.reading.text.trim(),
            _ => "",
        };
        match (self.stderr.as_str(), printed) {
            ("", "") => "the hook exited with code 2 and said nothing on stderr".to_owned(),
            ("", printed) => printed.to_owned(),
            (stderr, _) => stderr.to_owned(),
        }
    }

    /// Returns the answer of exit code 2 where the code alone does not deny: usually the answer as
    /// printed, but a denial if only this hook may object to the event.
    fn apply_non_blocking_exit2(&self, mut said: Answer) -> Answer {
        let (may, ever) = (self.row.powers, self.spec.powers());
        if may.has(Power::Deny) && !ever.has(Power::Deny) {
            // The event cannot be denied, yet this hook may object: it wakes the agent, whatever
            // the event was.
            return self.deny_by_exit2(said);
        }
        if !may.has(Power::Deny) {
            let message = format!("exit code 2 does nothing on `{}`", self.row.name);
            said.remarks.push(Failure::new(Code::NotHonoured, message));
        }
        said
    }

    fn read_answer_fields(
        &self,
        object: &Map<String, Value>,
        extent: Extent,
    ) -> Result<Answer, InvalidAnswer> {
        fields::read_answer_object(
            self.answers,
            self.spec,
            self.event,
            &self.row.name,
            object,
            extent,
        )
    }

    /// Removes the denial of an event that cannot be blocked, such as one that the organisation
    /// decided.
    fn remove_denial_if_unblockable(&self, answer: &mut Answer) {
        let Some((key, value)) = self.spec.exempt else { return };
        if answer.restraint != Restraint::Deny || self.event.text(key) != Some(value) {
            return;
        }
        let message = format!("`{}` cannot be blocked where `{key}` is `{value}`", self.row.name);
        answer.remarks.push(Failure::new(Code::NotHonoured, message));
        answer.restraint = Restraint::Silent;
        answer.effects.messages.extend(answer.reason.take());
    }

    /// Returns the powers that can take effect on this event.
    fn effective_powers(&self) -> Powers {
        let exempt = self.spec.exempt.is_some_and(|(key, text)| self.event.text(key) == Some(text));
        let powers = self.row.powers.iter().filter(|power| !(exempt && *power == Power::Deny));
        powers.fold(Powers::NONE, Powers::with)
    }

    fn denial_search_input(&self) -> Hearing<'_> {
        let replies = |(_, field): &(&str, Field)| *field == Field::Action;
        let Self { row, report, reading, stderr, .. } = self;
        Hearing {
            event: self.event.name.as_str(),
            can: self.effective_powers(),
            homes: key_paths_of_decisions(self.spec),
            input_home: key_path_of_new_input(self.spec),
            ignored_objection: self.ignores_exit_2().then(|| self.exit2_reason()),
            ignored_because: self.why_exit_2_is_ignored(),
            plain_is_context: matches!(self.spec.plain, Plain::Context),
            replies: self.spec.fields.iter().any(replies),
            ..Hearing::for_report(row, report, reading, stderr, &self.answers.denial)
        }
    }

    /// Returns `true` if the agent ignores exit code 2 of this report.
    fn ignores_exit_2(&self) -> bool {
        matches!(self.spec.exit2, Exit2::Ignored | Exit2::Fails)
            || self.why_exit_2_is_ignored().is_some()
    }

    /// Returns why the agent ignores exit code 2 of this report, although it has an effect on the
    /// event.
    fn why_exit_2_is_ignored(&self) -> Option<&'static str> {
        let (stdout, _) = answer::output_streams(self.report).ok()?;
        let stdout = String::from_utf8_lossy(stdout);
        (self.answers.ignored_exit2)(self.event.name.as_str(), &stdout, &self.stderr)
    }
}

/// Returns the key path at which an event looks for a new input, if it takes one.
fn key_path_of_new_input(spec: &Spec) -> Option<String> {
    let mut positions = spec.fields.iter().filter_map(|(key, field)| match field {
        Field::Input => Some(format!("hookSpecificOutput.{key}")),
        Field::Behavior(powers) if powers.contains(&Power::Input) => {
            Some(format!("hookSpecificOutput.{key}.updatedInput"))
        }
        _ => None,
    });
    positions.next_back()
}

/// Returns the key paths at which an event looks for a decision, the best one last.
fn key_paths_of_decisions(spec: &Spec) -> Vec<Home> {
    let mut homes = Vec::new();
    if spec.universal == Universal::StopDenies {
        homes.push(Home { path: vec!["continue"], words: &[] });
    }
    if spec.top != Top::Ignored {
        homes.push(Home { path: vec!["decision"], words: &["block"] });
    }
    for (key, field) in spec.fields {
        match field {
            Field::Permission(words) | Field::Denial(words) => {
                homes.push(Home { path: vec!["hookSpecificOutput", *key], words });
            }
            Field::Behavior(_) => homes.push(Home {
                path: vec!["hookSpecificOutput", *key, "behavior"],
                words: &["deny"],
            }),
            Field::Action => homes.push(Home {
                path: vec!["hookSpecificOutput", *key],
                words: &["decline", "cancel"],
            }),
            _ => {}
        }
    }
    homes
}
