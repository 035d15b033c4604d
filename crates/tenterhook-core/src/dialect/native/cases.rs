//! Test cases of hooks as data: an event, and the outcome that the hooks must have. The caller
//! fires each event (TE-1).

use std::time::Duration;

use serde_json::{Map, Value};

use super::config;
use crate::answer::Restraint;
use crate::diagnostic::{Diagnostic, Location};
use crate::dialect::DialectId;
use crate::hook::HookId;
use crate::source::Source;

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The hook that it is about, alone; `None` when it is about all of them together (TE-5).
    pub hook: Option<HookId>,
    /// The event of that hook's entry, the first of several: the name of an event that says none
    /// (TE-3).
    pub on: Option<String>,
    /// What people call it; empty when it has no name.
    pub name: String,
    /// Its location in the file.
    pub place: Location,
    /// What happens.
    pub event: Happens,
    /// What must come of it.
    pub expect: Expectation,
    /// Files that are there when it happens: names from the project, and texts (TE-12).
    pub files: Vec<(String, String)>,
}

/// What happens, as the case says it.
#[derive(Clone, Debug, PartialEq)]
pub enum Happens {
    /// In the form of a dialect.
    Form(Map<String, Value>),
    /// In words: `Bash git push -f`, `Stop`, `UserPromptSubmit fix it`.
    Words(String),
}

/// The expected outcome of an event. A field that is `None` is not compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The decision.
    pub decision: Restraint,
    /// Whether everything must stop, whatever else is decided.
    pub stop: bool,
    /// An expression that is found in the reasons.
    pub reason: Option<String>,
    /// A regular expression that matches the context for the model.
    pub context: Option<String>,
    /// The new input of the tool (an object), or the new prompt (a string).
    pub rewrite: Option<Value>,
    /// The longest time that it may take.
    pub within: Option<Duration>,
    /// Whether a hook of the case runs in the background in its agent, which then does not wait for
    /// its answer (TE-16).
    pub background: Option<bool>,
    /// The codes of the faults that come with it; any other fault fails the case (TE-7).
    pub faults: Vec<String>,
}

impl Expectation {
    /// Creates the expectation of a decision, whatever else the outcome holds.
    #[must_use]
    pub const fn new(decision: Restraint) -> Self {
        Self {
            decision,
            stop: false,
            reason: None,
            context: None,
            rewrite: None,
            within: None,
            background: None,
            faults: Vec::new(),
        }
    }
}

/// A file of cases for the hooks of other files (TE-2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFile {
    /// The files with hooks, as they are named; empty: those of the project in which the file lies.
    pub config: Vec<String>,
    /// In whose form its events are.
    pub dialect: Option<DialectId>,
    /// Files and directories of the project that hooks need beside their scripts.
    pub copy: Vec<String>,
    /// Its cases.
    pub cases: Vec<Case>,
    /// The mistakes in it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the cases of every hook of a native file, in the order of the file. `read_config` reports
/// their mistakes.
#[must_use]
pub fn read_cases_beside_hooks(source: &Source) -> Vec<Case> {
    config::case::read_hook_cases(source)
}

/// Reads a file of cases.
#[must_use]
pub fn read_case_file(source: &Source) -> CaseFile {
    config::case::read_case_file(source)
}
