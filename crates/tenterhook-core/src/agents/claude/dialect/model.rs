//! Models that serve as Claude Code's hooks: the instructions about the form of their answer, how
//! an answer is read, and their timeout (MO-10 to MO-12).

use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::ANSWERS;
use crate::answer::{Answer, Effects, Failure, Power, Restraint, SlipKind, Stop};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::denial::{self, Hearing, Home, is_false_like};
use crate::dialect::kit::unread::Unread;
use crate::event::Event;
use crate::hook::{Prompt, Run};
use crate::report::{End, Report, StepOutput};
use crate::strict::{self, Found, Reading};

/// The keys of a model's answer.
const KEYS: &[&str] = &["ok", "reason", "impossible"];

/// How long a model may take, with tools and without.
const TIMEOUTS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(30));

/// What a model's no does on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum No {
    /// It denies, and its reason goes to the agent's model.
    Denies,
    /// It denies and ends the turn, unless the hook lets the turn go on.
    EndsTurn,
    /// It denies and ends the turn.
    EndsTurnAlways,
    /// Nothing, says the agent.
    Nothing,
}

/// What a model's no does, where it does not deny alone. What denies a prompt ends its turn anyway.
const NO: &[(&str, No)] = &[
    ("PreToolUse", No::EndsTurn),
    ("PostToolUse", No::EndsTurn),
    ("TeammateIdle", No::EndsTurn),
    ("PostToolBatch", No::EndsTurnAlways),
    ("PermissionRequest", No::Nothing),
    ("PermissionDenied", No::Nothing),
];

/// Events on which a model without tools may say that what is wanted cannot be had.
const MAY_GIVE_UP: &[&str] = &["Stop", "SubagentStop"];

/// Returns what a denial by a model hook does on this event.
fn denial_effect_on_event(event: &str) -> No {
    NO.iter().find(|(name, _)| *name == event).map_or(No::Denies, |(_, no)| *no)
}

/// Whether a prompt hook (not an agent hook) may answer `impossible` on this event.
fn may_answer_impossible(prompt: &Prompt, event: &str) -> bool {
    prompt.turns.is_none() && MAY_GIVE_UP.contains(&event)
}

pub(super) const fn default_timeout(run: &Run, row: &EventRow) -> Duration {
    match run {
        Run::Prompt(Prompt { turns: Some(_), .. }) => TIMEOUTS.0,
        Run::Prompt(Prompt { turns: None, .. }) => TIMEOUTS.1,
        _ => row.timeout,
    }
}

pub(super) fn answer_instructions(prompt: &Prompt, row: &EventRow) -> String {
    let mut text = "Answer with exactly one JSON object and nothing else, without a code fence.\n\
         If what you are asked to check holds: {\"ok\": true}\n\
         If it does not: {\"ok\": false, \"reason\": \"why, and what to do instead\"}\n"
        .to_owned();
    if may_answer_impossible(prompt, &row.event) {
        text.push_str(
            "If it does not and never can: {\"ok\": false, \"impossible\": true, \"reason\": \"why\"}\n",
        );
    }
    text
}

/// Reads what the model wrote: `{ok, reason, impossible?}` strictly, and any denial outside that
/// form.
pub(super) fn read_answer(
    prompt: &Prompt,
    event: &Event,
    row: &EventRow,
    report: &Report,
) -> Answer {
    let StepOutput::Bytes { stdout, .. } = &report.said else { return Answer::default() };
    let reading = strict::read_output(&stdout.bytes);
    let mut exact = match report.failure() {
        Some(failure) => Answer { failure: Some(failure), ..Answer::default() },
        None => read_strict_answer(prompt, row, &reading),
    };
    if let (End::Exited(0), Some(Value::Bool(true))) =
        (&report.end, reading.as_strict_object().and_then(|object| object.get("impossible")))
        && may_answer_impossible(prompt, &row.event)
    {
        // It said no, and that no is not what the near misses look for.
        return exact;
    }
    let hearing = Hearing {
        event: event.name.as_str(),
        homes: match denial_effect_on_event(&row.event) {
            No::Nothing => Vec::new(),
            _ => vec![Home { path: vec!["ok"], words: &[] }],
        },
        asked: true,
        ..Hearing::for_report(row, report, &reading, "", &ANSWERS.denial)
    };
    let plain = exact.clone();
    exact = denial::recover_denial(&hearing, exact);
    if exact.restraint == Restraint::Deny && plain.restraint != Restraint::Deny {
        exact.effects.stop = exact
            .effects
            .stop
            .or_else(|| stop_caused_by_denial(prompt, row, exact.reason.as_deref()));
    }
    exact
}

