//! Chooses the reason of a denial by exit code: that of an object in the output, else the agent's
//! own. Finds no denial.

use super::{Answer, End, Hearing, Hit, Restraint, Slip, SlipKind, reason};
use crate::strict::{self, Found, Reading};

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
        None => (reason_without_decision(hearing)?, Vec::new()),
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
    if slips.is_empty() && hearing.reading.found == Found::Text {
        slips.push(super::hidden_decision_slip(hearing, exact));
    }
    slips
}

/// Returns the reason in an object without a decision: the whole of stderr, or of stdout if stderr
/// is empty.
fn reason_without_decision(hearing: &Hearing<'_>) -> Option<String> {
    let reason_in = |reading: &Reading| {
        let object = reading.as_lenient_object()?;
        let error = || object.get("error").and_then(serde_json::Value::as_str).map(str::to_owned);
        reason::reason_of_object(object).or_else(error)
    };
    if hearing.stderr.is_empty() {
        return reason_in(hearing.reading);
    }
    hearing
        .stderr
        .starts_with('{')
        .then(|| strict::read_output(hearing.stderr.as_bytes()))
        .and_then(|reading| reason_in(&reading))
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
