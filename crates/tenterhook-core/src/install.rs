//! Adds Tenterhook's entries to an agent's files, and removes them. Pure: texts in, texts out; the
//! command line finds the files.
//!
//! Implements `docs/spec/bridge.md` (BR-60 to BR-69, BR-75). Removing is the exact inverse of
//! adding, which is checked before a text is returned.

mod adopt;
#[cfg(feature = "trust")]
mod approval;
mod edit;
mod entry;
mod guard;
mod json;
mod own;
mod settings;
#[cfg(test)]
mod tests;

pub use adopt::{Adopted, adopt, give_back};
#[cfg(feature = "trust")]
pub use approval::{Approval, approvals};
pub use entry::{line, own_file};
pub use guard::{GUARD_GAPS, guard_files, guard_settings, has_guard, hooks_stay_on, settings_of};
pub use json::{
    Foreign, Switched, Wrong, foreign, installed, may_refuse, put_in, switched, take_out,
};
pub use own::{Stranger, stranger};
pub use settings::{Setting, put_settings, take_settings};
