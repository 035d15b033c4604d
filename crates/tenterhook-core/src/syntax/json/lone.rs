//! Where does a text escape half of a character, which JavaScript alone takes for a string? Knows no
//! grammar: a backslash means something in strings alone.

use std::borrow::Cow;

use jsonc_parser::common::Range;

/// Half of a character, as JavaScript hands it on to a program.
const REPLACEMENT: &[u8] = b"FFFD";
/// `\uD83D` as it is written.
const ESCAPE: usize = 6;

/// Replaces each escaped lone surrogate with an escaped U+FFFD of the same length, and returns the
/// ranges.
pub(super) fn replace_lone_surrogates(text: &str) -> (Cow<'_, str>, Vec<Range>) {
    let found = find_lone_surrogates(text.as_bytes());
    if found.is_empty() {
        return (Cow::Borrowed(text), found);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in &found {
        if let Some(digits) = bytes.get_mut(range.start + 2..range.end) {
            digits.copy_from_slice(REPLACEMENT);
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => (Cow::Owned(text), found),
        Err(_) => (Cow::Borrowed(text), Vec::new()),
    }
}

fn find_lone_surrogates(bytes: &[u8]) -> Vec<Range> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(length) =
        bytes.get(at..).and_then(|bytes| bytes.iter().position(|byte| *byte == b'\\'))
    {
        at += length;
        at += match (parse_unicode_escape(bytes, at), parse_unicode_escape(bytes, at + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                found.push(Range::new(at, at + ESCAPE));
                ESCAPE
            }
            (Some(_), _) => ESCAPE,
            (None, _) => 2,
        };
    }
    found
}

/// Returns the UTF-16 code unit of a `\u` escape at this offset, if there is one.
fn parse_unicode_escape(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    u16::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-87.
    #[test]
    fn half_of_a_character_is_replaced_and_a_whole_one_is_not() {
        for (text, becomes) in [
            (r"\ud800", r"\uFFFD"),
            (r"a\uD83d", r"a\uFFFD"),
            (r"\ude00\ud83d", r"\uFFFD\uFFFD"),
            (r"\ud83d\ud83d\ude00", r"\uFFFD\ud83d\ude00"),
            (r"\ud83d\u0041", r"\uFFFD\u0041"),
            (r"\\\ud800", r"\\\uFFFD"),
        ] {
            let (replaced, found) = replace_lone_surrogates(text);
            assert_eq!(replaced, becomes, "{text}");
            assert!(
                found.iter().all(|range| becomes.get(range.start..range.end) == Some(r"\uFFFD")),
                "{text}"
            );
        }
        for text in [r"\ud83d\ude00", r"\\ud800", r"\ud80", r"\u+800", r"\", "", r"\ud83é", "é\\"]
        {
            assert_eq!(replace_lone_surrogates(text), (Cow::Borrowed(text), Vec::new()));
        }
    }
}
