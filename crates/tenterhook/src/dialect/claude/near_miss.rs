//! The near misses: answers that try to restrain and that Claude Code loses. The table is closed:
//! what is not in it is no denial. Finds only what restrains more than the agent's own reading; an allow is never found.

mod search;

use super::answer::Heard;
use super::events::{Exit2, Plain};
use super::words::{
    ANSWER_KEYS, DECISION_KEYS, REASON_KEYS, is_in, plain_key, power, restraint, says_no,
};
use crate::answer::{Answer, Failure, Power, Restraint, Slip, SlipKind, Stop};
use crate::report::End;
use crate::strict::{self, Deviation, Found, Object};

/// One restraint that the agent's own reading may have lost.
#[derive(Clone, Debug, Default)]
struct Hit {
    restraint: Restraint,
    stop: bool,
    reason: Option<String>,
    slips: Vec<Slip>,
}

impl Hit {
    fn weight(&self) -> (Restraint, bool) {
        (self.restraint, self.stop)
    }

    fn slip(&mut self, kind: SlipKind, detail: impl Into<String>) {
        if !self.slips.iter().any(|slip| slip.kind == kind) {
            self.slips.push(Slip { kind, detail: detail.into() });
        }
    }
}

/// The agent's own reading, or what it lost with that reading beside it.
pub(super) fn look(heard: &Heard<'_>, exact: Answer) -> Answer {
    let mut hits = hits(heard);
    hits.retain(|hit| {
        let counts = hit.restraint > Restraint::Allow && hit.restraint > exact.restraint;
        counts || (hit.stop && exact.effects.stop.is_none())
    });
    // Of equal hits the first, in the order of the text.
    let strongest = hits.into_iter().rev().max_by_key(Hit::weight);
    let Some(mut hit) = strongest else { return passed_over(heard, exact) };
    circumstances(heard, &mut hit, &exact);
    let stop = hit.stop.then(|| Stop { reason: hit.reason.clone() });
    let (restraint, reason) = if hit.restraint > exact.restraint {
        (hit.restraint, hit.reason)
    } else {
        (exact.restraint, exact.reason.clone())
    };
    let mut answer = Answer { restraint, reason, slips: hit.slips, ..Answer::default() };
    answer.effects.stop = stop.or_else(|| exact.effects.stop.clone());
    answer.remarks.clone_from(&exact.remarks);
    if restraint < Restraint::Deny {
        // A policy that blocks outranks a question that slipped.
        answer.failure.clone_from(&exact.failure);
    }
    answer.plain = Some(Box::new(exact));
    answer
}

/// An answer whose form slipped and that restrains nothing is what the agent says it is; a person should hear of it.
fn passed_over(heard: &Heard<'_>, exact: Answer) -> Answer {
    if !may_be_answer(heard) || exact.restraint > Restraint::Allow {
        return exact;
    }
    let is_answer = |object: &Object| object.fields.keys().any(|key| is_in(ANSWER_KEYS, key));
    if !heard.reading.objects().iter().any(is_answer) {
        return exact;
    }
    let slips: Vec<_> = heard.reading.deviations.iter().map(slip_of).collect();
    if slips.is_empty() {
        return exact;
    }
    Answer {
        slips,
        remarks: exact.remarks.clone(),
        plain: Some(Box::new(exact)),
        ..Answer::default()
    }
}

/// Where plain stdout is context, text that does not begin like an object is never an answer.
fn may_be_answer(heard: &Heard<'_>) -> bool {
    heard.spec.plain != Plain::Context || heard.reading.begins_with_brace()
}

fn hits(heard: &Heard<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if *heard.end == End::Exited(2) && heard.spec.exit2 == Exit2::Unheard && heard.can(Power::Deny)
    {
        let mut hit =
            Hit { restraint: Restraint::Deny, reason: Some(heard.objection()), ..Hit::default() };
        hit.slip(
            SlipKind::WrongExit,
            format!("exit code 2 does nothing on `{}`", heard.event.name),
        );
        hits.push(hit);
    }
    if may_be_answer(heard) {
        for object in heard.reading.objects() {
            for fields in object.readings() {
                hits.extend(search::decisions(heard, fields));
            }
        }
        hits.extend(torn(heard));
    }
    if heard.reading.found == Found::Empty {
        hits.extend(on_stderr(heard));
    }
    hits
}

/// An object that cannot be read: its complete pairs tell.
fn torn(heard: &Heard<'_>) -> Option<Hit> {
    let pairs = heard.reading.pairs();
    let strongest = pairs
        .iter()
        .filter(|(key, _)| is_in(DECISION_KEYS, key))
        .filter_map(|(_, value)| value.as_str().map(|word| restraint(word).0))
        .filter(|restraint| heard.can(power(*restraint)))
        .max()
        .unwrap_or_default();
    let stop = heard.can(Power::Stop)
        && pairs.iter().any(|(key, value)| plain_key(key) == "continue" && says_no(value));
    if strongest <= Restraint::Allow && !stop {
        return None;
    }
    let reason = |wanted: &&str| {
        let found = pairs.iter().find(|(key, _)| plain_key(key) == *wanted)?;
        found.1.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Some(Hit {
        restraint: strongest,
        stop,
        reason: REASON_KEYS.iter().find_map(reason),
        slips: Vec::new(),
    })
}

/// One object alone on stderr, with nothing on stdout.
fn on_stderr(heard: &Heard<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if !heard.stderr.starts_with('{') {
        return hits;
    }
    let reading = strict::read(heard.stderr.as_bytes());
    if let (Found::Object(object), []) = (&reading.found, reading.deviations.as_slice()) {
        hits = search::decisions(heard, &object.fields);
    }
    for hit in &mut hits {
        hit.slip(SlipKind::OnStderr, "the answer stands on stderr, and stdout is empty");
    }
    hits
}

/// Adds what slipped round the decision: the form of the text, and how the hook ended.
fn circumstances(heard: &Heard<'_>, hit: &mut Hit, exact: &Answer) {
    let on_stderr = hit.slips.iter().any(|slip| slip.kind == SlipKind::OnStderr);
    if !on_stderr && hit.slips.iter().all(|slip| slip.kind != SlipKind::WrongExit) {
        for deviation in &heard.reading.deviations {
            let slip = slip_of(deviation);
            hit.slip(slip.kind, slip.detail);
        }
    }
    if heard.truncated {
        hit.slip(SlipKind::Torn, "more output came than is read");
    }
    let ended = match heard.end {
        End::Signalled(signal) => Some(format!("it said no, and then signal {signal} ended it")),
        End::TimedOut => Some("it said no, and then ran out of time".to_owned()),
        End::Cancelled => Some("it said no, and then was cancelled".to_owned()),
        End::NotStarted { .. } | End::Exited(_) => None,
    };
    if let Some(detail) = ended {
        hit.slip(SlipKind::WrongExit, detail);
    }
    if hit.slips.is_empty() {
        // The decision itself is right, so something beside it made the agent reject the answer.
        let (kind, detail) = match &exact.failure {
            Some(Failure { message, .. }) => (SlipKind::WrongType, message.clone()),
            None => {
                (SlipKind::MisplacedDecision, "another field of the answer hides it".to_owned())
            }
        };
        hit.slip(kind, detail);
    }
}

fn slip_of(deviation: &Deviation) -> Slip {
    Slip { kind: deviation.into(), detail: deviation.to_string() }
}
