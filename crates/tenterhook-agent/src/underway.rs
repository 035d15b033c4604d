//! Work that may be dropped half-way, and the code that runs then: a stopped turn is a dropped
//! future, and only this code of it still runs.

/// Does `on_drop` unless it comes to its end.
#[must_use = "a dropped guard means that the work was interrupted"]
pub(crate) struct Underway<F: FnOnce()> {
    on_drop: Option<F>,
}

impl<F: FnOnce()> Underway<F> {
    /// Creates a guard that calls `on_drop` unless it is disarmed.
    pub(crate) const fn new(on_drop: F) -> Self {
        Self { on_drop: Some(on_drop) }
    }

    /// Ends the guard without calling its function.
    pub(crate) fn disarm(mut self) {
        self.on_drop = None;
    }
}

impl<F: FnOnce()> Drop for Underway<F> {
    fn drop(&mut self) {
        if let Some(on_drop) = self.on_drop.take() {
            on_drop();
        }
    }
}
