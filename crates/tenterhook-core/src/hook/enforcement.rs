//! Does what a hook says count? In shadow it runs like any other, and only the record gets its answer (SH-1).

use crate::diagnostic::Location;

/// Whether what a hook says counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It counts, by default.
    #[default]
    Usual,
    /// It counts, because a setting demands it.
    Enforced,
    /// It runs, what it says is recorded, and none of it reaches the agent or the model.
    Shadow {
        /// The setting that does so, as one sentence.
        because: String,
        /// The word that says so.
        place: Option<Location>,
    },
}

impl Enforcement {
    /// Returns true if the hook runs in shadow, so that its answers have no effect.
    #[must_use]
    pub const fn is_shadow(&self) -> bool {
        matches!(self, Self::Shadow { .. })
    }

    /// Returns the word for it in config files.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        if self.is_shadow() { SHADOW } else { ENFORCE }
    }
}

/// The values of `mode`.
pub(crate) const SHADOW: &str = "shadow";
pub(crate) const ENFORCE: &str = "enforce";
