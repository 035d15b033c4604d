//! Why a command cannot do what it was asked: one sentence and, where there is one, a way out.

use std::fmt;

/// A failed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The problem, in lower case and without a full stop.
    pub(crate) message: String,
    /// What to do instead.
    pub(crate) help: Option<String>,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
