//! Is a source followed to the letter, or guarded against its agent's losses? A value: what it changes is said by those who
//! read matches and answers.

/// How strictly a source's dialect is followed (decision 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// A denial that slipped still denies.
    #[default]
    Guarded,
    /// What the agent itself would do, with its losses.
    Exact,
}
