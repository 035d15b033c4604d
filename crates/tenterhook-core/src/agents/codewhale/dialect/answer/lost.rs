//! What the agent loses: denials that slipped (CW-67), and answers of gates that it takes for consent because it cannot
//! read them (CW-68). Whoever follows the agent exactly gets its own reading, which stands in `plain`.

use super::{Class, Heard, fields};
use crate::answer::{Answer, Failure, Restraint, Slip, SlipKind};
use crate::dialect::kit::denial::{self, Hearing, Home, Protocol};
use crate::report::End;
use crate::strict::Found;

/// What holds on every event.
const PROTOCOL: Protocol = Protocol::PLAIN;

/// The agent's own reading, or what it lost with that reading beside it.
pub(super) fn look(heard: &Heard<'_>, exact: Answer) -> Answer {
    if exact.restraint == Restraint::Deny && heard.report.end == End::Exited(super::BLOCKS) {
        return exact;
    }
    let found = denial::look(&hearing(heard), exact.clone());
    if found.restraint > exact.restraint {
        return found;
    }
    Answer { unclear: found.unclear, ..unanswered(heard, exact) }
}

fn hearing<'a>(heard: &'a Heard<'_>) -> Hearing<'a> {
    let home = || Home { path: vec!["decision"], words: fields::WORDS };
    let Heard { row, report, reading, stderr, .. } = heard;
    let homes = (heard.class == Class::Gate).then(home).into_iter().collect();
    Hearing { homes, ..Hearing::new(row, report, reading, stderr, &PROTOCOL) }
}

/// Puts the agent's own reading beside an answer; what there was to remark is remarked once.
fn beside(mut answer: Answer, mut exact: Answer) -> Answer {
    answer.remarks.append(&mut exact.remarks);
    answer.plain = Some(Box::new(exact));
    answer
}

/// Where a gate said something that nobody can read, the agent goes on; here it did not answer (CW-68).
fn unanswered(heard: &Heard<'_>, mut exact: Answer) -> Answer {
    let mut slips: Vec<Slip> = Vec::new();
    if exact.failure.is_some() {
        return exact;
    }
    let failure = if let Some(failure) = heard.ended() {
        slips.push(Slip { kind: SlipKind::Torn, detail: String::new() });
        Some(failure)
    } else if let Some(invalid) = exact.remarks.iter().find(|remark| remark.code == fields::INVALID)
    {
        slips.push(Slip { kind: SlipKind::WrongType, detail: invalid.message.clone() });
        Some(invalid.clone())
    } else if heard.object().is_none() && looks_meant(heard) {
        slips.extend(
            heard
                .reading
                .deviations
                .iter()
                .map(|deviation| Slip { kind: deviation.into(), detail: deviation.to_string() }),
        );
        let why = slips.first().map_or("it is not a JSON object", |slip| slip.detail.as_str());
        let message = format!("its answer cannot be read: {why}");
        if slips.is_empty() {
            slips.push(Slip {
                kind: SlipKind::Wrapped,
                detail: "no JSON object was printed".to_owned(),
            });
        }
        Some(Failure::new(fields::UNREADABLE, message))
    } else {
        heard.failed_code().inspect(|failure| {
            slips.push(Slip { kind: SlipKind::WrongExit, detail: failure.message.clone() });
        })
    };
    if slips.is_empty() {
        return exact;
    }
    // What became a slip and a failure is not remarked as well.
    exact.remarks.retain(|remark| !matches!(remark.code, fields::INVALID | fields::UNREADABLE));
    let restraint = exact.restraint;
    let reason = exact.reason.clone();
    beside(Answer { restraint, reason, slips, failure, ..Answer::default() }, exact)
}

/// Whether what was printed was meant as an answer. On `message_submit` plain text is none and means nothing (CW-S5); a
/// gate that prints text gave no verdict.
fn looks_meant(heard: &Heard<'_>) -> bool {
    let keys = if heard.class == Class::Gate { fields::GATE } else { fields::SUBMIT };
    let own = |key: &str| keys.iter().any(|text| denial::plain_key(text) == denial::plain_key(key));
    match &heard.reading.found {
        Found::Empty => false,
        Found::Text => heard.class == Class::Gate,
        Found::Object(object) => object.fields.keys().any(|key| own(key)),
        Found::Several(objects) => {
            objects.iter().any(|object| object.fields.keys().any(|key| own(key)))
                || heard.class == Class::Gate
        }
        Found::Pairs(pairs) => {
            heard.reading.begins_with_brace() || pairs.iter().any(|(key, _)| own(key))
        }
    }
}
