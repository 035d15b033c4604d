//! The secrets that a server received. Removes them from the server's error messages, which become
//! part of faults, screens and records. Pure.

use std::fmt;
use std::sync::Arc;

/// The shortest value that is removed: a shorter one is hardly a secret, and removing it would
/// garble text.
const SHORTEST: usize = 8;

/// Replaces a value.
const MARK: &str = "***";

/// Parts of the names of variables, in capitals, that likely hold a secret even though the
/// configuration does not list them.
const TELLING: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH"];

/// The values that a server received, the longest first.
#[derive(Clone, Default)]
pub(super) struct Withheld(Arc<[String]>);

/// Hides the values.
impl fmt::Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}

impl Withheld {
    /// Withholds these values and each of their words: a token often follows the name of its
    /// scheme.
    pub(super) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let parts = values
            .into_iter()
            .flat_map(|text| std::iter::once(text).chain(text.split_whitespace()));
        let mut parts: Vec<String> =
            parts.filter(|part| part.len() >= SHORTEST).map(str::to_owned).collect();
        parts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        parts.dedup();
        Self(parts.into())
    }

    /// Removes the values from `text`.
    pub(super) fn remove_from(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, value| text.replace(value, MARK))
    }
}

/// Whether the inherited variable of this name probably contains a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    TELLING.iter().any(|text| name.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-16.
    #[test]
    fn secrets_are_removed_from_messages() {
        let withheld = Withheld::new(["Bearer abcdefgh1234", "abcdefgh", "debug", ""]);
        for (text, shown) in [
            ("401 for Bearer abcdefgh1234!", "401 for ***!"),
            ("token abcdefgh1234 refused, abcdefgh too", "token *** refused, *** too"),
            ("debug: Bearer is no secret", "debug: Bearer is no secret"),
        ] {
            assert_eq!(withheld.remove_from(text), shown);
        }
        assert!(!format!("{withheld:?}").contains("abc"));
        assert!(
            is_secret_name("my_api_key") && is_secret_name("GH_TOKEN") && !is_secret_name("LANG")
        );
    }
}
