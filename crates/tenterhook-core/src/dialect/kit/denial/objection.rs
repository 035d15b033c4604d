//! Chooses the reason of a denial by exit code: that of an object in the output, else the agent's
//! own. Finds no denial.

use super::{Answer, End, Hearing, Hit, Restraint, Slip, SlipKind, Value, reason, shapes};
use crate::strict::Found;

/// Returns `true` if the agent reads a nonzero exit code as a denial.
pub(super) fn is_denial_by_exit_code(hearing: &Hearing<'_>, exact: &Answer) -> bool {
    let fails = matches!(hearing.end, End::Exited(code) if *code != 0);
    fails && exact.restraint == Restraint::Deny
}

/// Returns the agent's reading with the reason that an object in the output gives, if the agent
/// denies by exit code and did not read that object. What the agent overlooks in the object is a
/// remark; the agent's own reading is kept for sources that follow it exactly.
pub(super) fn with_reason_of_object(
    hearing: &Hearing<'_>,
    hits: &[Hit],
    exact: &Answer,
) -> Option<Answer> {
    if !is_denial_by_exit_code(hearing, exact) {
        return None;
    }
    let is_reasoned = |hit: &&Hit| hit.restraint > Restraint::Allow && hit.reason.is_some();
    let mut reasoned = hits.iter().filter(is_reasoned);
    if reasoned.clone().any(|hit| hit.reason == exact.reason) {
        return None;
    }
    let (reason, slips) = match reasoned.next() {
        Some(hit) => (hit.reason.clone()?, slips_of_hit(hearing, hit, exact)),
        None => (text_with_reasons_for_objects(hearing)?, Vec::new()),
    };
    let mut answer = Answer { reason: Some(reason.clone()), ..exact.clone() };
    if answer.effects.updated_output.is_some() {
        answer.effects.updated_output = Some(reason.into());
    }
    answer.remarks.extend(slips.iter().map(Slip::to_failure));
    answer.plain = Some(Box::new(exact.clone()));
    Some(answer)
}

/// Returns everything that makes the agent overlook a denying object.
fn slips_of_hit(hearing: &Hearing<'_>, hit: &Hit, exact: &Answer) -> Vec<Slip> {
    let mut slips = hit.slips.clone();
    if !hit.on_stderr {
        slips.extend(hearing.reading.deviations.iter().map(super::slip_from_deviation));
    }
    match hearing.end {
        _ if !slips.is_empty() => {}
        _ if hearing.reading.found == Found::Text => {
            slips.push(super::hidden_decision_slip(hearing, exact));
        }
        End::Exited(code) if !hearing.protocol.any_exit => {
            let detail = format!("the agent does not read the object at exit code {code}");
            slips.push(Slip { kind: SlipKind::WrongExit, detail });
        }
        _ => {}
    }
    slips
}

/// Returns the text on stderr, or on stdout if stderr is empty, with each object on its own lines
/// replaced by the reason that it gives; `None` if there is no such object.
fn text_with_reasons_for_objects(hearing: &Hearing<'_>) -> Option<String> {
    let text = if hearing.stderr.is_empty() { hearing.reading.text.trim() } else { hearing.stderr };
    shapes::replace_objects(text, |object| {
        let error = || object.get("error").and_then(Value::as_str).map(str::to_owned);
        reason::reason_of_object(object).or_else(error)
    })
}

/// Drops the ignored objection of an exit code if an object gives the reason, because the fault of
/// the object says what to write.
pub(super) fn drop_superseded_objection(hits: &mut Vec<Hit>) {
    let is_code = |hit: &Hit| hit.slips.iter().any(|slip| slip.kind == SlipKind::WrongExit);
    let is_reasoned = |hit: &Hit| hit.restraint == Restraint::Deny && hit.reason.is_some();
    if hits.first().is_some_and(is_code) && hits.iter().skip(1).any(is_reasoned) {
        hits.remove(0);
        hits.retain(|hit| hit.restraint != Restraint::Deny || hit.reason.is_some());
    }
}
