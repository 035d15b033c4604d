//! How is a run counted that has reported and is not gone yet? Among those that live; ends none.

use crate::live;

/// A run whose report is out, and whose process is not gone yet.
pub(crate) struct Leaving(());

impl Leaving {
    pub(crate) fn start() -> Self {
        live::add_run();
        Self(())
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        live::remove_run();
    }
}