/// Reads an answer that has exactly the expected form.
fn read_strict_answer(prompt: &Prompt, row: &EventRow, reading: &Reading) -> Answer {
    if reading.found == Found::Empty {
        return Answer::failed(Code::NoAnswer, "the model said nothing");
    }
    let Some(object) = reading.as_strict_object() else {
        return Answer::failed(Code::UnreadableAnswer, unreadable_answer_message(reading));
    };
    let reason = match object.get("reason") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Some(_) => return Answer::failed(Code::InvalidAnswer, "`reason` must be a string"),
    };
    let mut answer = match object.get("ok") {
        Some(Value::Bool(true)) => Answer::default(),
        Some(Value::Bool(false)) => denial_answer(prompt, row, object, reason),
        Some(other) if is_false_like(other) && row.powers.has(Power::Deny) => {
            let failed =
                Answer::failed(Code::InvalidAnswer, format!("`ok` is {other}, not `false`"));
            let answer = denial_answer(prompt, row, object, reason);
            return Answer { plain: Some(Box::new(failed)), ..answer }
                .slipped(SlipKind::WrongType, format!("`ok` is {other}, not `false`"));
        }
        Some(other) => {
            return Answer::failed(
                Code::InvalidAnswer,
                format!("`ok` is {other}, not `true` or `false`"),
            );
        }
        None => return Answer::failed(Code::InvalidAnswer, "the model's answer has no `ok`"),
    };
    let mut unread = Unread::default();
    for (key, value) in object.iter().filter(|(key, _)| !KEYS.contains(&key.as_str())) {
        unread.add_unread_key("", (key, value), KEYS.iter().copied());
    }
    answer.remarks.extend(unread.into_remark());
    answer
}

fn denial_answer(
    prompt: &Prompt,
    row: &EventRow,
    object: &Map<String, Value>,
    reason: Option<String>,
) -> Answer {
    if denial_effect_on_event(&row.event) == No::Nothing {
        let message = format!("`{}` does nothing with a model's no", row.name);
        let remarks = vec![Failure::new(Code::NotHonoured, message)];
        return Answer { remarks, ..Answer::default() };
    }
    if object.get("impossible") == Some(&Value::Bool(true))
        && may_answer_impossible(prompt, &row.event)
    {
        // The turn may end, and the message shows the user why.
        let messages = reason.into_iter().collect();
        return Answer { effects: Effects { messages, ..Effects::default() }, ..Answer::default() };
    }
    let stop = stop_caused_by_denial(prompt, row, reason.as_deref());
    Answer {
        restraint: Restraint::Deny,
        reason,
        effects: Effects { stop, ..Effects::default() },
        ..Answer::default()
    }
}

/// Returns the stop of the agent, if a denial also ends the turn.
fn stop_caused_by_denial(prompt: &Prompt, row: &EventRow, reason: Option<&str>) -> Option<Stop> {
    let ends = match denial_effect_on_event(&row.event) {
        No::EndsTurnAlways => true,
        No::EndsTurn => !prompt.goes_on,
        No::Denies | No::Nothing => false,
    };
    (ends && row.powers.has(Power::Stop)).then(|| Stop { reason: reason.map(str::to_owned) })
}

fn unreadable_answer_message(reading: &Reading) -> String {
    match reading.deviations.first() {
        Some(deviation) => format!("the model's words are not one JSON object: {deviation}"),
        None => "the model's words are not one JSON object".to_owned(),
    }
}
