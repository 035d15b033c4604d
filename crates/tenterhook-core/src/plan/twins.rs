//! Which hooks of tool calls run for the event itself already? One call starts one program once (BR-101). Pure.

use crate::hook::{Hook, Run};

/// Returns true if two hooks start the same program with the same settings. Hooks that start no
/// program are never equal, because they have no repeated effect and may judge the events
/// differently.
pub fn start_same_program_alike(one: &Hook, other: &Hook) -> bool {
    let is_same_program = match (&one.run, &other.run) {
        (Run::Command(one), Run::Command(other)) => one == other,
        (Run::Worker(one), Run::Worker(other)) => one == other,
        (Run::Http(one), Run::Http(other)) => one == other,
        (Run::Prompt(one), Run::Prompt(other)) => one == other,
        (Run::McpTool(one), Run::McpTool(other)) => one == other,
        _ => false,
    };
    is_same_program
        && (one.dialect, one.phase, one.wait, one.on_failure)
            == (other.dialect, other.phase, other.wait, other.on_failure)
        && (one.answer_required, one.gates_only, one.compat)
            == (other.answer_required, other.gates_only, other.compat)
        && one.sandbox == other.sandbox
        && one.enforcement.is_shadow() == other.enforcement.is_shadow()
}
