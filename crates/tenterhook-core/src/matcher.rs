//! What decides that a hook applies to an event: patterns over its subject, compiled once, at their first use. Pure.
//!
//! How a dialect's text becomes one of these is the dialect's business; a pattern that cannot be compiled is a failure
//! of its hook and goes to the hook's policy (S-3).

pub mod condition;
pub mod rule;

mod error;

use std::sync::OnceLock;

pub use condition::Condition;
pub(crate) use condition::Written;
pub use condition::{MatchContext, Picked};
pub use error::PatternError;

/// A pattern as data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MatcherSpec {
    /// Every event.
    Any,
    /// One of these words, exactly.
    Words(Vec<String>),
    /// A regular expression, found anywhere in the subject.
    Regex(String),
    /// Never: the agent's reading of what is written cannot match anything; why.
    Never(String),
}

/// A pattern that is compiled at its first use.
#[derive(Debug)]
pub struct Matcher {
    spec: MatcherSpec,
    compiled: OnceLock<Result<Regex, PatternError>>,
}

/// A compiled expression: linear time where the syntax allows it, else with a bounded number of steps.
#[derive(Debug)]
enum Regex {
    Linear(regex::Regex),
    Stepped(Box<fancy_regex::Regex>),
}

/// Steps back that an expression with look-around or back references may take, and the longest subject that it is held
/// against (S-3). A step may look at all of the subject, so that only both together are a bound; a subject is a few dozen
/// bytes long, and what needs more is a bomb.
const STEPS: usize = 20_000;
const LONGEST_STEPPED: usize = 1024;

/// Compiled size of an expression, the default of the `regex` crate.
const SIZE: usize = 10 << 20;

impl Clone for Matcher {
    fn clone(&self) -> Self {
        Self::new(self.spec.clone())
    }
}

impl Matcher {
    /// Creates a matcher from `spec`.
    #[must_use]
    pub const fn new(spec: MatcherSpec) -> Self {
        Self { spec, compiled: OnceLock::new() }
    }

    /// Creates a matcher that matches every event.
    #[must_use]
    pub const fn any() -> Self {
        Self::new(MatcherSpec::Any)
    }

    /// Returns the pattern as data.
    #[must_use]
    pub const fn spec(&self) -> &MatcherSpec {
        &self.spec
    }

    /// Returns the words that the matcher lists, if it matches only exact words.
    #[must_use]
    pub fn exact_names(&self) -> Option<&[String]> {
        match &self.spec {
            MatcherSpec::Words(words) => Some(words),
            MatcherSpec::Any | MatcherSpec::Regex(_) | MatcherSpec::Never(_) => None,
        }
    }

    /// Compiles now, for those who want to know at once.
    ///
    /// # Errors
    ///
    /// When the pattern is no valid expression.
    pub fn compile(&self) -> Result<(), PatternError> {
        match &self.spec {
            MatcherSpec::Regex(text) => self.compiled_regex(text).map(drop),
            MatcherSpec::Any | MatcherSpec::Words(_) | MatcherSpec::Never(_) => Ok(()),
        }
    }

    /// Whether the pattern matches `subject`; an event without a subject is matched by everything (S-2).
    ///
    /// # Errors
    ///
    /// When the pattern is no valid expression, or one with look-around takes too long on `subject`.
    pub fn matches(&self, subject: Option<&str>) -> Result<bool, PatternError> {
        let Some(subject) = subject else { return Ok(!matches!(self.spec, MatcherSpec::Never(_))) };
        match &self.spec {
            MatcherSpec::Any => Ok(true),
            MatcherSpec::Never(_) => Ok(false),
            MatcherSpec::Words(words) => Ok(words.iter().any(|word| word == subject)),
            MatcherSpec::Regex(text) => match self.compiled_regex(text)? {
                Regex::Linear(regex) => Ok(regex.is_match(subject)),
                Regex::Stepped(_) if subject.len() > LONGEST_STEPPED => {
                    Err(PatternError::subject_too_long(subject.len(), LONGEST_STEPPED))
                }
                Regex::Stepped(regex) => {
                    regex.is_match(subject).map_err(|_| PatternError::too_many_steps(STEPS))
                }
            },
        }
    }

