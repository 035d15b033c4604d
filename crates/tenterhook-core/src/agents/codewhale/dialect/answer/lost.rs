//! Finds what the agent loses: malformed denials (CW-67), and answers of gates that it cannot read
//! and therefore treats as consent (CW-68). `plain` keeps the agent's reading for exact verdicts.
//! Judges nothing.

use super::{Class, ParsedReport, fields};
use crate::answer::{Answer, Failure, Restraint, Slip, SlipKind};
use crate::dialect::kit::denial::{self, Hearing, Home, Protocol};
use crate::report::End;
use crate::strict::Found;

/// The protocol, the same on every event.
const PROTOCOL: Protocol = Protocol::PLAIN;

/// Looks for a denial that the agent loses. Returns the exact answer, or the recovered one with the
/// exact one beside it.
pub(super) fn recover_denial(parsed: &ParsedReport<'_>, exact: Answer) -> Answer {
    if exact.restraint == Restraint::Deny && parsed.report.end == End::Exited(super::BLOCKS) {
        return denial::recover_denial(&denial_search_input(parsed), exact);
    }
    let found = denial::recover_denial(&denial_search_input(parsed), exact.clone());
    if found.restraint > exact.restraint {
        return found;
    }
    Answer { unclear: found.unclear, ..answer_of_unreadable_gate(parsed, exact) }
}

fn denial_search_input<'a>(parsed: &'a ParsedReport<'_>) -> Hearing<'a> {
    let home = || Home { path: vec!["decision"], words: fields::WORDS };
    let ParsedReport { row, report, reading, stderr, .. } = parsed;
    let homes = (parsed.class == Class::Gate).then(home).into_iter().collect();
    Hearing { homes, ..Hearing::for_report(row, report, reading, stderr, &PROTOCOL) }
}

/// Stores the agent's reading in `answer`; its remarks move to `answer`.
fn with_exact_answer(mut answer: Answer, mut exact: Answer) -> Answer {
    answer.remarks.append(&mut exact.remarks);
    answer.plain = Some(Box::new(exact));
    answer
}

/// Returns the answer of a gate whose output cannot be read. The agent continues; Tenterhook treats
/// the gate as having given no answer, so its failure policy decides (CW-68).
fn answer_of_unreadable_gate(parsed: &ParsedReport<'_>, mut exact: Answer) -> Answer {
    let mut slips: Vec<Slip> = Vec::new();
    if exact.failure.is_some() {
        return exact;
    }
    let failure = if let Some(failure) = parsed.killed_or_cut_failure() {
        slips.push(Slip { kind: SlipKind::Torn, detail: String::new() });
        Some(failure)
    } else if let Some(invalid) = exact.remarks.iter().find(|remark| remark.code == fields::INVALID)
    {
        slips.push(Slip { kind: SlipKind::WrongType, detail: invalid.message.clone() });
        Some(invalid.clone())
    } else if parsed.answer_object().is_none() && looks_like_answer(parsed) {
        slips.extend(
            parsed
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
        parsed.exit_code_failure().inspect(|failure| {
            slips.push(Slip { kind: SlipKind::WrongExit, detail: failure.message.clone() });
        })
    };
    if slips.is_empty() {
        return exact;
    }
    // A remark that became a slip and a failure is not repeated.
    exact.remarks.retain(|remark| !matches!(remark.code, fields::INVALID | fields::UNREADABLE));
    let restraint = exact.restraint;
    let reason = exact.reason.clone();
    with_exact_answer(Answer { restraint, reason, slips, failure, ..Answer::default() }, exact)
}

/// Whether the output was meant as an answer. Plain text has no meaning on `message_submit`
/// (CW-S5), but a gate that prints plain text meant to answer.
fn looks_like_answer(parsed: &ParsedReport<'_>) -> bool {
    let keys = if parsed.class == Class::Gate { fields::GATE } else { fields::SUBMIT };
    let own = |key: &str| {
        keys.iter().any(|text| denial::normalize_key(text) == denial::normalize_key(key))
    };
    match &parsed.reading.found {
        Found::Empty => false,
        Found::Text => parsed.class == Class::Gate,
        Found::Object(object) => object.fields.keys().any(|key| own(key)),
        Found::Several(objects) => {
            objects.iter().any(|object| object.fields.keys().any(|key| own(key)))
                || parsed.class == Class::Gate
        }
        Found::Pairs(pairs) => {
            parsed.reading.begins_with_brace() || pairs.iter().any(|(key, _)| own(key))
        }
    }
}
