//! What does a rule see of one event? Built once an event, shared by all its rules; nothing is worked out before a rule
//! asks for it (RU-20). What can be asked stands in `seen`.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "rule")]
use super::history::LazyHistory;

#[cfg(feature = "rule")]
use super::cases::ByProgram;
#[cfg(feature = "rule")]
use crate::answer::Lifted;
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
    /// Whether a denial of it was lifted; else what can be done. Asked once for all rules.
    #[cfg(feature = "rule")]
    pub(super) denial: OnceLock<Lifted>,
    /// What happened in the session before; without it, nothing did.
    #[cfg(feature = "rule")]
    pub(super) history: Option<Arc<LazyHistory>>,
    /// What it cost so far to work things out, in steps.
    pub(super) spent: AtomicUsize,
    /// What rules and conditions have cost so far, also on what the event was before it was rewritten.
    pub(super) account: Arc<Account>,
    pub(super) text: OnceLock<String>,
    pub(super) output: OnceLock<String>,
}

#[cfg(not(feature = "rule"))]
impl RuleInput {
    /// Always returns false: without the feature `rule`, lines are not examined.
    pub(crate) const fn is_single_command(&self) -> bool {
        false
    }
}

impl RuleInput {
    /// Creates the input of rules for `event`.
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
            #[cfg(feature = "rule")]
            history: None,
            spent: AtomicUsize::new(0),
            account: Arc::default(),
            text: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    /// Creates the input for the event after a rewrite. Nothing is computed yet, and the steps
    /// already counted stay counted (RU-39).
    pub fn with_rewritten_event(&self, event: &Arc<Event>) -> Self {
        Self {
            account: Arc::clone(&self.account),
            #[cfg(feature = "rule")]
            files: self.files.clone(),
            #[cfg(feature = "rule")]
            history: self.history.clone(),
            ..Self::new(event)
        }
    }

    /// Sets the reader of the files that a call names, to read patches and resolve links.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn with_file_reader(self, files: Arc<dyn Files>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Returns whether a denial of the event is lifted. `ask` is called at most once for all rules.
    #[cfg(feature = "rule")]
    pub fn denial_once(&self, ask: impl FnOnce() -> Lifted) -> &Lifted {
        self.denial.get_or_init(ask)
    }

    /// Sets the history of the session, which is read when a rule asks for it.
    #[cfg(feature = "rule")]
    #[must_use]
    pub fn with_history(self, history: Arc<LazyHistory>) -> Self {
        Self { history: Some(history), ..self }
    }

    /// Returns the event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Returns the counter of steps for the event.
    pub(crate) const fn step_account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Returns the parsed line, to share with other readers.
    pub(crate) const fn shared_parsed_line(&self) -> &SharedLine {
        &self.line
    }
}
