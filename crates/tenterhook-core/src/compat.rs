//! Is a source followed to the letter, or guarded against its agent's losses? A value: its effects are defined where
//! matches and answers are read.

/// How strictly a source's dialect is followed (decision 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// A denial that slipped still denies.
    #[default]
    Guarded,
    /// What the agent itself would do, with its losses.
    Exact,
}
