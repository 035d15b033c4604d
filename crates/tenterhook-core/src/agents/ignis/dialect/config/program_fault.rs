//! Why an entry of ignis names no program that can be started. Reports nothing.

use crate::diagnostic::Code;

/// Why an entry names no program that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ProgramFault {
    /// Both fields are there.
    #[error("an entry has `command` or `argv`, not both")]
    CommandAndArgv,
    /// Neither field is there.
    #[error("an entry needs `command` or `argv`")]
    NoProgram,
    /// `command` is not a string.
    #[error("`command` takes a string, found {found}")]
    CommandNotString {
        /// The type of the value, with its article.
        found: &'static str,
    },
    /// `command` is empty or white space.
    #[error("`command` is empty")]
    EmptyCommand,
    /// `argv` is not an array of strings.
    #[error("`argv` takes an array of strings")]
    ArgvNotStrings,
    /// `argv` has no items.
    #[error("`argv` is empty")]
    EmptyArgv,
    /// The first item of `argv` is blank.
    #[error("`argv` names no program")]
    BlankProgram,
}

impl ProgramFault {
    /// Returns the code of the finding that reports this fault.
    pub(super) const fn finding_code(self) -> Code {
        match self {
            Self::CommandAndArgv => Code::SeveralRuns,
            Self::NoProgram => Code::MissingRun,
            Self::CommandNotString { .. } => Code::CommandNotString,
            Self::EmptyCommand | Self::EmptyArgv | Self::BlankProgram => Code::EmptyCommand,
            Self::ArgvNotStrings => Code::WrongFieldType,
        }
    }
}
