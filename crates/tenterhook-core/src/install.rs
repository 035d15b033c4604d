//! Adds Tenterhook's entries to an agent's files, and removes them. Pure: texts in, texts out; the
//! command line finds the files.
//!
//! Implements `docs/spec/bridge.md` (BR-60 to BR-69, BR-75). Removing is the exact inverse of
//! adding, which is checked before a text is returned.

mod adopt;
mod allowlist;
#[cfg(feature = "trust")]
mod approval;
mod edit;
mod entry;
mod env_file;
mod excluded;
mod guard;
mod json;
mod listed;
mod own;
mod settings;
mod tables;
#[cfg(test)]
mod tests;
mod yaml;

pub use adopt::{Adopted, move_entries_to_tenterhook, restore_moved_entries};
pub use allowlist::{unapproved_events, with_own_approvals, without_own_approvals};
#[cfg(feature = "trust")]
pub use approval::{Approval, own_approvals};
pub use entry::{
    hook_command_line, program_in_command_line, tenterhook_files_with_texts, text_of_new_hook_file,
};
pub use env_file::find_variable;
pub use guard::{
    GUARD_GAPS, anti_silencing_settings, files_of_named_guard, setting_keeping_hooks_enabled,
    supports_guard_module, user_settings_loading_guard,
};
pub use json::{
    Foreign, Switched, Wrong, add_own_entries, agent_may_reject_settings, find_hook_switch,
    foreign_entries, installed_events_and_commands, remove_own_entries,
};
pub use listed::{find_unlisted_plugin, settings_listing_plugin};
pub use own::{Stranger, find_foreign_part, program_called_by_own_text};
pub use settings::{Setting, add_settings, remove_settings};
pub use tables::RANDOM_DIGITS;
