//! Can a user switch off the hooks that an agent's managed entries are, and what is left open then? Reads files; changes none.

use tenterhook_core::agents::{Agent, Pin, Scope};
use tenterhook_core::install::find_hook_switch;

use super::Found;
use crate::ambient::Here;
use crate::command::install::switches::is_pinned_by_hand;

/// Returns whether the setting is there that keeps users from switching the managed entries off
/// (BR-163). `None` if there are no managed entries, or if they need no such setting.
pub(super) fn is_pinned(agent: &Agent, found: &[Found], here: &Here) -> Option<bool> {
    let managed = managed_file(found)?;
    match agent.installation.protection.pin {
        Pin::Missing | Pin::Agent(_) => None,
        Pin::ByHand(_) => Some(is_pinned_by_hand(agent, here)),
        Pin::Settings(_) => {
            let switch = find_hook_switch(agent, agent.installation.switches, &managed.text);
            Some(switch.is_some_and(|switch| !switch.off))
        }
    }
}

/// Describes what the organisation has to do if the setting is missing.
pub(super) fn missing_pin_message(agent: &Agent) -> String {
    match agent.installation.protection.pin {
        Pin::ByHand(pin) => format!("a user can switch these hooks off, unless you write {pin}"),
        _ => format!(
            "a user can switch these hooks off: run `tenterhook install {} --scope managed` again",
            agent.name
        ),
    }
}

/// Returns the actions that run without hooks here, without those that a pin or the managed entries
/// close.
pub(super) fn open_gaps(agent: &Agent, found: &[Found], here: &Here) -> Vec<&'static str> {
    let installation = &agent.installation;
    let stays =
        matches!(installation.protection.pin, Pin::Agent(_)) && managed_file(found).is_some();
    let is_closed =
        stays || is_pinned_by_hand(agent, here) || is_pinned(agent, found, here) == Some(true);
    let switches = installation.switch_gaps.iter().filter(|_| !is_closed);
    installation.gaps.iter().chain(switches).copied().collect()
}

fn managed_file(found: &[Found]) -> Option<&Found> {
    found.iter().find(|file| file.scope == Scope::Managed && file.calls_tenterhook())
}
