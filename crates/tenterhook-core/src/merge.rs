//! Folds the verdicts of many hooks into one outcome.
//!
//! Pure: no clock, no I/O, no order of completion. Implements `docs/spec/merging.md` (M-).

use crate::answer::{Effects, Restraint};
use crate::diagnostic::Code;
use crate::outcome::{Fault, Outcome};
use crate::verdict::Verdict;

#[cfg(test)]
mod tests;

/// Merges `verdicts`, in configured order, into one outcome. Its `steps` stay empty; the record
/// adds them.
pub fn merge_verdicts(verdicts: Vec<Verdict>) -> Outcome {
    let restraint = verdicts.iter().map(|verdict| verdict.restraint).max();
    let restraint = restraint.unwrap_or(Restraint::Silent);
    let mut outcome = Outcome { restraint, ..Outcome::without_answer() };
    for verdict in verdicts {
        // The reasons come from the hooks with the strongest restraint (M-2). If that is a denial,
        // the other hooks add their `if_denied` (M-12).
        if verdict.restraint == restraint && restraint != Restraint::Silent {
            outcome.reasons.extend(verdict.reason);
        } else if restraint == Restraint::Deny {
            outcome.reasons.extend(verdict.if_denied);
        }
        outcome.faults.extend(verdict.faults);
        merge_effects(&mut outcome.effects, verdict.effects, &mut outcome.faults);
    }
    // A denied action has nothing left to rewrite (M-4). A rewritten output stays:
    // the tool has already run, and a denial must not overrule a hook that removed a secret from
    // its output.
    if restraint == Restraint::Deny {
        outcome.effects.updated_input = None;
        outcome.effects.updated_prompt = None;
    }
    // A permission update is consent for the future: it falls with the consent that it came with (M-9).
    if restraint > Restraint::Allow && !outcome.effects.updated_permissions.is_empty() {
        outcome.effects.updated_permissions.clear();
        outcome.faults.push(Fault {
            code: Code::PermissionsOverruled,
            hook: None,
            message: "permission updates were dropped, because another hook restrains the action"
                .to_owned(),
        });
    }
    outcome
}

/// Adds the effects of the next verdict in configured order. Lists grow; of single values, the last
/// one applies (M-3). Two different rewrites are reported as a fault, because neither hook saw the
/// other.
pub fn merge_effects(into: &mut Effects, from: Effects, faults: &mut Vec<Fault>) {
    replace_and_report_conflict(
        &mut into.updated_input,
        from.updated_input,
        "updated_input",
        faults,
    );
    replace_and_report_conflict(
        &mut into.updated_prompt,
        from.updated_prompt,
        "updated_prompt",
        faults,
    );
    replace_and_report_conflict(
        &mut into.updated_output,
        from.updated_output,
        "updated_output",
        faults,
    );
    into.context.extend(from.context);
    into.messages.extend(from.messages);
    // The first hook that stops is the one that is quoted (M-5).
    into.stop = into.stop.take().or(from.stop);
    into.updated_permissions.extend(from.updated_permissions);
    // Hooks that watch different things do not know of each other: all are watched (M-3).
    into.watch_paths = match (into.watch_paths.take(), from.watch_paths) {
        (Some(mut all), Some(more)) => {
            all.extend(more);
            Some(all)
        }
        (all, more) => all.or(more),
    };
    replace_and_report_conflict(
        &mut into.initial_user_message,
        from.initial_user_message,
        "initial_user_message",
        faults,
    );
    // A retry is allowed if one hook allows it: no retry is the default, so `false` adds nothing
    // (M-6).
    into.retry = match (into.retry, from.retry) {
        (Some(a), Some(b)) => Some(a || b),
        (a, b) => a.or(b),
    };
    into.env.extend(from.env);
    into.extra.extend(from.extra);
    into.marks.extend(from.marks);
}

fn replace_and_report_conflict<T: PartialEq>(
    into: &mut Option<T>,
    from: Option<T>,
    key: &str,
    faults: &mut Vec<Fault>,
) {
    let Some(new) = from else { return };
    if into.as_ref().is_some_and(|old| *old != new) {
        faults.push(Fault {
            code: Code::RewriteConflict,
            hook: None,
            message: format!(
                "several hooks gave different `{key}`; the last in configured order stands"
            ),
        });
    }
    *into = Some(new);
}
