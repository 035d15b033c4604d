//! What of an answer does the event permit? The rest goes, with a fault for each; trust is not decided here.

use super::{JudgeContext, When};
use crate::answer::{Answer, Effects, Power, Powers, Restraint};
use crate::diagnostic::Code;
use crate::hook::{Phase, Wait};
use crate::outcome::Fault;

/// What an answer may still do whose event is over.
pub(super) const LATE: Powers = Powers::from_slice(&[
    Power::Context,
    Power::Message,
    Power::Watch,
    Power::InitialMessage,
    Power::Env,
]);

/// Drops what the event does not permit, with a fault for each, and what comes too late for
/// it.
pub(super) fn drop_unpermitted_effects(
    judge_context: JudgeContext<'_>,
    when: When,
    answer: &mut Answer,
    faults: &mut Vec<Fault>,
) {
    let hook = judge_context.hook;
    let powers = match (when, hook.wait) {
        (When::InTime, _) => judge_context.row.powers,
        (When::Late, Wait::Rewake) => judge_context.row.powers.both(LATE.with(Power::Deny)),
        (When::Late, Wait::Attached | Wait::Detached) => judge_context.row.powers.both(LATE),
    };
    if when == When::Late && hook.dialect.dialect().discards_effects(hook.wait) {
        drop_late_effects(&mut answer.effects);
    }
    let mut refuse = |power: Power| {
        let (code, message) = if powers == judge_context.row.powers
            || !judge_context.row.powers.has(power)
        {
            let (event, word) = (&judge_context.row.name, power.as_str());
            let message =
                format!("`{event}` does not honour `{word}` from this hook; it was ignored");
            (Code::NotHonoured, message)
        } else {
            (
                Code::TooLate,
                format!("its `{}` came when the event was over; it was ignored", power.as_str()),
            )
        };
        faults.push(Fault::new(&hook.id, code, message));
    };
    if let Some(power) = power_for_restraint(answer.restraint)
        && (hook.phase == Phase::Observe || !powers.has(power))
    {
        // Consent to what has happened already is no loss.
        if power != Power::Allow || when == When::InTime {
            refuse(power);
        }
        // The words of an objection that cannot block still reach the user.
        if answer.restraint > Restraint::Allow {
            answer.effects.messages.extend(answer.reason.take());
        }
        answer.restraint = Restraint::Silent;
        answer.reason = None;
    }
    drop_unpermitted_fields(powers, &mut answer.effects, &mut refuse);
}

/// Drops, without a fault, what a late answer could still add (G-43).
fn drop_late_effects(effects: &mut Effects) {
    effects.context.clear();
    effects.messages.clear();
    effects.watch_paths = None;
    effects.initial_user_message = None;
    effects.env.clear();
}

const fn power_for_restraint(restraint: Restraint) -> Option<Power> {
    match restraint {
        Restraint::Silent => None,
        Restraint::Allow => Some(Power::Allow),
        Restraint::Ask => Some(Power::Ask),
        Restraint::Defer => Some(Power::Defer),
        Restraint::Deny => Some(Power::Deny),
    }
}

fn drop_unpermitted_fields(powers: Powers, effects: &mut Effects, refuse: &mut impl FnMut(Power)) {
    let mut strip = |power: Power, given: bool| {
        let refused = given && !powers.has(power);
        if refused {
            refuse(power);
        }
        refused
    };
    if strip(Power::Input, effects.updated_input.is_some()) {
        effects.updated_input = None;
    }
    if strip(Power::Prompt, effects.updated_prompt.is_some()) {
        effects.updated_prompt = None;
    }
    if strip(Power::Output, effects.updated_output.is_some()) {
        effects.updated_output = None;
    }
    if strip(Power::Context, !effects.context.is_empty()) {
        effects.context.clear();
    }
    if strip(Power::Message, !effects.messages.is_empty()) {
        effects.messages.clear();
    }
    if strip(Power::Stop, effects.stop.is_some()) {
        effects.stop = None;
    }
    if strip(Power::Permissions, !effects.updated_permissions.is_empty()) {
        effects.updated_permissions.clear();
    }
    if strip(Power::Watch, effects.watch_paths.is_some()) {
        effects.watch_paths = None;
    }
    if strip(Power::InitialMessage, effects.initial_user_message.is_some()) {
        effects.initial_user_message = None;
    }
    if strip(Power::Retry, effects.retry.is_some()) {
        effects.retry = None;
    }
    if strip(Power::Env, !effects.env.is_empty()) {
        effects.env.clear();
    }
}
