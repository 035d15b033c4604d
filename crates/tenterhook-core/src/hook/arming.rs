//! Whether a hook may run at all, and why not. Values only.

/// Whether a hook may run at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arming {
    /// It runs when it is selected.
    #[default]
    Armed,
    /// It never runs: why, as one sentence with the number of the rule.
    Disarmed {
        /// Why.
        because: String,
        /// The rule, such as `C-12`.
        rule: &'static str,
    },
    /// It does not run, because it came with a repository and is not approved (T-10).
    Unapproved {
        /// Why, as one sentence: what is not approved, and what to type.
        because: String,
    },
}

impl Arming {
    /// Returns why the hook does not run, and the number of the rule that says so; `None` if it is
    /// armed.
    #[must_use]
    pub const fn disabled_reason(&self) -> Option<(&String, &'static str)> {
        match self {
            Self::Armed => None,
            Self::Disarmed { because, rule } => Some((because, rule)),
            Self::Unapproved { because } => Some((because, "T-10")),
        }
    }
}
