//! Which shadow hooks an engine runs. Runs none.

/// Which shadow hooks this process runs. A process that exits after its reply leaves slow shadow
/// hooks to a second process (SH-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shadows {
    /// All of them.
    #[default]
    Here,
    /// Only those that return at once; the record reports the others as still running.
    PutOff,
    /// Only those that `PutOff` left out, and no other hook.
    Alone,
}
