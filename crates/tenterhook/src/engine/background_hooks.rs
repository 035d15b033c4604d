//! Which process runs the hooks that no event waits for. Runs none.

use std::sync::Arc;

use tenterhook_core::hook::HookId;

/// Where hooks run that no event waits for: background hooks, and slow hooks in shadow. A process
/// that exits after its reply leaves them to a second process (SH-7, BR-158).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BackgroundHooks {
    /// In this process.
    #[default]
    Here,
    /// In a second process. The outcome reports them as detached.
    Deferred,
    /// This is the second process: it runs these hooks, and no other.
    Only(Arc<[HookId]>),
}

impl BackgroundHooks {
    /// Returns whether this is the second process: it runs a part of an event whose outcome is
    /// known.
    pub(super) const fn is_second_process(&self) -> bool {
        matches!(self, Self::Only(_))
    }
}
