//! What a hook of Reasonix said: its exit code decides, and what it printed are words for that, context, or directives
//! (RX-20 to RX-33). First the agent's own reading, to the letter; then what that reading would lose.

use serde_json::{Map, Value};

use super::directives::{self, Directives};
use super::event::neutral_input;
use super::events::{self, Printed, Spec};
use crate::answer::{Answer, Failure, Power, Powers, Restraint, Slip, SlipKind};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::answer;
use crate::dialect::kit::denial::{self, Hearing, Protocol};
use crate::event::Event;
use crate::report::{End, Report};
use crate::strict::{self, Reading};

/// The protocol has no JSON answers: each one that denies is meant for another agent.
const PROTOCOL: Protocol = Protocol::PLAIN;

/// Reads one report.
pub(super) fn read(event: &Event, row: &EventRow, report: &Report) -> Answer {
    let (stdout, stderr) = match answer::streams(report) {
        Ok(streams) => streams,
        Err(answer) => return answer.clone(),
    };
    let text = String::from_utf8_lossy(stdout);
    // Whoever was ended while printing may have left half a line.
    let torn = report.is_truncated() || !matches!(report.end, End::Exited(_));
    let heard = Heard {
        event,
        spec: events::by_neutral(event.name.as_str()),
        report,
        reading: strict::read(stdout),
        directives: directives::read(&text, torn),
        printed: text.trim(),
        stderr,
    };
    let exact = heard.exact();
    heard.near_miss(row, exact)
}

/// Whether a hook means to approve the call, in the words of other agents (ruling 33).
fn consents(object: &Map<String, Value>) -> bool {
    const KEYS: &[&str] = &["decision", "permissionDecision", "behavior", "allow", "approve"];
    let says = |object: &Map<String, Value>| {
        KEYS.iter().filter_map(|key| object.get(*key)).any(|value| match value {
            Value::Bool(yes) => *yes,
            Value::String(word) => ["allow", "approve", "approved"].contains(&word.as_str()),
            _ => false,
        })
    };
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    says(object) || output.is_some_and(says)
}

/// One report, taken apart.
struct Heard<'a> {
    event: &'a Event,
    /// `None` for events that the agent does not have.
    spec: Option<&'static Spec>,
    report: &'a Report,
    reading: Reading,
    directives: Directives,
    printed: &'a str,
    stderr: String,
}

