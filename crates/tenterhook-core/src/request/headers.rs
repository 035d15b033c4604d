//! What do the headers of a request say? Fills variables into what a hook's entry says of them; reads no environment.
//!
//! A value may be a secret: no message of this file holds one (HT-23).

use super::interpolation::{Interpolation, Missing, OpenBrace};
use super::placeholder::{self, Names};

/// Headers that belong to the executor or to the connection. What a hook says of them is not sent (HT-22).
const RESERVED: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
];

/// How long the name of a header may be: what HTTP libraries take.
const NAME: usize = 1 << 10;

/// How many characters of a name a message shows.
const SHOWN: usize = 64;

/// Why a header cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// Its name is invalid.
    #[error("`{0}` is not a valid name of a header")]
    Name(String),
    /// It names a variable that the hook did not list.
    #[error(
        "the header `{header}` names `{variable}`, which the hook does not list as a variable that it may send"
    )]
    NotListed {
        /// The header.
        header: String,
        /// The variable.
        variable: String,
    },
    /// It names a variable that has no value, in a format that sends no empty text in its place.
    #[error("the header `{header}` names `{variable}`, which is not set or empty")]
    Unset {
        /// The header.
        header: String,
        /// The variable.
        variable: String,
    },
    /// `${` without an end, or without a name.
    #[error("the header `{0}` has a `${{` that names no variable")]
    Torn(String),
    /// A line break or a character outside ASCII would make something else of the request.
    #[error(
        "the value of the header `{0}` holds a line break, a control character or a character outside ASCII"
    )]
    Value(String),
}

/// A piece of a header's value.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Returns true if a hook may not set this header.
pub fn is_reserved_header(name: &str) -> bool {
    RESERVED.contains(&name.to_ascii_lowercase().as_str())
}

/// Returns the problem of a header that does not depend on the values of variables.
pub(crate) fn find_header_problem(
    name: &str,
    value: &str,
    listed: &[String],
    rules: Interpolation,
) -> Option<BadHeader> {
    match fill_header_value(name, value, listed, rules, |_| Some("x")) {
        Ok(filled) => filled.missing.into_iter().next(),
        Err(bad) => Some(bad),
    }
}

/// A text with its variables filled in.
#[derive(Debug, PartialEq, Eq)]
pub struct Filled {
    /// The value.
    pub text: String,
    /// The variables in whose place nothing stands.
    pub missing: Vec<BadHeader>,
}

/// The value of the header `name` with its variables filled in, as `rules` say.
///
/// # Errors
///
/// When it cannot be sent.
pub fn fill_header_value<'v>(
    name: &str,
    value: &str,
    listed: &[String],
    rules: Interpolation,
    variable: impl Fn(&str) -> Option<&'v str>,
) -> Result<Filled, BadHeader> {
    if name.is_empty() || name.len() > NAME || !name.bytes().all(is_http_token_byte) {
        return Err(BadHeader::Name(shorten_name(name)));
    }
    let mut filled = fill_variables(name, value, listed, rules, variable)?;
    if rules.missing == Missing::Empty {
        // A line break would begin another header.
        filled.text.retain(|c| c == '\t' || !c.is_control());
        return Ok(filled);
    }
    // Not even spaces round it: some servers keep them, some do not.
    let fits = |byte: u8| matches!(byte, b' '..=b'~' | b'\t');
    if filled.text.bytes().all(fits) {
        Ok(filled)
    } else {
        Err(BadHeader::Value(shorten_name(name)))
    }
}

