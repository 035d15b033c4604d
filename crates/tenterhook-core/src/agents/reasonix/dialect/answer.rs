//! Reads the answer of a hook of Reasonix: the exit code decides, and the output is a reason,
//! context or directives (RX-20 to RX-33). Reads it as the agent does, then finds denials that the
//! agent would lose. Judges nothing.

use serde_json::{Map, Value};

use super::directives::{self, Directives};
use super::event::to_neutral_input;
use super::events::{self, Printed, Spec};
use crate::answer::{Answer, Failure, Power, Powers, Restraint, Slip, SlipKind};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Hearing, Protocol};
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict::{self, Reading};

/// The protocol has no JSON answers, so a JSON denial was written for a different agent.
const PROTOCOL: Protocol = Protocol::PLAIN;

/// Reads the answer in a report.
pub(super) fn read_answer(event: &Event, row: &EventRow, report: &Report) -> Answer {
    let (stdout, stderr) = match answer::output_streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let text = String::from_utf8_lossy(stdout);
    // A hook that was killed while it printed may have written half a line.
    let torn = report.is_stdout_truncated() || !matches!(report.end, End::Exited(_));
    let parsed = ParsedReport {
        event,
        spec: events::find_by_neutral_name(event.name.as_str()),
        report,
        reading: strict::read_output(stdout),
        directives: directives::parse_directives(&text, torn),
        printed: text.trim(),
        stderr,
    };
    let exact = parsed.exact_answer();
    parsed.recover_denial_lost_by_agent(row, exact)
}

/// Whether a hook approves the call in the protocol of a different agent (ruling 33).
fn approves_in_foreign_protocol(object: &Map<String, Value>) -> bool {
    const KEYS: &[&str] = &["decision", "permissionDecision", "behavior", "allow", "approve"];
    let approves = |object: &Map<String, Value>| {
        KEYS.iter().filter_map(|key| object.get(*key)).any(|value| match value {
            Value::Bool(yes) => *yes,
            Value::String(text) => ["allow", "approve", "approved"].contains(&text.as_str()),
            _ => false,
        })
    };
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    approves(object) || output.is_some_and(approves)
}

/// The parsed report of one hook.
struct ParsedReport<'a> {
    event: &'a Event,
    /// `None` for events that the agent does not have.
    spec: Option<&'static Spec>,
    report: &'a Report,
    reading: Reading,
    directives: Directives,
    printed: &'a str,
    stderr: String,
}

