//! What nearly every host names: `use tenterhook::prelude::*`. Holds nothing of its own.

pub use crate::answer::{Answer, Effects};
pub use crate::config::Source;
pub use crate::diagnostic::{Diagnostic, Severity};
pub use crate::dialect::{DialectId, Roots};
pub use crate::discover;
pub use crate::event::{PRE_TOOL_USE, Surroundings};
pub use crate::executor::Ambient;
pub use crate::hook::Hook;
pub use crate::outcome::{Decision, Rewrite};
pub use crate::{Engine, Event, Outcome, Session};
