//! In which sandbox do the commands of the model run? The words for it, for people and for the model; `hooks` has the engine make it.

/// What the person leaves to the commands of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Sandbox {
    /// All that you may.
    #[default]
    Off,
    /// They read and change the project, but no file that says which hooks run; they reach no host and nothing of your home.
    Standard,
    /// They read the project and change nothing.
    Strict,
}

impl Sandbox {
    /// Returns the name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// Returns the text on the screen; empty without a sandbox.
    pub(crate) const fn screen_label(self) -> &'static str {
        match self {
            Self::Off => "",
            Self::Standard => "sandbox standard",
            Self::Strict => "sandbox strict",
        }
    }

    /// Returns the line for `/permissions`.
    pub(crate) fn permissions_line(self) -> String {
        match self {
            Self::Off => String::new(),
            Self::Standard | Self::Strict => {
                format!("commands run in the sandbox `{}` (`--sandbox`)\n", self.name())
            }
        }
    }

    /// Returns the text that tells the model what the sandbox prevents.
    pub(crate) const fn system_note(self) -> &'static str {
        match self {
            Self::Off => "",
            Self::Standard => {
                " Shell commands run in a sandbox: they read the project, change files in its directories and in `$TMPDIR`, and reach \
                 no host. Nothing is made or removed at the top of the project; write such files with your other tools."
            }
            Self::Strict => {
                " Shell commands run in a sandbox: they read the project, write into `$TMPDIR` alone, and reach no host."
            }
        }
    }
}
