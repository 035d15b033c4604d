//! What the agent loses: denials that slipped (CW-67), and answers of gates that it takes for consent because it cannot
//! read them (CW-68). Whoever follows the agent exactly gets its own reading, which stands in `plain`.

use serde_json::Value;

use super::{Class, Heard, fields};
use crate::answer::{Answer, Failure, Power, Restraint, Slip, SlipKind};
use crate::dialect::objection::{self, Halt, Objection, Protocol};
use crate::dialect::words;
use crate::report::End;
use crate::strict::{self, Found, Object, Reading};

const SUBMIT: Protocol =
    Protocol { decisions: &[], keys: || fields::SUBMIT.to_vec(), halt: Halt::Denies };
const GATE: Protocol =
    Protocol { decisions: fields::DECISIONS, keys: || fields::GATE.to_vec(), halt: Halt::Denies };

/// The agent's own reading, or what it lost with that reading beside it.
pub(super) fn look(heard: &Heard<'_>, exact: Answer) -> Answer {
    if exact.restraint == Restraint::Deny && heard.report.end == End::Exited(super::BLOCKS) {
        return exact;
    }
    let denial = denial(heard).map(|it| permitted(heard, it));
    match denial.filter(|it| it.restraint > exact.restraint) {
        Some(denial) => restrained(heard, denial, exact),
        None => unanswered(heard, exact),
    }
}

/// A denial that the agent does not see, with its slips.
fn restrained(heard: &Heard<'_>, denial: Answer, exact: Answer) -> Answer {
    let mut answer = denial;
    if heard.report.end != End::Exited(0) {
        answer = answer.slipped(SlipKind::WrongExit, how_it_ended(heard));
    }
    if answer.restraint < Restraint::Deny {
        // A policy that blocks outranks a question that slipped.
        answer.failure.clone_from(&exact.failure);
    }
    beside(answer, exact)
}

/// Puts the agent's own reading beside an answer; what there was to remark is remarked once.
fn beside(mut answer: Answer, mut exact: Answer) -> Answer {
    answer.remarks.append(&mut exact.remarks);
    answer.plain = Some(Box::new(exact));
    answer
}

fn how_it_ended(heard: &Heard<'_>) -> String {
    match &heard.report.end {
        End::Exited(code) => format!("a denial with exit code {code}"),
        End::TimedOut => "a denial before its time was up".to_owned(),
        _ => "a denial before it was ended".to_owned(),
    }
}

/// What the event cannot do as asked, it does as a denial: doubt is restraint.
fn permitted(heard: &Heard<'_>, mut denial: Answer) -> Answer {
    let power = match denial.restraint {
        Restraint::Ask => Power::Ask,
        Restraint::Defer => Power::Defer,
        Restraint::Silent | Restraint::Allow | Restraint::Deny => return denial,
    };
    if !heard.row.powers.has(power) {
        denial.restraint = Restraint::Deny;
    }
    denial
}

/// The strongest denial in what was printed, wherever it stands.
fn denial(heard: &Heard<'_>) -> Option<Answer> {
    let protocol = if heard.class == Class::Gate { &GATE } else { &SUBMIT };
    let reading = &heard.reading;
    if let Some(found) = search(protocol, reading) {
        return Some(found.into_answer(&reading.deviations));
    }
    if let (Found::Text, Class::Gate) = (&reading.found, heard.class) {
        return bare_word(&reading.text);
    }
    let on_stderr = strict::read(heard.stderr.as_bytes());
    let whole = reading.found == Found::Empty && on_stderr.strict().is_some();
    let found = search(protocol, &on_stderr).filter(|_| whole)?;
    Some(found.into_answer(&[]).slipped(SlipKind::OnStderr, "the answer is on stderr"))
}

fn search(protocol: &Protocol, reading: &Reading) -> Option<Objection> {
    let object =
        |(key, value): &(String, Value)| [(key.clone(), value.clone())].into_iter().collect();
    reading
        .objects()
        .iter()
        .flat_map(Object::readings)
        .filter_map(|it| objection::find(protocol, it))
        .chain(reading.pairs().iter().filter_map(|pair| objection::find(protocol, &object(pair))))
        .fold(None, Objection::stronger)
        .map(|it| it.with_words_of(&reading.pairs().iter().cloned().collect()))
}

/// A gate that prints `deny` and nothing else means it.
fn bare_word(text: &str) -> Option<Answer> {
    let restraint = words::restraint(text.trim());
    (restraint > Restraint::Allow).then(|| {
        let detail = format!("`{}` stands alone", text.trim());
        Answer { restraint, ..Answer::default() }.slipped(SlipKind::Wrapped, detail)
    })
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
    } else if let Some(invalid) = exact.remarks.iter().find(|it| it.code == fields::INVALID) {
        slips.push(Slip { kind: SlipKind::WrongType, detail: invalid.message.clone() });
        Some(invalid.clone())
    } else if heard.object().is_none() && looks_meant(heard) {
        slips.extend(
            heard
                .reading
                .deviations
                .iter()
                .map(|it| Slip { kind: it.into(), detail: it.to_string() }),
        );
        let why = slips.first().map_or("it is no JSON object", |it| it.detail.as_str());
        let message = format!("its answer cannot be read: {why}");
        if slips.is_empty() {
            slips.push(Slip {
                kind: SlipKind::Wrapped,
                detail: "no JSON object was printed".to_owned(),
            });
        }
        Some(Failure { code: fields::UNREADABLE, message })
    } else {
        heard.failed_code().inspect(|failure| {
            slips.push(Slip { kind: SlipKind::WrongExit, detail: failure.message.clone() });
        })
    };
    if slips.is_empty() {
        return exact;
    }
    // What became a slip and a failure is not remarked as well.
    exact.remarks.retain(|it| !matches!(it.code, fields::INVALID | fields::UNREADABLE));
    let restraint = exact.restraint;
    let reason = exact.reason.clone();
    beside(Answer { restraint, reason, slips, failure, ..Answer::default() }, exact)
}

/// Whether what was printed was meant as an answer. On `message_submit` plain text is none and means nothing (CW-S5); a
/// gate that prints text gave no verdict.
fn looks_meant(heard: &Heard<'_>) -> bool {
    let keys = if heard.class == Class::Gate { fields::GATE } else { fields::SUBMIT };
    let own = |key: &str| keys.iter().any(|it| words::plain_key(it) == words::plain_key(key));
    match &heard.reading.found {
        Found::Empty => false,
        Found::Text => heard.class == Class::Gate,
        Found::Object(object) => object.fields.keys().any(|it| own(it)),
        Found::Several(objects) => {
            objects.iter().any(|it| it.fields.keys().any(|key| own(key)))
                || heard.class == Class::Gate
        }
        Found::Pairs(pairs) => {
            heard.reading.begins_with_brace() || pairs.iter().any(|(key, _)| own(key))
        }
    }
}
