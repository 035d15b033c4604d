//! How is a run counted that has reported and is not gone yet? Among those that live; ends none.

use crate::live;

/// A run whose report is out, and whose process is not gone yet.
pub(crate) struct Leaving(());

impl Leaving {
    /// Counts the run as live until this is dropped.
    pub(crate) fn count_run_as_live() -> Self {
        live::increment_live_runs();
        Self(())
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        live::decrement_live_runs();
    }
}