    fn compiled_regex(&self, text: &str) -> Result<&Regex, PatternError> {
        self.compiled.get_or_init(|| compile_regex(text)).as_ref().map_err(Clone::clone)
    }
}

fn compile_regex(text: &str) -> Result<Regex, PatternError> {
    let linear = regex::RegexBuilder::new(text).size_limit(SIZE).build();
    let error = match linear {
        Ok(regex) => return Ok(Regex::Linear(regex)),
        Err(error) => error,
    };
    // Look-around and back references are legal JavaScript; only then is the slower engine worth its risk.
    match fancy_regex::RegexBuilder::new(text).backtrack_limit(STEPS).build() {
        Ok(regex) => Ok(Regex::Stepped(Box::new(regex))),
        Err(_) => Err(PatternError::invalid(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spec: MatcherSpec, subject: &str, expected: Result<bool, ()>) {
        let matcher = Matcher::new(spec.clone());
        assert_eq!(
            matcher.matches(Some(subject)).map_err(drop),
            expected,
            "{spec:?} on {subject:?}"
        );
    }

    /// S-2: an event without a subject is matched by everything, but for what never matches.
    #[test]
    fn without_a_subject_only_never_does_not_match() {
        for (spec, expected) in [
            (MatcherSpec::Any, true),
            (MatcherSpec::Words(vec!["Edit".into()]), true),
            (MatcherSpec::Regex("Edit".into()), true),
            (MatcherSpec::Never("why".into()), false),
        ] {
            assert_eq!(Matcher::new(spec.clone()).matches(None), Ok(expected), "{spec:?}");
        }
    }

    /// S-3: what cannot be compiled is refused in the compiler's last words, when it is compiled and when it is asked.
    #[test]
    fn an_expression_that_is_none_says_what_is_wrong() {
        let broken = Matcher::new(MatcherSpec::Regex("(a".into()));
        for refused in [broken.compile().unwrap_err(), broken.matches(Some("a")).unwrap_err()] {
            assert_eq!(refused.to_string(), "unclosed group");
            assert!(std::error::Error::source(&refused).is_some(), "the compiler's own error");
        }
        for spec in
            [MatcherSpec::Any, MatcherSpec::Regex("a".into()), MatcherSpec::Never("x".into())]
        {
            assert_eq!(Matcher::new(spec).compile(), Ok(()));
        }
    }

    #[test]
    fn words_are_exact_and_expressions_are_found_anywhere() {
        check(MatcherSpec::Any, "Bash", Ok(true));
        check(MatcherSpec::Words(vec!["Edit".into(), "Bash".into()]), "Bash", Ok(true));
        check(MatcherSpec::Words(vec!["Edit".into()]), "NotebookEdit", Ok(false));
        check(MatcherSpec::Regex("Edit.*".into()), "NotebookEdit", Ok(true));
        check(MatcherSpec::Regex("^(?!Bash)".into()), "Bash", Ok(false));
        check(MatcherSpec::Regex("^(?!Bash)".into()), "Read", Ok(true));
        check(MatcherSpec::Regex("[".into()), "Bash", Err(()));
        check(MatcherSpec::Never("an expression".into()), "Bash", Ok(false));
    }

    /// S-3.
    #[test]
    fn a_long_subject_is_not_held_against_look_around() {
        check(MatcherSpec::Regex("^(?!Bash)".into()), &"x".repeat(LONGEST_STEPPED), Ok(true));
        for pattern in ["(?!a+b)c", "(a*)*(?=b)", "(?<=a)b"] {
            check(MatcherSpec::Regex(pattern.into()), &"a".repeat(50_000), Err(()));
            // Within the bound either answer is fine; it must come.
            let _ = Matcher::new(MatcherSpec::Regex(pattern.into()))
                .matches(Some(&"a".repeat(LONGEST_STEPPED)));
        }
        check(MatcherSpec::Regex("a+c".into()), &"a".repeat(50_000), Ok(false));
    }

    #[test]
    fn a_bomb_gives_up() {
        check(MatcherSpec::Regex(r"^(?=(a+)+$)b\1".into()), &"a".repeat(40), Ok(false));
        let matcher = Matcher::new(MatcherSpec::Regex(r"^(a|a)*\1*(?=b)$".into()));
        // Either answer is fine; it must come.
        let _ = matcher.matches(Some(&"a".repeat(64)));
    }
}
