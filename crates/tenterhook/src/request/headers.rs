//! What do the headers of a request say? Fills variables into what a hook's entry says of them; reads no environment.
//!
//! A value may be a secret: no message of this file holds one (HT-23).

use super::sign::{self, Names};

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
pub(crate) enum BadHeader {
    /// Its name is none.
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
    /// It names a variable that has no value. An empty one would take the authentication away without a word.
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

/// Whether what a hook says of this header is not sent.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name.to_ascii_lowercase().as_str())
}

/// What is wrong with a header, whatever the variables hold.
pub(crate) fn flaw(name: &str, value: &str, listed: &[String]) -> Option<BadHeader> {
    let stand_in = |_: &str| Some("x");
    fill(name, value, listed, stand_in).err()
}

/// The value of the header `name` with its variables filled in.
///
/// # Errors
///
/// When it cannot be sent.
pub(crate) fn fill<'v>(
    name: &str,
    value: &str,
    listed: &[String],
    variable: impl Fn(&str) -> Option<&'v str>,
) -> Result<String, BadHeader> {
    let header = || shown(name);
    if name.is_empty() || name.len() > NAME || !name.bytes().all(is_token) {
        return Err(BadHeader::Name(header()));
    }
    let mut filled = String::new();
    for piece in pieces(value).ok_or_else(|| BadHeader::Torn(header()))? {
        filled.push_str(match piece {
            Piece::Text(text) => text,
            Piece::Variable(it) if !listed.iter().any(|listed| listed == it) => {
                return Err(BadHeader::NotListed { header: header(), variable: shown(it) });
            }
            Piece::Variable(it) => variable(it)
                .filter(|value| !value.is_empty())
                .ok_or_else(|| BadHeader::Unset { header: header(), variable: shown(it) })?,
        });
    }
    // Not even spaces round it: some servers keep them, some do not.
    let fits = |it: u8| matches!(it, b' '..=b'~' | b'\t');
    if filled.bytes().all(fits) { Ok(filled) } else { Err(BadHeader::Value(header())) }
}

/// As much of a name as a message has room for: nobody bounds what a configuration calls things.
pub(crate) fn shown(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// Takes a value apart; a `$` before anything but a name or a brace is a `$`.
fn pieces(value: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while let Some(sign) = sign::first(rest) {
        pieces.push(Piece::Text(sign.before));
        pieces.push(match sign.names {
            Names::Braced(name) if sign::is_name(name) => Piece::Variable(name),
            Names::Braced(_) | Names::Open => return None,
            Names::Plain(name) => Piece::Variable(name),
            Names::Nothing => Piece::Text("$"),
        });
        rest = sign.after;
    }
    pieces.push(Piece::Text(rest));
    Some(pieces)
}

/// What HTTP calls a token.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

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
        fill("X-Key", value, &listed, variable)
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

    /// HT-21
    #[test]
    fn what_has_no_value_is_a_failure_that_names_it_and_tells_no_secret() {
        let x = || "X-Key".to_owned();
        let unset = |it: &str| BadHeader::Unset { header: x(), variable: it.to_owned() };
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
        assert_eq!(flaw("X-Key", "$OTHER", &[]), Some(other()));
        assert_eq!(flaw("X Key", "", &[]), Some(BadHeader::Name("X Key".to_owned())));
        assert_eq!(flaw("X-Key", "${A}", &["A".to_owned()]), None);
    }

    #[test]
    fn messages_do_not_grow_with_names() {
        let long = "N".repeat(100_000);
        for (name, value) in
            [(long.as_str(), "x"), (&format!("{long} "), "x"), ("X", &format!("${long}"))]
        {
            let found = flaw(name, value, &[]).unwrap().to_string();
            assert!(found.contains("NNN...`") && found.len() < 250, "{found}");
        }
    }

    #[test]
    fn some_headers_are_not_for_hooks_to_say() {
        assert!(is_reserved("Content-Length") && is_reserved("HOST") && is_reserved("webhook-id"));
        assert!(!is_reserved("Authorization") && !is_reserved("X-Host"));
    }
}
