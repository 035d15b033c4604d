//! How much does a session do without asking?

/// How much is done without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Looking at the project is free; looking elsewhere, writing and running are asked about.
    #[default]
    Default,
    /// Changing files of the project is free, too.
    AcceptEdits,
    /// Only looking; nothing else runs.
    Plan,
    /// Nothing is asked about but what rules and safety checks demand.
    Bypass,
}

impl Mode {
    /// Every mode with the word that people and hooks use.
    pub(crate) const ALL: &'static [(Self, &'static str)] = &[
        (Self::Default, "default"),
        (Self::AcceptEdits, "acceptEdits"),
        (Self::Plan, "plan"),
        (Self::Bypass, "bypassPermissions"),
    ];

    /// Returns the name of the mode.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(mode, _)| *mode == self).map_or("", |(_, word)| word)
    }

    /// Returns the next mode for a user who cycles through them: never the one that switches all
    /// questions off.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Default => Self::AcceptEdits,
            Self::AcceptEdits => Self::Plan,
            Self::Plan | Self::Bypass => Self::Default,
        }
    }

    /// Returns the mode with this name.
    pub(crate) fn from_name(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, value)| value.eq_ignore_ascii_case(word)).map(|(mode, _)| *mode)
    }
}