/// `text` with its variables filled in; messages call it the header `name`.
///
/// # Errors
///
/// When a variable has no value and `rules` send no empty text in its place.
pub fn fill_variables<'v>(
    name: &str,
    text: &str,
    listed: &[String],
    rules: Interpolation,
    variable: impl Fn(&str) -> Option<&'v str>,
) -> Result<Filled, BadHeader> {
    let header = || shorten_name(name);
    let mut filled = Filled { text: String::new(), missing: Vec::new() };
    for piece in
        split_text_and_variables(text, rules.open_brace).ok_or_else(|| BadHeader::Torn(header()))?
    {
        let (variable, value) = match piece {
            Piece::Text(text) => {
                filled.text.push_str(text);
                continue;
            }
            Piece::Variable(name) if !listed.iter().any(|listed| listed == name) => (name, Err(())),
            Piece::Variable(name) => (name, Ok(variable(name).filter(|value| !value.is_empty()))),
        };
        let (header, variable) = (header(), shorten_name(variable));
        let missing = match value {
            Ok(Some(value)) => {
                filled.text.push_str(value);
                continue;
            }
            Ok(None) => BadHeader::Unset { header, variable },
            Err(()) => BadHeader::NotListed { header, variable },
        };
        match rules.missing {
            Missing::Fails => return Err(missing),
            Missing::Empty => filled.missing.push(missing),
        }
    }
    Ok(filled)
}

