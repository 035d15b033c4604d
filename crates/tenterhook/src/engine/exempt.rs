//! Lets a denied call of an agent pass if the user granted it a one-time permission, and otherwise
//! adds to the reason which commands explain and allow it (BR-125). Runs no hook and records
//! nothing.

use std::sync::Arc;

use crate::exemptions::{self, Exemptions};
use tenterhook_core::answer::{Exemption, Lifted, Restraint};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Event;
use tenterhook_core::hook::{Hook, Layer};
use tenterhook_core::outcome::Outcome;

/// Applies the user's exemptions to the outcome of an event. `hooks` are those of its steps.
pub(super) fn apply_exemptions(
    mut outcome: Outcome,
    hooks: &[Arc<Hook>],
    event: &Event,
    exemptions: Option<&Exemptions>,
) -> Outcome {
    let is_call =
        event.tool().is_some() && DialectId::NATIVE.may_precede_effect(event.name.as_str());
    let Some(exemptions) = exemptions.filter(|_| is_call && outcome.restraint == Restraint::Deny)
    else {
        return outcome;
    };
    let steps = || outcome.steps.iter().zip(hooks);
    let denying = || steps().filter(|(step, _)| step.verdict == Restraint::Deny);
    // Without a calling agent, a person reads the outcome, and needs no exemption. No user can lift
    // a denial of a managed hook. A built-in rule has already looked for an exemption (SP-21).
    let mut layers = denying().map(|(_, hook)| (hook.caller, hook.layer)).peekable();
    let is_for_user = layers.peek().is_some()
        && layers.all(|(caller, layer)| {
            caller.is_some() && !matches!(layer, Layer::Managed | Layer::BuiltIn)
        });
    if !is_for_user {
        return add_explain_command(outcome, hooks, event);
    }
    // If a built-in rule has already used the user's permission for this call, the permission also
    // covers the denials of the other hooks.
    let is_used_up = steps().any(|(step, _)| step.exemption == Some(Exemption::AllowedOnce));
    let asked = match is_used_up {
        true => Lifted::Yes(Exemption::AllowedOnce),
        false => exemptions.use_exemption(event, false),
    };
    match asked {
        Lifted::Yes(exemption) => {
            let denying = outcome.steps.iter_mut().filter(|step| step.verdict == Restraint::Deny);
            denying.for_each(|step| step.exemption = Some(exemption));
            outcome.restraint = Restraint::Silent;
            outcome.reasons.clear();
            outcome.effects.messages.push(format!("this call passes: {exemption}"));
        }
        Lifted::No(remedy) => add_commands(&mut outcome, event, &remedy),
    }
    outcome
}

/// Adds the command that explains a denial by the organisation, which no user can lift, to the
/// outcome.
fn add_explain_command(mut outcome: Outcome, hooks: &[Arc<Hook>], event: &Event) -> Outcome {
    let mut layers = outcome.steps.iter().zip(hooks).filter_map(|(step, hook)| {
        let denies = step.verdict == Restraint::Deny && hook.caller.is_some();
        denies.then_some(hook.layer)
    });
    if layers.any(|layer| layer == Layer::Managed) {
        let line = exemptions::explain_line(event);
        add_commands(&mut outcome, event, &line);
    }
    outcome
}

/// Adds the commands to the reasons: the one that explains the denial to the first line, and all of
/// them in a line at the end.
fn add_commands(outcome: &mut Outcome, event: &Event, line: &str) {
    let code = exemptions::exemption_code_of_call(event);
    if let Some(reason) = outcome.reasons.first_mut() {
        reason.text = exemptions::with_explain_command(&reason.text, &code);
    }
    if let Some(reason) = outcome.reasons.last_mut() {
        reason.text = format!("{}\n{line}", reason.text);
    }
}
