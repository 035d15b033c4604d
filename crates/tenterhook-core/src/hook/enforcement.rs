//! Does what a hook says count? In shadow it is asked like any other, and nobody but the record hears of it (SH-1).

use crate::diagnostic::Location;

/// Whether what a hook says counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// It counts, and nobody says anything about that.
    #[default]
    Usual,
    /// It counts, because that is said.
    Enforced,
    /// It runs, what it says is recorded, and none of it reaches the agent or the model.
    Shadow {
        /// Who says so, as one sentence.
        because: String,
        /// The word that says so.
        place: Option<Location>,
    },
}

impl Enforcement {
    /// Whether nothing of what the hook says counts.
    #[must_use]
    pub const fn is_shadow(&self) -> bool {
        matches!(self, Self::Shadow { .. })
    }

    /// The word that configs use.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        if self.is_shadow() { SHADOW } else { ENFORCE }
    }
}

/// The values of `mode`.
pub(crate) const SHADOW: &str = "shadow";
pub(crate) const ENFORCE: &str = "enforce";
