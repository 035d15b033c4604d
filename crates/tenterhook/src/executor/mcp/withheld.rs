//! What was a server handed that nobody else should read? Takes it out of what the server says of its troubles, which ends
//! up in faults, on screens and in records. Pure.

use std::fmt;
use std::sync::Arc;

/// The shortest value that is taken out: a shorter one is hardly a secret, and would tear holes into words.
const SHORTEST: usize = 8;

/// What stands in the place of a value.
const MARK: &str = "***";

/// What the name of a variable has, in capitals, that is likely to hold a secret although nobody handed it over on purpose.
const TELLING: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"];

/// Values that a server was handed, the longest first.
#[derive(Clone, Default)]
pub(super) struct Withheld(Arc<[String]>);

/// Without the values.
impl fmt::Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}

impl Withheld {
    /// These values, and each of their words: a token often stands behind the name of its scheme.
    pub(super) fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let parts = values
            .into_iter()
            .flat_map(|text| std::iter::once(text).chain(text.split_whitespace()));
        let mut parts: Vec<String> =
            parts.filter(|part| part.len() >= SHORTEST).map(str::to_owned).collect();
        parts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        parts.dedup();
        Self(parts.into())
    }

    /// `text` without them.
    pub(super) fn out_of(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| text.replace(value, MARK))
    }
}

/// Whether a variable that a server merely inherits is likely to hold a secret.
pub(super) fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    TELLING.iter().any(|text| name.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-16.
    #[test]
    fn what_was_handed_over_does_not_come_back() {
        let withheld = Withheld::of(["Bearer abcdefgh1234", "abcdefgh", "debug", ""]);
        for (text, shown) in [
            ("401 for Bearer abcdefgh1234!", "401 for ***!"),
            ("token abcdefgh1234 refused, abcdefgh too", "token *** refused, *** too"),
            ("debug: Bearer is no secret", "debug: Bearer is no secret"),
        ] {
            assert_eq!(withheld.out_of(text), shown);
        }
        assert!(!format!("{withheld:?}").contains("abc"));
        assert!(is_telling("my_api_key") && is_telling("GH_TOKEN") && !is_telling("LANG"));
    }
}
