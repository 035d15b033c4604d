//! Parses small values: durations, names, patterns (C-47, C-48). Pure.

use std::time::Duration;

use super::tools;
use crate::matcher::MatcherSpec;

/// Milliseconds of each unit.
const UNITS: &[(&str, f64)] = &[("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0)];
/// Nothing that an agent waits for takes a day.
const LONGEST: f64 = 86_400_000.0;

/// Characters of regular expressions, which no name has.
const SIGNS: &[char] = &['*', '+', '?', '(', ')', '[', ']', '{', '}', '^', '$', '\\'];

/// Returns `true` if a number is a count: whole, above 0, and not absurdly large.
pub(super) fn is_count(number: f64) -> bool {
    number.fract() == 0.0 && (1.0..=1e6).contains(&number)
}

/// Returns `true` if a number is a useful number of bytes, and exact.
pub(super) fn is_byte_count(number: f64) -> bool {
    number.fract() == 0.0 && (65_536.0..=1e15).contains(&number)
}

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DurationFault {
    #[error("`{0}` is not a valid duration: it needs a number and `ms`, `s`, `m` or `h`")]
    Unit(String),
    #[error("`{0}` is not a valid duration")]
    Number(String),
    #[error("a timeout of zero leaves no time to run")]
    Zero,
    #[error("`{0}` is longer than a day")]
    TooLong(String),
}

/// Why the text of a `match` is not valid; the display says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatternFault {
    /// It would select everything.
    #[error("leave `match` out: without it the hook runs on every one")]
    Everything,
    /// A name in the list is empty.
    #[error("write at least one word, and no empty one")]
    EmptyWord,
    /// A rule or an expression that is not marked as one.
    #[error("{}", tools::unmarked_expression_help(.0))]
    Unmarked(String),
}

/// Parses a number with its unit: `250ms`, `1.5s`, `2m`, `1h`.
pub(super) fn parse_duration(text: &str) -> Result<Duration, DurationFault> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
        return Err(DurationFault::Unit(text.to_owned()));
    };
    let number = number.parse::<f64>().map_err(|_| DurationFault::Number(text.to_owned()))?;
    let millis = number * factor;
    if millis <= 0.0 {
        return Err(DurationFault::Zero);
    }
    if millis > LONGEST {
        return Err(DurationFault::TooLong(text.to_owned()));
    }
    Ok(Duration::from_secs_f64(millis / 1_000.0))
}

/// Returns `true` if the text can name a hook or an event. Names are printed in logs and on
/// terminals unchanged.
pub(crate) fn is_valid_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-:/".contains(c))
}

/// A text of `match`: exact words with `|` between them, or an expression between slashes (C-48).
///
/// An expression that is not marked as one is an error, because a reader could take it for either.
pub(super) fn parse_match_text(text: &str) -> Result<MatcherSpec, PatternFault> {
    if let Some(expression) = expression_between_slashes(text) {
        return Ok(MatcherSpec::Regex(expression.to_owned()));
    }
    if matches!(text.trim(), "*" | "//") {
        return Err(PatternFault::Everything);
    }
    let words: Vec<String> = text.split('|').map(|word| word.trim().to_owned()).collect();
    if words.iter().any(String::is_empty) {
        return Err(PatternFault::EmptyWord);
    }
    if text.contains(SIGNS) {
        return Err(PatternFault::Unmarked(text.to_owned()));
    }
    Ok(MatcherSpec::Words(words))
}

/// Returns the expression between slashes, if the text of a `match` is one.
pub(super) fn expression_between_slashes(text: &str) -> Option<&str> {
    let between = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    between.filter(|text| !text.is_empty())
}

/// Returns the words of the text of a `match`; none if it is an expression, or not valid.
pub(super) fn exact_words_of_match(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split('|').map(str::trim).collect();
    let is_valid = expression_between_slashes(text).is_none()
        && !words.iter().any(|word| word.is_empty())
        && text.trim() != "//"
        && !text.contains(SIGNS);
    if is_valid { words } else { Vec::new() }
}
