//! What nearly every host names: `use tenterhook::prelude::*`. It defines nothing.

#[doc(no_inline)]
pub use crate::{
    Engine, Event, Outcome, Session,
    answer::{Answer, Effects},
    config::Source,
    diagnostic::{Diagnostic, Severity},
    dialect::{DialectId, Roots},
    discover,
    event::{PRE_TOOL_USE, Surroundings},
    executor::Ambient,
    hook::Hook,
    outcome::{Decision, Rewrite},
};
