//! Why a pattern decides nothing, and what to write instead. Values and their messages; compiles
//! nothing.

use std::error::Error;
use std::fmt;

/// Why a pattern of a matcher decides nothing about a subject.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternError(Cause);

#[derive(Clone, Debug, PartialEq)]
enum Cause {
    /// It is no valid expression.
    Invalid(regex::Error),
    /// An expression with look-around or back references is not held against so many bytes.
    LongSubject { bytes: usize, most: usize },
    /// It goes back too often on this subject.
    TooManySteps { most: usize },
}

impl PatternError {
    pub(super) const fn invalid(error: regex::Error) -> Self {
        Self(Cause::Invalid(error))
    }

    pub(super) const fn subject_too_long(bytes: usize, most: usize) -> Self {
        Self(Cause::LongSubject { bytes, most })
    }

    pub(super) const fn too_many_steps(most: usize) -> Self {
        Self(Cause::TooManySteps { most })
    }

    /// Returns what to write instead, if that is known.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        let Cause::Invalid(error) = &self.0 else { return None };
        let text = error.to_string();
        REMEDIES.iter().find(|(words, _)| text.contains(words)).map(|(_, remedy)| *remedy)
    }
}

impl Error for PatternError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Cause::Invalid(error) => Some(error),
            Cause::LongSubject { .. } | Cause::TooManySteps { .. } => None,
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Invalid(error) => {
                // It is drawn over several lines; the last one says what is wrong.
                let text = error.to_string();
                let line = text.lines().last().unwrap_or(&text).trim();
                f.write_str(line.strip_prefix("error: ").unwrap_or(line))
            }
            Cause::LongSubject { bytes, most } => write!(
                f,
                "an expression with look-around or back references is held against at most {most} bytes, and this subject \
                 has {bytes}"
            ),
            Cause::TooManySteps { most } => write!(
                f,
                "the expression goes back more than {most} times on this subject: write it without look-around"
            ),
        }
    }
}

/// What to write instead, by the compiler's error message.
const REMEDIES: [(&str, &str); 8] = [
    ("unclosed group", "close the `(` with a `)`, or write `\\(` for a literal `(`"),
    ("unopened group", "open a `(` before the `)`, or write `\\)` for a literal `)`"),
    ("unclosed character class", "close the `[` with a `]`, or write `\\[` for a literal `[`"),
    ("invalid character class range", "write the lower end of the range first, as in `[a-z]`"),
    (
        "repetition operator missing",
        "`*`, `+` and `?` repeat the item before them: write `.*` for any text",
    ),
    ("unclosed counted repetition", "close the `{` with a `}`, or write `\\{` for a literal `{`"),
    ("unrecognized escape sequence", "leave the backslash out, or double it to mean one"),
    (
        "incomplete escape sequence",
        "write something behind the backslash at the end, or double it to mean one",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_compiler_error_has_a_remedy() {
        let remedy = |message: &str| {
            PatternError::invalid(regex::Error::Syntax(format!("at 3: {message}"))).remedy()
        };
        for (message, expected) in REMEDIES {
            assert_eq!(remedy(message), Some(expected));
        }
        assert_eq!(remedy("something else"), None);
        assert_eq!(PatternError::too_many_steps(2).remedy(), None);
    }
}
