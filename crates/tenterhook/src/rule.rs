//! An expression over the event, and what it says when it holds. Pure: compiles and evaluates, reads nothing.

/// A rule: a hook without a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    when: std::sync::Arc<str>,
}

impl Rule {
    /// A rule that holds when the expression `when` does.
    #[must_use]
    pub fn new(when: &str) -> Self {
        Self { when: when.into() }
    }

    /// The expression as written.
    #[must_use]
    pub fn when(&self) -> &str {
        &self.when
    }
}
