//! Something that may be dropped half-way, and what is then to be told: a stopped turn is a dropped future, and no code of that
//! runs any more but this.

/// Does `told` unless it comes to its end.
#[must_use = "what is dropped counts as interrupted"]
pub(crate) struct Underway<F: FnOnce()> {
    told: Option<F>,
}

impl<F: FnOnce()> Underway<F> {
    /// It begins.
    pub(crate) const fn begin(told: F) -> Self {
        Self { told: Some(told) }
    }

    /// It came to its end, good or bad.
    pub(crate) fn over(mut self) {
        self.told = None;
    }
}

impl<F: FnOnce()> Drop for Underway<F> {
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            told();
        }
    }
}
