//! Where does a text name something that is to be put there: `$NAME`, `${NAME}`? The one scanner of all that fill such places.
//!
//! It finds each `$`. Which of them mean something, what replaces them, and how one is escaped, differs by format and is
//! the caller's affair: a caller that takes one for text goes on [behind the `$`](Placeholder::split_dollar_from_rest).

/// A `$` in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The text before it.
    pub before: &'a str,
    /// The text from the `$` on.
    pub from: &'a str,
    /// What it names.
    pub(crate) names: Names<'a>,
    /// The text behind the `$` and its name.
    pub(crate) after: &'a str,
}

/// The name behind a `$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names<'a> {
    /// `${...}`: the text between the braces, whatever it is.
    Braced(&'a str),
    /// `${` that is never closed.
    Open,
    /// `$NAME`
    Plain(&'a str),
    /// Anything else.
    Nothing,
}

/// Finds the first `$` of a text.
pub fn find_first_placeholder(text: &str) -> Option<Placeholder<'_>> {
    let at = text.find('$')?;
    let (before, from) = text.split_at(at);
    let rest = from.get(1..).unwrap_or_default();
    let (names, after) = match rest.strip_prefix('{') {
        Some(inner) => match inner.split_once('}') {
            Some((inner, after)) => (Names::Braced(inner), after),
            None => (Names::Open, inner),
        },
        None => match split_variable_name(rest) {
            ("", after) => (Names::Nothing, after),
            (name, after) => (Names::Plain(name), after),
        },
    };
    Some(Placeholder { before, from, names, after })
}

impl<'a> Placeholder<'a> {
    /// Returns the `$` alone and the text after it, for a caller that treats the `$` as text.
    pub fn split_dollar_from_rest(&self) -> (&'a str, &'a str) {
        self.from.split_at(1)
    }
}

/// Returns true if the whole text is a variable name.
pub(crate) fn is_variable_name(text: &str) -> bool {
    !text.is_empty() && variable_name_length(text) == text.len()
}

/// Splits the variable name, which may be empty, from the start of `text`.
pub(crate) fn split_variable_name(text: &str) -> (&str, &str) {
    text.split_at(variable_name_length(text))
}

/// Returns the length of the variable name at the start of `text`.
fn variable_name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_found_with_what_they_name() {
        for (text, before, names, after) in [
            ("a $B_1.c", "a ", Names::Plain("B_1"), ".c"),
            ("${a b}${", "", Names::Braced("a b"), "${"),
            ("${}x", "", Names::Braced(""), "x"),
            ("x${a", "x", Names::Open, "a"),
            ("$1", "", Names::Nothing, "1"),
            ("$$A", "", Names::Nothing, "$A"),
            ("ü$", "ü", Names::Nothing, ""),
        ] {
            let sign = find_first_placeholder(text).unwrap();
            assert_eq!((sign.before, sign.names, sign.after), (before, names, after), "{text}");
            assert_eq!(format!("{}{}", sign.before, sign.from), text);
        }
        assert_eq!(find_first_placeholder("plain"), None);
        assert_eq!(find_first_placeholder("a${b}").unwrap().split_dollar_from_rest(), ("$", "{b}"));
    }
}