/// Shortens a name for a message, because names in config files may have any length.
pub fn shorten_name(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Splits a value into text and variables. A `$` before anything but a name or a brace is text.
/// `None` if `open` forbids an unclosed `${` or one without a name, and the value has one.
fn split_text_and_variables(value: &str, open: OpenBrace) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while let Some(sign) = placeholder::find_first_placeholder(rest) {
        pieces.push(Piece::Text(sign.before));
        let (piece, after) = match sign.names {
            Names::Braced(name) if placeholder::is_variable_name(name) => {
                (Piece::Variable(name), sign.after)
            }
            Names::Plain(name) if open == OpenBrace::Dropped => {
                (Piece::Variable(name), sign.after.strip_prefix('}').unwrap_or(sign.after))
            }
            Names::Plain(name) => (Piece::Variable(name), sign.after),
            Names::Nothing => (Piece::Text("$"), sign.after),
            Names::Braced(_) | Names::Open => read_malformed_variable(sign, open)?,
        };
        pieces.push(piece);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Some(pieces)
}

/// Returns what a `${` without a valid name and `}` means, and the text after it.
fn read_malformed_variable(
    sign: placeholder::Placeholder<'_>,
    open: OpenBrace,
) -> Option<(Piece<'_>, &str)> {
    let (dollar, behind) = sign.split_dollar_from_rest();
    let name = behind.strip_prefix('{').map(placeholder::split_variable_name);
    match (open, name) {
        (OpenBrace::Fails, _) => None,
        (OpenBrace::Dropped, Some((name, after))) if !name.is_empty() => {
            Some((Piece::Variable(name), after))
        }
        (OpenBrace::Text | OpenBrace::Dropped, _) => Some((Piece::Text(dollar), behind)),
    }
}

/// Returns true if the byte may be in an HTTP token.
const fn is_http_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Interpolation = Interpolation::STRICT;

    fn filled(value: &str) -> Result<String, BadHeader> {
        let listed = ["A", "B_1", "EMPTY", "LINE", "UNSET"].map(str::to_owned);
        let variable = |name: &str| match name {
            "A" => Some("s3cret"),
            "B_1" => Some("two"),
            "OTHER" => Some("not yours"),
            "EMPTY" => Some(""),
            "LINE" => Some("a\r\nX-Evil: 1"),
            _ => None,
        };
        fill_header_value("X-Key", value, &listed, Interpolation::STRICT, variable)
            .map(|filled| filled.text)
    }

    /// HT-20
    #[test]
    fn variables_are_filled_in_both_spellings() {
        for (value, expected) in [
            ("Bearer $A", "Bearer s3cret"),
            ("${A}$B_1.${B_1}x", "s3crettwo.twox"),
            ("costs 5$ or $1 or $", "costs 5$ or $1 or $"),
            ("", ""),
        ] {
            assert_eq!(filled(value).as_deref(), Ok(expected), "{value}");
        }
    }

    /// HT-62
    #[test]
    fn what_has_no_value_is_a_failure_that_names_it_and_tells_no_secret() {
        let x = || "X-Key".to_owned();
        let unset = |text: &str| BadHeader::Unset { header: x(), variable: text.to_owned() };
        let other = || BadHeader::NotListed { header: x(), variable: "OTHER".to_owned() };
        for (value, expected) in [
            ("$UNSET", unset("UNSET")),
            ("${EMPTY}", unset("EMPTY")),
            ("$A $OTHER", other()),
            ("${A", BadHeader::Torn(x())),
            ("${}", BadHeader::Torn(x())),
            ("${A B}", BadHeader::Torn(x())),
            ("$LINE", BadHeader::Value(x())),
            ("$A\n", BadHeader::Value(x())),
            ("$A caf\u{e9}", BadHeader::Value(x())),
        ] {
            let found = filled(value).unwrap_err();
            assert_eq!(found, expected, "{value}");
            let (shown, debugged) = (found.to_string(), format!("{found:?}"));
            for secret in ["s3cret", "Evil", "not yours"] {
                assert!(!shown.contains(secret) && !debugged.contains(secret), "{shown}");
            }
        }
        assert_eq!(find_header_problem("X-Key", "$OTHER", &[], STRICT), Some(other()));
        assert_eq!(
            find_header_problem("X Key", "", &[], STRICT),
            Some(BadHeader::Name("X Key".to_owned()))
        );
        assert_eq!(find_header_problem("X-Key", "${A}", &["A".to_owned()], STRICT), None);
    }

    /// HT-21
    #[test]
    fn variable_without_value_is_empty_where_the_agent_sends_it_so() {
        let listed = ["A", "EMPTY", "LINE"].map(str::to_owned);
        let variable = |name: &str| match name {
            "A" => Some("s3cret"),
            "LINE" => Some("a\r\nX-Evil: 1\0"),
            _ => None,
        };
        for (value, text, dropped, missing) in [
            ("a$EMPTY-b", "a-b", "a-b", 1),
            ("${OTHER}$OTHER.", ".", ".", 2),
            ("$LINE", "aX-Evil: 1", "aX-Evil: 1", 0),
            ("caf\u{e9} $A", "caf\u{e9} s3cret", "caf\u{e9} s3cret", 0),
            ("x${A", "x${A", "xs3cret", 0),
            ("$A}", "s3cret}", "s3cret", 0),
            ("${A b}", "${A b}", "s3cret b}", 0),
            ("${}$", "${}$", "${}$", 0),
        ] {
            for (rules, expected) in
                [(Interpolation::EMPTY, text), (Interpolation::EMPTY_LOOSE, dropped)]
            {
                let filled = fill_header_value("X-Key", value, &listed, rules, variable).unwrap();
                assert_eq!(filled.text, expected, "{value} {rules:?}");
                assert_eq!(filled.missing.len(), missing, "{value} {rules:?}");
            }
        }
        assert!(fill_header_value("X Key", "", &listed, Interpolation::EMPTY, variable).is_err());
    }

    #[test]
    fn messages_do_not_grow_with_names() {
        let long = "N".repeat(100_000);
        for (name, value) in
            [(long.as_str(), "x"), (&format!("{long} "), "x"), ("X", &format!("${long}"))]
        {
            let found = find_header_problem(name, value, &[], STRICT).unwrap().to_string();
            assert!(found.contains("NNN...`") && found.len() < 250, "{found}");
        }
    }

    #[test]
    fn some_headers_are_not_for_hooks_to_say() {
        assert!(
            is_reserved_header("Content-Length")
                && is_reserved_header("HOST")
                && is_reserved_header("webhook-id")
        );
        assert!(!is_reserved_header("Authorization") && !is_reserved_header("X-Host"));
    }
}