impl ParsedReport<'_> {
    fn is_gate_event(&self) -> bool {
        self.spec.is_some_and(Spec::is_gate_event)
    }

    /// Returns how the agent reads stdout on this event.
    fn how_stdout_is_read(&self) -> Printed {
        self.spec.map_or(Printed::Text, |spec| spec.printed)
    }

    /// Returns the answer as the agent reads it, including the denials that it loses.
    fn exact_answer(&self) -> Answer {
        let mut answer = match self.report.end {
            End::Exited(0) => self.exit_0_answer(),
            End::Exited(2) if self.is_gate_event() => self.exit_2_denial(),
            End::Exited(code) => self.warning_answer(code),
            _ => Answer { failure: self.report.failure(), ..Answer::default() },
        };
        if self.how_stdout_is_read() == Printed::Directives {
            answer.effects.messages.extend(self.directives.warn.iter().cloned());
            for line in &self.directives.broken {
                let message =
                    format!("`{line}` is not a valid directive: write a colon after its name");
                answer.remarks.push(Failure::new(Code::BrokenDirective, message));
            }
        }
        answer
    }

    /// The answer of exit code 0, which never blocks (RX-20).
    fn exit_0_answer(&self) -> Answer {
        match self.how_stdout_is_read() {
            Printed::Text => Answer::default(),
            Printed::Context => self.context_answer(),
            Printed::Input => self.updated_input_answer(),
            Printed::Directives => self.answer_of_inject_directive(),
        }
    }

    /// Returns the answer of `@@INJECT`, which has an effect only if this hook or a later one
    /// blocks the end of the turn (RX-28, RX-29).
    fn answer_of_inject_directive(&self) -> Answer {
        if self.directives.inject.is_empty() {
            return Answer::default();
        }
        let message =
            "`@@INJECT` needs a blocked end of the turn, and exit code 0 blocks nothing".to_owned();
        Answer {
            if_denied: Some(self.directives.inject.join("\n")),
            remarks: vec![Failure::new(Code::NotHonoured, message)],
            ..Answer::default()
        }
    }

    /// The answer of exit code 2 on an event that can be blocked.
    fn exit_2_denial(&self) -> Answer {
        let denied = Answer { restraint: Restraint::Deny, ..Answer::default() };
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        if self.how_stdout_is_read() == Printed::Directives {
            let injected =
                (!self.directives.inject.is_empty()).then(|| self.directives.inject.join("\n"));
            return Answer { reason: injected, printed: filled(&self.stderr), ..denied };
        }
        Answer { reason: filled(&self.stderr).or_else(|| filled(self.printed)), ..denied }
    }

    /// Returns a warning: for any other exit code, and for exit code 2 on an event that cannot be
    /// blocked (RX-21).
    fn warning_answer(&self, code: i32) -> Answer {
        let text = if self.stderr.is_empty() { self.printed } else { &self.stderr };
        let (text, _) = directives::truncate_text(text);
        Answer { failure: Some(Failure::exit_code_failure(code, &text)), ..Answer::default() }
    }

    /// The context that a passing hook printed (RX-24).
    fn context_answer(&self) -> Answer {
        let mut answer = Answer::default();
        let text = match self.hook_specific_output() {
            Some(output) if output.contains_key("additionalContext") => {
                match self.is_for_event_else_reports(output, &mut answer) {
                    true => output.get("additionalContext").and_then(Value::as_str),
                    false => None,
                }
            }
            _ => Some(self.printed),
        };
        let text = text.unwrap_or_default().trim();
        if text.is_empty() {
            return answer;
        }
        let (context, dropped) = directives::truncate_text(text);
        if dropped > 0 {
            let message = format!(
                "it printed {dropped} characters more than the {} that are added",
                directives::CAP
            );
            answer.remarks.push(Failure::new(Code::ContextCut, message));
        }
        answer.effects.context.push(context);
        answer
    }

    /// Reads `hookSpecificOutput.updatedInput`, which later versions accept (RX-25).
    fn updated_input_answer(&self) -> Answer {
        let mut answer = Answer::default();
        if self.reading.as_strict_object().is_some_and(approves_in_foreign_protocol) {
            let message =
                "a hook of Reasonix cannot approve a call: after exit code 0 the rules of the agent \
                decide"
                    .to_owned();
            answer.remarks.push(Failure::new(Code::NotHonoured, message));
        }
        let Some(output) = self.hook_specific_output() else { return answer };
        let Some(input @ Value::Object(_)) = output.get("updatedInput") else { return answer };
        if self.is_for_event_else_reports(output, &mut answer) {
            answer.effects.updated_input = Some(to_neutral_input(self.event, input));
        }
        answer
    }

    fn hook_specific_output(&self) -> Option<&Map<String, Value>> {
        self.reading.as_strict_object()?.get("hookSpecificOutput")?.as_object()
    }

    /// Whether the object is meant for this event. An object for a different event is dropped and
    /// reported.
    fn is_for_event_else_reports(&self, output: &Map<String, Value>, answer: &mut Answer) -> bool {
        let Some(spec) = self.spec else { return false };
        let named = output.get("hookEventName").and_then(Value::as_str);
        let fits = named.is_none_or(|named| named == spec.name);
        if !fits {
            let message = format!(
                "its answer is for `{}`, and the event is `{}`",
                named.unwrap_or_default(),
                spec.name
            );
            answer.remarks.push(Failure::new(Code::NotHonoured, message));
        }
        fits
    }

    /// Looks for a denial that the agent would lose, and keeps the agent's reading beside it
    /// (RX-32, RX-33).
    fn recover_denial_lost_by_agent(&self, row: &EventRow, exact: Answer) -> Answer {
        if !self.is_gate_event() {
            return exact;
        }
        if exact.restraint == Restraint::Deny {
            return self.recover_foreign_denial(row, exact);
        }
        let Some(found) = self.denial_by_inject_directive() else {
            return self.recover_foreign_denial(row, exact);
        };
        let mut answer = Answer { remarks: exact.remarks.clone(), ..found };
        // The slip describes the exit code more precisely than the failure.
        answer.failure = exact.failure.clone().filter(|failure| failure.code != Code::ExitCode);
        answer.plain = Some(Box::new(exact));
        answer
    }

    /// Looks for a denial in the protocol of a different agent, anywhere in the output.
    fn recover_foreign_denial(&self, row: &EventRow, exact: Answer) -> Answer {
        let ParsedReport { report, reading, stderr, .. } = self;
        let hearing = Hearing {
            can: Powers::from_slice(&[Power::Deny]),
            plain_is_context: self.how_stdout_is_read() == Printed::Context,
            ..Hearing::for_report(row, report, reading, stderr, &PROTOCOL)
        };
        denial::recover_denial(&hearing, exact)
    }

    /// Returns a denial for `@@INJECT` from a hook that neither passed nor blocked. Such a hook
    /// tells the model what to fix, so it wants the turn to go on.
    fn denial_by_inject_directive(&self) -> Option<Answer> {
        let undecided = !matches!(self.report.end, End::Exited(0 | 2));
        if !undecided
            || self.how_stdout_is_read() != Printed::Directives
            || self.directives.inject.is_empty()
        {
            return None;
        }
        Some(self.with_exit_slip(Answer::deny(self.directives.inject.join("\n"))))
    }

    /// Adds a slip if the hook ended in a way that does not block by itself.
    fn with_exit_slip(&self, mut answer: Answer) -> Answer {
        let detail = match self.report.end {
            End::Exited(0) => return answer,
            End::Exited(code) => format!("it said no and exited with code {code}; 2 blocks"),
            End::Signalled(signal) => format!("it said no, and then signal {signal} ended it"),
            End::TimedOut => "it said no, and then ran out of time".to_owned(),
            End::Cancelled | End::NotStarted { .. } | End::Failed { .. } => {
                "it said no, and then was cancelled".to_owned()
            }
        };
        answer.slips.push(Slip { kind: SlipKind::WrongExit, detail });
        answer
    }
}
