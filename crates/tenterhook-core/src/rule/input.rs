//! What does a rule see of one event? Built once an event, shared by all its rules; nothing is worked out before a rule
//! asks for it (RU-20). What can be asked stands in `seen`.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "rule")]
use super::cases::ByProgram;
#[cfg(feature = "rule")]
use crate::call::CallFootprint;
#[cfg(feature = "rule")]
pub use crate::call::disarm::Files;
use crate::event::Event;
use crate::event::meter::Account;
use crate::event::tool::command::Command;
use tenterhook_shell::Line;

/// A line that is read once for all that ask.
pub(crate) type SharedLine = Arc<OnceLock<Line>>;

/// What the lists of a shell line that cannot be read whole mean to an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// What depends on the part that was not read is unknown (RU-40).
    Unknown,
    /// The lists are complete (RU-42).
    Ignored,
}

/// What became of the denial of a built-in rule.
#[cfg(feature = "rule")]
#[derive(Debug)]
pub enum Denial {
    /// The person lifted it, for this reason.
    Lifted {
        /// Why.
        why: String,
    },
    /// It stands.
    Stands {
        /// What the person can do, where that could be kept.
        remedy: Option<String>,
    },
}

/// One event as rules see it.
#[derive(Debug)]
#[cfg_attr(not(feature = "rule"), expect(dead_code, reason = "no rule is there to look"))]
pub struct RuleInput {
    pub(super) event: Arc<Event>,
    pub(super) command: OnceLock<Command<'static>>,
    /// Shared with the permission rules of the same event.
    pub(super) line: SharedLine,
    /// Else the steps that it may cost, and would cost more than.
    #[cfg(feature = "rule")]
    pub(super) footprint: OnceLock<Result<CallFootprint, usize>>,
    /// The commands of `shell.*` and of `call.*` by their programs.
    #[cfg(feature = "rule")]
    pub(super) shell_programs: OnceLock<ByProgram>,
    #[cfg(feature = "rule")]
    pub(super) call_programs: OnceLock<ByProgram>,
    /// Whether the call may concern a guard, by its letters or by links.
    #[cfg(feature = "rule")]
    pub(super) concerns_guard: OnceLock<bool>,
    /// The reader of files that the call names.
    #[cfg(feature = "rule")]
    pub(super) files: Option<Arc<dyn Files>>,
    /// Whether a denial of it was lifted, and why; else what can be done. Asked once for all rules.
    #[cfg(feature = "rule")]
    pub(super) denial: OnceLock<Denial>,
    /// What it cost so far to work things out, in steps.
    pub(super) spent: AtomicUsize,
    /// What rules and conditions have cost so far, also on what the event was before it was rewritten.
    pub(super) account: Arc<Account>,
    pub(super) text: OnceLock<String>,
    pub(super) output: OnceLock<String>,
}

#[cfg(not(feature = "rule"))]
impl RuleInput {
    /// Whether the call is about one thing: a build without rules does not ask.
    pub(crate) const fn is_one_thing(&self) -> bool {
        false
    }
}

impl RuleInput {
    /// What rules see of `event`.
    #[must_use]
    pub fn new(event: &Arc<Event>) -> Self {
        Self {
            event: Arc::clone(event),
            command: OnceLock::new(),
            line: SharedLine::default(),
            #[cfg(feature = "rule")]
            footprint: OnceLock::new(),
            #[cfg(feature = "rule")]
            shell_programs: OnceLock::new(),
            #[cfg(feature = "rule")]
            call_programs: OnceLock::new(),
            #[cfg(feature = "rule")]
            concerns_guard: OnceLock::new(),
            #[cfg(feature = "rule")]
            files: None,
            #[cfg(feature = "rule")]
            denial: OnceLock::new(),
            spent: AtomicUsize::new(0),
            account: Arc::default(),
            text: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    /// The same event after a rewrite: nothing of it is worked out, and what was spent is spent (RU-39).
    pub fn rewritten(&self, event: &Arc<Event>) -> Self {
        Self {
            account: Arc::clone(&self.account),
            #[cfg(feature = "rule")]
            files: self.files.clone(),
            ..Self::new(event)
        }
    }

    /// The same for a host that lets somebody look into the files that a call names: a patch says in a file what it changes,
    /// and a link where it leads.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn looking(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Whether a denial of the event is lifted: asked once, however many rules deny it.
    #[cfg(feature = "rule")]
    pub fn denial(&self, ask: impl FnOnce() -> Denial) -> &Denial {
        self.denial.get_or_init(ask)
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Counts the cost of questions about the event.
    pub(crate) const fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Its line, for those who read it themselves.
    pub(crate) const fn shared_line(&self) -> &SharedLine {
        &self.line
    }
}
