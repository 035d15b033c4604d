//! What the text of a `matcher` means (CX-10, CX-11): all, a list of names, or an expression. Pure; tests nothing on events.

use crate::hook::Compat;
use crate::matcher::{Matcher, MatcherSpec};

/// Reads the matcher of a group, and says why it is no expression where it is none.
pub(super) fn read(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if matches!(text, "" | "*") {
        return (MatcherSpec::Any, None);
    }
    if text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|')) {
        return (MatcherSpec::Words(text.split('|').map(str::to_owned).collect()), None);
    }
    let spec = MatcherSpec::Regex(text.to_owned());
    match (Matcher::new(spec.clone()).compile().err().map(|why| why.to_string()), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        // Left as it is, it is a failure of its hook each time (S-3).
        (broken, _) => (spec, broken),
    }
}
