//! What nearly every host names: `use tenterhook::prelude::*`. Holds nothing of its own.

pub use crate::discover;
pub use crate::executor::Ambient;
pub use crate::{Engine, Event, Outcome, Session};
pub use tenterhook_core::answer::{Answer, Effects};
pub use tenterhook_core::config::Source;
pub use tenterhook_core::diagnostic::{Diagnostic, Severity};
pub use tenterhook_core::dialect::{DialectId, Roots};
pub use tenterhook_core::event::{PRE_TOOL_USE, Surroundings};
pub use tenterhook_core::hook::Hook;
pub use tenterhook_core::outcome::{Decision, Rewrite};
