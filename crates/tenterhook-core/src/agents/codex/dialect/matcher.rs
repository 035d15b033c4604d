//! Parses the text of a `matcher` (CX-10, CX-11): everything, a list of names, or an expression.
//! Pure; matches no event.

use crate::hook::Compat;
use crate::matcher::{Matcher, MatcherSpec};

/// Parses the matcher of a group, and returns the error of an invalid expression.
pub(super) fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if matches!(text, "" | "*") {
        return (MatcherSpec::Any, None);
    }
    if text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|')) {
        return (MatcherSpec::Words(text.split('|').map(str::to_owned).collect()), None);
    }
    let spec = MatcherSpec::Regex(text.to_owned());
    match (Matcher::new(spec.clone()).compile().err().map(|why| why.to_string()), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        // Unchanged, an invalid expression fails its hook on each event (S-3).
        (broken, _) => (spec, broken),
    }
}