impl Heard<'_> {
    fn is_gate(&self) -> bool {
        self.spec.is_some_and(Spec::is_gate)
    }

    fn kind(&self) -> Printed {
        self.spec.map_or(Printed::Words, |spec| spec.printed)
    }

    /// What the agent does, with its losses.
    fn exact(&self) -> Answer {
        let mut answer = match self.report.end {
            End::Exited(0) => self.passed(),
            End::Exited(2) if self.is_gate() => self.blocked(),
            End::Exited(code) => self.warned(code),
            _ => Answer { failure: self.report.failure(), ..Answer::default() },
        };
        if self.kind() == Printed::Directives {
            answer.effects.messages.extend(self.directives.warn.iter().cloned());
            for line in &self.directives.broken {
                let message =
                    format!("`{line}` is not a valid directive: a colon follows its word");
                answer.remarks.push(Failure::new(Code::BrokenDirective, message));
            }
        }
        answer
    }

    /// Exit code 0: no objection, whatever the event (RX-20).
    fn passed(&self) -> Answer {
        match self.kind() {
            Printed::Words => Answer::default(),
            Printed::Context => self.context(),
            Printed::Input => self.input(),
            Printed::Directives => self.injects_without_block(),
        }
    }

    /// `@@INJECT` counts where the turn is kept open, by this hook or by a later one (RX-28, RX-29).
    fn injects_without_block(&self) -> Answer {
        if self.directives.inject.is_empty() {
            return Answer::default();
        }
        let message =
            "`@@INJECT` counts where the end of the turn is blocked, and exit code 0 blocks nothing"
                .to_owned();
        Answer {
            if_denied: Some(self.directives.inject.join("\n")),
            remarks: vec![Failure::new(Code::NotHonoured, message)],
            ..Answer::default()
        }
    }

    /// Exit code 2 where the event can be blocked.
    fn blocked(&self) -> Answer {
        let denied = Answer { restraint: Restraint::Deny, ..Answer::default() };
        let words = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        if self.kind() == Printed::Directives {
            let injected =
                (!self.directives.inject.is_empty()).then(|| self.directives.inject.join("\n"));
            return Answer { reason: injected, printed: words(&self.stderr), ..denied };
        }
        Answer { reason: words(&self.stderr).or_else(|| words(self.printed)), ..denied }
    }

    /// Any other code, and exit code 2 where nothing can be blocked: a warning (RX-21).
    fn warned(&self, code: i32) -> Answer {
        let words = if self.stderr.is_empty() { self.printed } else { &self.stderr };
        let (words, _) = directives::cut(words);
        Answer { failure: Some(Failure::exited(code, &words)), ..Answer::default() }
    }

    /// Stdout of a hook that passes, where the event takes context (RX-24).
    fn context(&self) -> Answer {
        let mut answer = Answer::default();
        let text = match self.hook_output() {
            Some(output) if output.contains_key("additionalContext") => {
                match self.addressed(output, &mut answer) {
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
        let (kept, dropped) = directives::cut(text);
        if dropped > 0 {
            let message = format!(
                "it printed {dropped} characters more than the {} that are added",
                directives::CAP
            );
            answer.remarks.push(Failure::new(Code::ContextCut, message));
        }
        answer.effects.context.push(kept);
        answer
    }

    /// `hookSpecificOutput.updatedInput`, as later versions take it (RX-25).
    fn input(&self) -> Answer {
        let mut answer = Answer::default();
        if self.reading.strict().is_some_and(consents) {
            let message =
                "Reasonix has no form for consent: exit code 0 is silence, and the rules of the \
                agent decide"
                    .to_owned();
            answer.remarks.push(Failure::new(Code::NotHonoured, message));
        }
        let Some(output) = self.hook_output() else { return answer };
        let Some(input @ Value::Object(_)) = output.get("updatedInput") else { return answer };
        if self.addressed(output, &mut answer) {
            answer.effects.updated_input = Some(neutral_input(self.event, input));
        }
        answer
    }

    fn hook_output(&self) -> Option<&Map<String, Value>> {
        self.reading.strict()?.get("hookSpecificOutput")?.as_object()
    }

    /// Whether the object is meant for this event; one that names another is dropped, and said so.
    fn addressed(&self, output: &Map<String, Value>, answer: &mut Answer) -> bool {
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

    /// What tries to block and does not (RX-32, RX-33). The agent's own reading stands beside it.
    fn near_miss(&self, row: &EventRow, exact: Answer) -> Answer {
        if !self.is_gate() || exact.restraint == Restraint::Deny {
            return exact;
        }
        let Some(found) = self.injected() else { return self.lost(row, exact) };
        let mut answer = Answer { remarks: exact.remarks.clone(), ..found };
        // The slip says the same in better words.
        answer.failure = exact.failure.clone().filter(|failure| failure.code != Code::ExitCode);
        answer.plain = Some(Box::new(exact));
        answer
    }

    /// A denial in the protocol of another agent, wherever it stands.
    fn lost(&self, row: &EventRow, exact: Answer) -> Answer {
        let Heard { report, reading, stderr, .. } = self;
        let hearing = Hearing {
            can: Powers::from_slice(&[Power::Deny]),
            plain_is_context: self.kind() == Printed::Context,
            ..Hearing::new(row, report, reading, stderr, &PROTOCOL)
        };
        denial::look(&hearing, exact)
    }

    /// `@@INJECT` from a hook that neither passed nor blocked: who tells the agent what to mend wants it at work.
    fn injected(&self) -> Option<Answer> {
        let undecided = !matches!(self.report.end, End::Exited(0 | 2));
        if !undecided || self.kind() != Printed::Directives || self.directives.inject.is_empty() {
            return None;
        }
        Some(self.slipped(Answer::deny(self.directives.inject.join("\n"))))
    }

    /// Adds how the hook ended, where that does not block by itself.
    fn slipped(&self, mut answer: Answer) -> Answer {
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
