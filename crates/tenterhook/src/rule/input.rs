//! What does a rule see of one event? Built once an event, shared by all its rules; nothing is worked out before a rule
//! asks for it (RU-20). What can be asked stands in `seen`.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "rule")]
use crate::call::CallFootprint;
use crate::event::Event;
use crate::event::tool::command::Command;
use tenterhook_shell::Line;

/// One event as rules see it.
#[derive(Debug)]
#[cfg_attr(not(feature = "rule"), expect(dead_code, reason = "no rule is there to look"))]
pub struct RuleInput {
    pub(super) event: Arc<Event>,
    pub(super) command: OnceLock<Command<'static>>,
    pub(super) line: OnceLock<Option<Line>>,
    /// Nothing, where it would cost more than it may.
    #[cfg(feature = "rule")]
    pub(super) footprint: OnceLock<Option<CallFootprint>>,
    /// What it cost so far to work things out, in steps.
    pub(super) spent: AtomicUsize,
    pub(super) text: OnceLock<String>,
    pub(super) output: OnceLock<String>,
}

#[cfg(not(feature = "rule"))]
impl RuleInput {
    /// Whether the call is about one thing: a build without rules has nobody who asks.
    pub(crate) const fn is_one_thing(&self) -> bool {
        false
    }
}

impl RuleInput {
    /// What rules see of `event`.
    #[must_use]
    pub fn of(event: &Arc<Event>) -> Self {
        Self {
            event: Arc::clone(event),
            command: OnceLock::new(),
            line: OnceLock::new(),
            #[cfg(feature = "rule")]
            footprint: OnceLock::new(),
            spent: AtomicUsize::new(0),
            text: OnceLock::new(),
            output: OnceLock::new(),
        }
    }
}
