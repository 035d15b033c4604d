//! Does an expression hold? The condition of a hook that is no rule: it says nothing, and only selects (S-58).

use std::fmt;
use std::sync::Arc;

use super::{CallQuestions, Incomplete, RuleInput, Unsettled};
#[cfg(feature = "rule")]
use super::{Flaw, compiled};

/// An expression that is true or false of an event, compiled at its first use.
#[derive(Clone)]
pub struct Expression {
    text: Arc<str>,
    #[cfg(feature = "rule")]
    compiled: Arc<std::sync::OnceLock<Result<compiled::Test, Flaw>>>,
}

impl Expression {
    /// Creates an expression from `text`; it is compiled at first use.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            #[cfg(feature = "rule")]
            compiled: Arc::default(),
        }
    }

    /// Returns the expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns what the expression may ask of earlier calls (SS-15).
    #[must_use]
    pub fn call_questions(&self) -> CallQuestions {
        CallQuestions::of_expression(&self.text)
    }
}

#[cfg(feature = "rule")]
impl Expression {
    /// Returns the problem of the expression, if any, found without an event.
    #[must_use]
    pub fn find_flaw(&self) -> Option<&Flaw> {
        self.compiled_test().as_ref().err()
    }

    /// Whether it holds of what is seen. `go_on` is asked now and then whether there is still time; `incomplete` is what a line
    /// that cannot be read whole means.
    ///
    /// # Errors
    ///
    /// An expression that cannot be compiled or evaluated, costs too much or is unknown has no value.
    pub fn holds_for_event(
        &self,
        rule_input: &RuleInput,
        incomplete: Incomplete,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, Unsettled> {
        // To compile it takes time, too.
        if !go_on() {
            return Err(Unsettled::OutOfTime);
        }
        match self.compiled_test() {
            Ok(test) => test.holds_for_event(rule_input, incomplete, go_on),
            Err(flaw) => Err(Unsettled::Broken(flaw.message.clone())),
        }
    }

    fn compiled_test(&self) -> &Result<compiled::Test, Flaw> {
        self.compiled.get_or_init(|| compiled::compile_bool_expression(&self.text))
    }
}

#[cfg(not(feature = "rule"))]
impl Expression {
    /// Whether it holds: a build without rules cannot say.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn holds_for_event(
        &self,
        _rule_input: &RuleInput,
        _incomplete: Incomplete,
        _go_on: &dyn Fn() -> bool,
    ) -> Result<bool, Unsettled> {
        Err(Unsettled::Broken("this build has no rules".to_owned()))
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}
