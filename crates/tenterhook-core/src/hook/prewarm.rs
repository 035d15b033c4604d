//! In which form can the next process of a command be started before its event? Reads the command as text, and looks at no file.
//!
//! It says yes to the form of an interpreter, and no to a program that is deaf, only where it is certain. The forms stand
//! behind the feature `prewarm-forms`; without it a command that asks for one is started cold.

#[cfg(feature = "prewarm-forms")]
mod forms;

use tenterhook_shell::{self as shell, Parsed};

use super::{Invocation, Prewarm, Shell};

impl Prewarm {
    /// What of it is possible for a command: the form of an interpreter needs one whose script is certain.
    #[must_use]
    pub fn for_invocation(self, invocation: &Invocation) -> Self {
        if self.name().is_some() && !invocation.is_script_for(self) { Self::Never } else { self }
    }

    /// Whether this build has it.
    #[must_use]
    pub fn is_built(self) -> bool {
        cfg!(feature = "prewarm-forms") || self.name().is_none()
    }
}

#[cfg(not(feature = "prewarm-forms"))]
impl Invocation {
    /// Whether it is the interpreter of a form with a script: this build has no form of an interpreter.
    #[must_use]
    pub const fn is_script_for(&self, _: Prewarm) -> bool {
        false
    }
}

/// Programs that never look at their input, whatever their arguments are.
const DEAF: &[&str] = &[
    ":", "[", "date", "echo", "exit", "false", "kill", "ls", "mkdir", "printf", "pwd", "rm",
    "sleep", "test", "touch", "true",
];

impl Invocation {
    /// Whether it is certain that it never reads its input: each of its commands is known for that.
    #[must_use]
    pub fn reads_no_input(&self) -> bool {
        let deaf = |name: &str| DEAF.contains(&name);
        match self {
            Self::Argv { program, .. } => deaf(program),
            Self::Shell { shell: Shell::Login | Shell::PowerShell, .. } => false,
            Self::Shell { text, .. } => {
                let line = shell::read(text);
                line.parsed == Parsed::Full
                    && line.written().count() > 0
                    && line.written().all(|command| {
                        command.words.is_empty() || command.program().is_some_and(deaf)
                    })
            }
        }
    }
}
