//! In which form can the next process of a command be started before its event? Reads the command as text, and looks at no file.
//!
//! It says yes to the form of an interpreter, and no to a program that is deaf, only where it is certain. The forms stand
//! behind the feature `prewarm-forms`; without it a command that asks for one is started cold.

#[cfg(feature = "prewarm-forms")]
mod forms;

use tenterhook_shell::{self as shell, Parsed};

use super::{Invocation, Prewarm, Shell};

impl Prewarm {
    /// Returns the form that is possible for a command: [`Prewarm::Never`] if the form needs an
    /// interpreter and it is not certain which script that runs.
    #[must_use]
    pub fn unless_impossible_for(self, invocation: &Invocation) -> Self {
        if self.name().is_some() && !invocation.runs_script_of_form(self) {
            Self::Never
        } else {
            self
        }
    }

    /// Returns true if this build supports the form.
    #[must_use]
    pub fn is_supported_by_build(self) -> bool {
        cfg!(feature = "prewarm-forms") || self.name().is_none()
    }
}

#[cfg(not(feature = "prewarm-forms"))]
impl Invocation {
    /// Returns true if the command runs a script with the interpreter of this form. Always false,
    /// because this build has no such forms.
    #[must_use]
    pub const fn runs_script_of_form(&self, _: Prewarm) -> bool {
        false
    }
}

/// Programs that never look at their input, whatever their arguments are.
const DEAF: &[&str] = &[
    ":", "[", "date", "echo", "exit", "false", "kill", "ls", "mkdir", "printf", "pwd", "rm",
    "sleep", "test", "touch", "true",
];

impl Invocation {
    /// Returns true if the command certainly never reads its standard input: each of its programs
    /// is known not to.
    #[must_use]
    pub fn never_reads_stdin(&self) -> bool {
        let deaf = |name: &str| DEAF.contains(&name);
        match self {
            Self::Argv { program, .. } => deaf(program),
            Self::Shell { shell: Shell::Login | Shell::PowerShell, .. } => false,
            Self::Shell { text, .. } => {
                let line = shell::parse_line(text);
                line.parsed == Parsed::Full
                    && line.commands_as_written().count() > 0
                    && line.commands_as_written().all(|command| {
                        command.words.is_empty() || command.program_name().is_some_and(deaf)
                    })
            }
        }
    }
}
