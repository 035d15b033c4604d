//! Why a pattern of a rule cannot be compiled. Values and their messages; compiles nothing.

use std::fmt;

use globset::ErrorKind;
use regex_automata::hybrid::BuildError;

/// Why a pattern cannot be compiled.
#[derive(Clone, Debug)]
pub(super) enum BadPattern {
    /// It is no regular expression.
    Syntax(Box<regex_syntax::Error>),
    /// Compiled, it would be larger than a rule's may be.
    TooLarge,
    /// No automaton can be made of it.
    Automaton(Box<BuildError>),
    /// It is no glob.
    Glob { text: String, kind: ErrorKind },
    /// It is a glob whose braces nest too deeply.
    TooManyBraces,
}

impl From<regex_syntax::Error> for BadPattern {
    fn from(error: regex_syntax::Error) -> Self {
        Self::Syntax(Box::new(error))
    }
}

impl From<BuildError> for BadPattern {
    fn from(error: BuildError) -> Self {
        Self::Automaton(Box::new(error))
    }
}

impl std::error::Error for BadPattern {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(&**error),
            Self::Automaton(error) => Some(&**error),
            Self::TooLarge | Self::Glob { .. } | Self::TooManyBraces => None,
        }
    }
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => {
                // It is drawn over several lines; the last one says what is wrong.
                let text = error.to_string();
                let line = text.lines().last().unwrap_or_default();
                f.write_str(line.strip_prefix("error: ").unwrap_or(line))
            }
            Self::TooLarge => f.write_str("the pattern is too large"),
            Self::Automaton(error) => error.fmt(f),
            Self::Glob { text, kind } => write!(f, "`{text}` is not a valid glob: {kind}"),
            Self::TooManyBraces => f.write_str("the glob has too many braces"),
        }
    }
}
